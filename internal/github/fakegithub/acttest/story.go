package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// chapter is one thing that happens, and what must have come of it.
type chapter struct {
	name string
	run  func(context.Context) error
	want func() error
}

// story is what happens, in order.
func (w *world) story(ctx context.Context) error {
	for _, c := range []chapter{
		{"a pull request with findings", w.opened, w.commentedRed},
		{"a second push fixes it", w.fixed, w.commentedGreen},
		{"the same from a fork", w.fromFork, w.nothingWritten},
		{"the commenter speaks for the fork", w.commenter, w.commentedForFork},
		{"a pull request that loosens its rules", w.loosens("acme/models"), w.reviewerWanted},
		{"the same from a fork, and the commenter", w.loosens("mona/models"), w.reviewerWanted},
		{"garbage in the baseline", w.garbage("acme/models"), w.couldNotCheck},
		{"the same from a fork, and the commenter", w.garbage("mona/models"), w.couldNotCheck},
		{"somebody accepts by a comment", w.accepts, w.baselineCommitted},
		{"a stranger tries to", w.strangerAccepts, w.nothingCommitted},
		{"the nightly audit", w.nightly, w.audited},
		{"a matrix and its merge", w.matrix, w.merged},
		{"the same, and a target is lost", w.lostTarget, w.missed},
		{"what init wrote", w.initiated, w.initiatedGreen},
		{"a pull request after it", w.opened, w.initiatedRed},
	} {
		if err := c.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if err := c.want(); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Printf("ok  %s\n", c.name)
	}
	if len(w.Violations) > 0 {
		return fmt.Errorf("not as GitHub describes it: %s", strings.Join(w.Violations, "; "))
	}
	return nil
}

func (w *world) opened(ctx context.Context) error {
	if err := w.dump("regressed"); err != nil {
		return err
	}
	w.push("acme/models")
	return w.act(ctx, job{event: "pull_request", workflow: "xlagate.yml", token: "job", payload: w.pullRequestEvent(), fails: true})
}

func (w *world) commentedRed() error {
	return w.wants(len(w.Comments) == 1 && len(w.Checks) == 1 && len(w.Artifacts) == 1, "one comment, one check run, one artifact").
		and(w.says(0, "### ❌ xlagate:")).
		and(w.says(0, "gh run download")).
		and(w.says(0, "\n/xlagate accept ")).
		and(w.check(w.Checks[0].Conclusion == "failure" && len(w.Checks[0].Annotations) > 0 && w.Checks[0].Annotations[0]["path"] == "train.py", "annotations on train.py")).err
}

func (w *world) fixed(ctx context.Context) error {
	if err := w.dump("good"); err != nil {
		return err
	}
	w.push("acme/models")
	return w.act(ctx, job{event: "pull_request", workflow: "xlagate.yml", token: "job", payload: w.pullRequestEvent()})
}

func (w *world) commentedGreen() error {
	return w.wants(len(w.Comments) == 1 && w.Comments[0].Edits == 1, "the same comment, edited once").
		and(w.says(0, "### ✅ xlagate: all clear")).
		and(w.says(0, "(was: ")).
		and(w.check(w.Checks[len(w.Checks)-1].Conclusion == "success", "a green check run")).err
}

func (w *world) fromFork(ctx context.Context) error {
	if err := w.dump("regressed"); err != nil {
		return err
	}
	w.push("mona/models")
	w.before = len(w.Comments) + len(w.Checks) + w.Comments[0].Edits
	return w.act(ctx, job{event: "pull_request", workflow: "xlagate.yml", token: "reader", payload: w.pullRequestEvent(), fails: true})
}

func (w *world) nothingWritten() error {
	return w.wants(len(w.Comments)+len(w.Checks)+w.Comments[0].Edits == w.before, "no write by the job that may only read").
		and(w.check(strings.Contains(w.printed, "train.py") && strings.Contains(w.printed, "required-fusions"), "annotations as workflow commands instead")).err
}

func (w *world) commenter(ctx context.Context) error {
	return w.act(ctx, job{event: "workflow_run", workflow: "xlagate-comment.yml", token: "job", payload: w.workflowRunEvent()})
}

func (w *world) commentedForFork() error {
	return w.wants(w.Comments[0].Edits == 2 && len(w.Comments) == 1, "the comment, written by the trusted half").
		and(w.says(0, "### ❌ xlagate:")).
		and(w.says(0, "reported by the pull request's own run")).err
}

// loosens has a pull request pass by rules that ask for less, from a repository.
func (w *world) loosens(repository string) func(context.Context) error {
	return func(ctx context.Context) error {
		const loose = "version: 1\ntargets: [{name: classifier/cpu, dump: dump}]\nrules: [{rule: max-kernels, max: 100}]\n"
		rules := filepath.Join(w.dir, "xlagate.yaml")
		err := errors.Join(w.dump("regressed"), os.WriteFile(rules, []byte(loose), 0o644))
		if err == nil {
			err = w.reported(ctx, repository, false)
		}
		return errors.Join(err, w.git("checkout", w.base, "--", "xlagate.yaml"))
	}
}

// garbage has a pull request write what is no baseline beside its own, from a repository.
func (w *world) garbage(repository string) func(context.Context) error {
	return func(ctx context.Context) error {
		file := filepath.Join(w.dir, ".xlagate", "classifier", "cpu", "zzz.jsonl")
		err := errors.Join(w.dump("good"), os.WriteFile(file, []byte("nonsense: ["), 0o644))
		if err == nil {
			err = w.reported(ctx, repository, true)
		}
		return errors.Join(err, os.Remove(file), w.dump("regressed"))
	}
}

// reported runs the workflow of a pull request, and of one from a fork the workflow that comments.
func (w *world) reported(ctx context.Context, repository string, fails bool) error {
	w.push(repository)
	if repository == "acme/models" {
		return w.act(ctx, job{event: "pull_request", workflow: "xlagate.yml", token: "job", payload: w.pullRequestEvent(), fails: fails})
	}
	if err := w.act(ctx, job{event: "pull_request", workflow: "xlagate.yml", token: "reader", payload: w.pullRequestEvent(), fails: fails}); err != nil {
		return err
	}
	return w.act(ctx, job{event: "workflow_run", workflow: "xlagate-comment.yml", token: "job", payload: w.workflowRunEvent()})
}

func (w *world) reviewerWanted() error {
	last := w.Checks[len(w.Checks)-1]
	return w.says(0, "passes only by rules that this branch loosens: ").and(w.check(last.Head == w.head && last.Conclusion == "action_required", "a check run that asks for a reviewer")).err
}

func (w *world) couldNotCheck() error {
	last := w.Checks[len(w.Checks)-1]
	return w.says(0, "### ⛔ xlagate: ").and(w.check(last.Head == w.head && last.Conclusion == "failure" && last.Title == "could not check", "a red check run")).err
}

func (w *world) accepts(ctx context.Context) error {
	w.push("acme/models")
	if err := w.act(ctx, job{event: "pull_request", workflow: "xlagate.yml", token: "job", payload: w.pullRequestEvent(), fails: true}); err != nil {
		return err
	}
	w.Permissions["mona"] = "write"
	return w.act(ctx, job{event: "issue_comment", workflow: "xlagate-accept.yml", token: "job", payload: w.commentEvent("mona", "/xlagate accept all the callback is wanted")})
}

func (w *world) baselineCommitted() error {
	tip := w.Commits[w.Branches["wider"]]
	if tip == nil || tip.SHA == w.head {
		return fmt.Errorf("nothing was committed; printed:\n%s", w.printed)
	}
	accepted := w.Files(tip.SHA)[".xlagate/classifier/cpu/train_step.jsonl"]
	return w.wants(strings.Contains(accepted, `"reason":"the callback is wanted"`), "a baseline with its reason").
		and(w.check(accepted != w.files[".xlagate/classifier/cpu/train_step.jsonl"], "a new baseline")).
		and(w.check(strings.Contains(tip.Message, "Xlagate-Accepted: all"), "a trailer that says what was accepted")).
		and(w.check(len(w.Reactions) == 1, "a reaction to the comment")).err
}

func (w *world) strangerAccepts(ctx context.Context) error {
	w.tip = w.Branches["wider"]
	return w.act(ctx, job{event: "issue_comment", workflow: "xlagate-accept.yml", token: "job", payload: w.commentEvent("eve", "/xlagate accept all let me"), fails: true})
}

func (w *world) nothingCommitted() error {
	return w.wants(w.Branches["wider"] == w.tip, "no commit").err
}

// initiated sets the gate up as a user does, with a command that dumps, and merges that into the main branch.
func (w *world) initiated(ctx context.Context) error {
	own := []string{"xlagate.yaml", ".xlagate", ".github/workflows/xlagate.yml"}
	for _, name := range own {
		if err := os.RemoveAll(filepath.Join(w.dir, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	const train = `to=${XLA_FLAGS#*--xla_dump_to=}; cp dump/module* dump/xlagate-toolchain.json "${to%% *}"`
	if err := errors.Join(w.dump("good"), os.WriteFile(filepath.Join(w.dir, "train.sh"), []byte(train+"\n"), 0o644)); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, w.xlagate, "init", "--", "sh", "train.sh")
	cmd.Dir = w.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("xlagate init: %w: %s", err, out)
	}
	var err error
	if w.base, err = w.commit("the gate"); err != nil {
		return err
	}
	w.push("acme/models")
	return w.act(ctx, job{event: "pull_request", workflow: "xlagate.yml", token: "job", payload: w.pullRequestEvent()})
}

func (w *world) initiatedGreen() error {
	return w.check(w.Checks[len(w.Checks)-1].Conclusion == "success", "a green check run").err
}

func (w *world) initiatedRed() error {
	return w.says(0, "### ❌ xlagate:").and(w.says(0, "compiled again")).and(w.check(w.Checks[len(w.Checks)-1].Conclusion == "failure", "a red check run")).err
}

// expectation is what was wanted; its error is nil while all of it holds.
type expectation struct{ err error }

func (w *world) wants(ok bool, what string) expectation { return w.check(ok, what) }

func (w *world) check(ok bool, what string) expectation {
	if ok {
		return expectation{}
	}
	return expectation{fmt.Errorf("wanted %s; written so far: %v; printed:\n%s", what, w.Writes(), w.printed)}
}

func (e expectation) and(other expectation) expectation {
	if e.err != nil {
		return e
	}
	return other
}

func (w *world) says(i int, text string) expectation {
	if i >= len(w.Comments) {
		return w.check(false, fmt.Sprintf("a comment that says %q", text))
	}
	return w.check(strings.Contains(w.Comments[i].Body, text), fmt.Sprintf("a comment that says %q, not\n%s", text, w.Comments[i].Body))
}
