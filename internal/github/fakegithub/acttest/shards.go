package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// shards measures one dump in four jobs.
func (w *world) shards(ctx context.Context) error {
	if err := w.dump("regressed"); err != nil {
		return err
	}
	w.push("acme/models")
	return w.act(ctx, job{event: "pull_request", workflow: "xlagate-shards.yml", token: "job", payload: w.pullRequestEvent(), fails: true})
}

func (w *world) joined() error {
	last := len(w.Comments) - 1
	whole := w.wants(strings.Contains(w.Comments[last].Body, "key=shards "), "a comment of the merge job's own").
		and(w.says(last, "no-recompilation")).
		and(w.check(w.Checks[len(w.Checks)-1].Name == "xlagate (shards)" && w.Checks[len(w.Checks)-1].Conclusion == "failure", "one check run for all parts"))
	for i := range 4 {
		whole = whole.and(w.check(w.isPart(i), fmt.Sprintf("part %d/4, without a verdict", i)))
	}
	return whole.err
}

// isPart reports whether a job uploaded just its part.
func (w *world) isPart(index int) bool {
	var r struct {
		Verdict string
		Targets []struct{ Part struct{ Shard string } }
	}
	err := json.Unmarshal(w.left[fmt.Sprintf("xlagate-part-%d/part.json", index)], &r)
	return err == nil && r.Verdict == "incomplete" && len(r.Targets) == 1 && r.Targets[0].Part.Shard == fmt.Sprintf("%d/4", index)
}

// lostPart runs the same, but one job uploads nothing.
func (w *world) lostPart(ctx context.Context) error {
	if err := w.dump("good"); err != nil {
		return err
	}
	workflow := filepath.Join(w.dir, ".github", "workflows", "xlagate-shards.yml")
	const upload = "        with:\n          name: xlagate-part-"
	if err := w.replace(workflow, "if: ${{ !cancelled() }}\n"+upload, "if: ${{ matrix.part != 2 }}\n"+upload); err != nil {
		return err
	}
	w.push("acme/models")
	return w.act(ctx, job{event: "pull_request", workflow: "xlagate-shards.yml", token: "job", payload: w.pullRequestEvent(), fails: true})
}

func (w *world) missed() error {
	return w.says(len(w.Comments)-1, "it has 3 of its 4 parts: 2/4 did not run or did not upload").err
}
