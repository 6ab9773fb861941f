package main

// The events that GitHub sends, as far as the workflows look at them.

func named(fullName, owner string) map[string]any {
	return map[string]any{"full_name": fullName, "name": "models", "owner": map[string]any{"login": owner}, "default_branch": "main"}
}

func (w *world) pullRequestEvent() map[string]any {
	p := w.Pulls[7]
	return map[string]any{
		"action": "synchronize", "number": 7, "repository": named("acme/models", "acme"), "sender": map[string]any{"login": "mona"},
		"pull_request": map[string]any{
			"number": 7, "state": "open", "head": map[string]any{"sha": p.HeadSHA, "ref": p.HeadRef, "repo": map[string]any{"full_name": p.HeadRepo}},
			"base": map[string]any{"sha": p.BaseSHA, "ref": p.BaseRef, "repo": map[string]any{"full_name": "acme/models"}},
		},
	}
}

func (w *world) workflowRunEvent() map[string]any {
	p := w.Pulls[7]
	return map[string]any{
		"action": "completed", "repository": named("acme/models", "acme"), "sender": map[string]any{"login": "mona"},
		"workflow_run": map[string]any{
			"id": w.run, "run_attempt": 1, "workflow_id": 3, "event": "pull_request", "conclusion": "failure", "head_sha": p.HeadSHA, "head_branch": p.HeadRef,
			"head_repository": map[string]any{"full_name": p.HeadRepo, "owner": map[string]any{"login": "mona"}},
		},
	}
}

func (w *world) commentEvent(login, body string) map[string]any {
	return map[string]any{
		"action": "created", "repository": named("acme/models", "acme"), "sender": map[string]any{"login": login},
		"issue":   map[string]any{"number": 7, "pull_request": map[string]any{"url": "https://api.github.com/repos/acme/models/pulls/7"}},
		"comment": map[string]any{"id": 77, "body": body, "user": map[string]any{"login": login}},
	}
}
