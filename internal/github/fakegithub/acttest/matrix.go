package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func (w *world) nightly(ctx context.Context) error {
	if err := w.dump("good"); err != nil {
		return err
	}
	w.push("acme/models")
	return w.act(ctx, job{event: "workflow_dispatch", workflow: "xlagate-nightly.yml", token: "reader", payload: map[string]any{"repository": named("acme/models", "acme")}})
}

func (w *world) audited() error {
	return w.wants(strings.Contains(w.printed, "1 file, 0 wrong") && strings.Contains(w.printed, "nothing to prune"), "a baseline that was verified").err
}

// matrix gives every model and back end a target of its own. What one of them compiles got worse.
func (w *world) matrix(ctx context.Context) error {
	targets := ""
	for _, target := range []string{"mlp/cpu", "mlp/tpu-v5e", "transformer/cpu", "transformer/tpu-v5e"} {
		dump := "good"
		if target == "transformer/cpu" {
			dump = "regressed"
		}
		accepted := filepath.Join(w.dir, ".xlagate", filepath.FromSlash(target))
		if err := os.CopyFS(accepted, os.DirFS(filepath.Join(w.dir, ".xlagate", "classifier", "cpu"))); err != nil {
			return err
		}
		targets += fmt.Sprintf("  - {name: %s, dump: %s}\n", target, dump)
	}
	root := "version: 1\nextends: [recommended]\ntargets:\n" + targets
	if err := os.WriteFile(filepath.Join(w.dir, "xlagate.yaml"), []byte(root), 0o644); err != nil {
		return err
	}
	w.push("acme/models")
	return w.act(ctx, job{event: "pull_request", workflow: "xlagate-matrix.yml", token: "job", payload: w.pullRequestEvent(), fails: true})
}

func (w *world) merged() error {
	last := len(w.Comments) - 1
	return w.wants(strings.Contains(w.Comments[last].Body, "key=matrix "), "a comment of the merge job's own").
		and(w.says(last, "in 1 of 4 targets")).
		and(w.says(last, "transformer/cpu")).
		and(w.check(w.Checks[len(w.Checks)-1].Name == "xlagate (matrix)" && w.Checks[len(w.Checks)-1].Conclusion == "failure", "one check run for all of them")).err
}

// lostTarget runs the same, but one job uploads nothing.
func (w *world) lostTarget(ctx context.Context) error {
	workflow := filepath.Join(w.dir, ".github", "workflows", "xlagate-matrix.yml")
	const upload = "        with:\n          name: xlagate-part-"
	if err := w.replace(workflow, "if: ${{ !cancelled() }}\n"+upload, "if: ${{ matrix.model != 'mlp' || matrix.backend != 'cpu' }}\n"+upload); err != nil {
		return err
	}
	w.push("acme/models")
	return w.act(ctx, job{event: "pull_request", workflow: "xlagate-matrix.yml", token: "job", payload: w.pullRequestEvent(), fails: true})
}

func (w *world) missed() error {
	return w.says(len(w.Comments)-1, "in none of the results: its job did not run or did not upload").err
}
