package git

import (
	"context"
	"fmt"
	"strings"
)

// asker asks one repository.
type asker struct {
	ctx    context.Context
	dir    string
	getenv func(string) string
}

// ask is git's answer in one line, "" where it has none.
func (a asker) ask(args ...string) string {
	out, err := Run(a.ctx, a.dir, args...)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// commit is the commit that a revision means; "" where the checkout does not hold it.
func (a asker) commit(revision string) string {
	return a.ask("rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
}

// base is the commit that edits are counted from, or else why it is not known.
func (a asker) base(asked string) (commit, unknown string) {
	head := a.commit("HEAD")
	switch {
	case head == "":
		return a.ask("hash-object", "-t", "tree", "--stdin"), "" // nothing: there is no commit yet
	case asked != "":
		return a.fork(asked)
	}
	if target := a.getenv("GITHUB_BASE_REF"); target != "" {
		return a.pullRequest(head, target)
	}
	main := a.defaultBranch()
	if main == "" || strings.TrimPrefix(main, "origin/") == a.ask("symbolic-ref", "--quiet", "--short", "HEAD") {
		return head, ""
	}
	return a.fork(main)
}

// pullRequest is where a pull request left its target. GitHub checks out a merge of the two, whose first parent is the target.
func (a asker) pullRequest(head, target string) (commit, unknown string) {
	if strings.HasSuffix(a.getenv("GITHUB_REF"), "/merge") && a.getenv("GITHUB_SHA") == head {
		if first := a.commit("HEAD^1"); first != "" {
			return first, ""
		}
	}
	return a.fork("origin/"+target, target)
}

// defaultBranch is the branch that others are made from; "" where none is known by its name.
func (a asker) defaultBranch() string {
	if name := a.ask("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"); name != "" && a.commit(name) != "" {
		return name
	}
	for _, name := range []string{"origin/main", "main", "origin/master", "master"} {
		if a.commit(name) != "" {
			return name
		}
	}
	return ""
}

// fork is where HEAD left the first of these revisions that the checkout holds.
func (a asker) fork(revisions ...string) (commit, unknown string) {
	for _, revision := range revisions {
		tip := a.commit(revision)
		if tip == "" {
			continue
		}
		if common := a.ask("merge-base", tip, "HEAD"); common != "" {
			return common, ""
		}
		return "", fmt.Sprintf("this checkout is too shallow to tell where it left %s: fetch all of it with git fetch --unshallow; with actions/checkout: fetch-depth: 0", revision)
	}
	name := revisions[len(revisions)-1]
	return "", fmt.Sprintf("this checkout does not hold %s: fetch it with git fetch origin %s; with actions/checkout: fetch-depth: 0", name, strings.TrimPrefix(name, "origin/"))
}
