package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/capture"
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// pinned is --to with the package whose versions are bisected, and those that go with it: jaxlib has jax's versions.
type pinned struct {
	name  string
	words []string
	at    []int // of their requirements among the words
}

// requirement matches a package, with its extras, and what is required of its version.
var requirement = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*)(\[[^\]]*\])?\s*([=<>!~].*)?$`)

// pinnedIn finds the package of which --from and --to require different versions. If there are several, --to requires the same of all.
func pinnedIn(from, to []string) (pinned, error) {
	p, required := pinned{words: to}, map[string]bool{}
	for i, word := range to {
		m := requirement.FindStringSubmatch(word)
		if m == nil || slices.Contains(from, word) {
			continue
		}
		if len(from) == 0 || slices.ContainsFunc(from, func(old string) bool {
			of := requirement.FindStringSubmatch(old)
			return of != nil && strings.EqualFold(of[1], m[1])
		}) {
			p.name, p.at, required[m[3]] = cmp.Or(p.name, m[1]), append(p.at, i), true
		}
	}
	if len(required) != 1 {
		return p, wrongUsage("--bisect needs one package of two versions; xlagate upgrade --bisect --from jax==OLD --to jax==NEW -- COMMAND…")
	}
	return p, nil
}

// version is --to with a version of the package.
func (p pinned) version(v string) []string {
	words := slices.Clone(p.words)
	for _, i := range p.at {
		m := requirement.FindStringSubmatch(words[i])
		words[i] = m[1] + m[2] + "==" + v
	}
	return words
}

// options are the words of --to that say where pip looks for packages.
func (p pinned) options() []string {
	return phrase.Filter(p.words, func(word string) bool { return !requirement.MatchString(word) && word != "--upgrade" && word != "-U" })
}

// trial is a version that a bisection may try.
type trial struct {
	version string
	compiled
	skipped string // why it could not be judged
}

// bisection narrows versions down to the last good one and the first bad one. Between them are only versions that could not be judged.
type bisection struct {
	trials    []trial
	good, bad int
}

// left lists the versions that may still be the first bad one, but were not tried.
func (b *bisection) left() (list []int) {
	for i := b.good + 1; i < b.bad; i++ {
		if b.trials[i].skipped == "" {
			list = append(list, i)
		}
	}
	return list
}

// bisect finds the first bad version between two ends, if the later one is bad.
func (u *upgrading) bisect(to *outputs, p pinned, before, after compiled) error {
	own, err := u.compare(before, before, false)
	if err != nil {
		return err
	}
	u.o.Own = own.Findings
	r, err := u.compare(before, after, true)
	switch {
	case err != nil:
		return err
	case r.ExitCode == gate.ExitPass:
		u.w.say(strings.Join(p.words, " ") + " breaks no rule that the old version does not break: there is nothing to bisect")
		return show(u.Context, u.w, to, r)
	case r.ExitCode == gate.ExitIncomplete:
		return cmp.Or(show(u.Context, u.w, to, r), verdictOf(r))
	}
	versions, err := capture.Released(u.Context.Context, before.run, after.run, p.name, p.options())
	if err != nil {
		return &gate.Unreadable{Where: p.name, Message: err.Error(), Fix: "make sure that `pip index versions " + p.name + "` lists its versions"}
	}
	b := bisection{trials: phrase.Map(versions, func(v string) trial { return trial{version: v} }), bad: len(versions) - 1}
	b.trials[0].compiled, b.trials[b.bad].compiled = before, after
	left := b.left()
	u.w.say(fmt.Sprintf("%s %s is good, %s is bad; %s between", p.name, versions[0], versions[b.bad], phrase.Some(len(left), "version")))
	for ; len(left) > 0; left = b.left() {
		at := left[len(left)/2]
		good, err := u.try(&b.trials[at], p, before)
		if err != nil {
			return err
		}
		t, verdict := b.trials[at], "bad"
		switch {
		case t.skipped != "":
			verdict = "skipped: " + t.skipped
		case good:
			verdict, b.good = "good", at
		default:
			b.bad = at
		}
		u.w.say(fmt.Sprintf("%s %s is %s (%s left)", p.name, t.version, verdict, phrase.Some(len(b.left()), "version")))
	}
	return u.found(to, p, &b)
}

// try compiles the command with a version, and reports whether that is good; of one that cannot be judged it sets why.
func (u *upgrading) try(t *trial, p pinned, before compiled) (good bool, err error) {
	var r *result.Result
	requirements := p.version(t.version)
	if t.run, err = u.environment(t.version, requirements); err == nil {
		t.Outcome, err = u.captured(t.run, requirements)
	}
	if err == nil {
		r, err = u.compare(before, t.compiled, false)
	}
	switch {
	case u.Context.Err() != nil:
		return false, u.Context.Err()
	case err != nil:
		t.skipped = err.Error()
		if why := (*gate.Unreadable)(nil); errors.As(err, &why) {
			t.skipped = why.Message
		}
	case r.ExitCode == gate.ExitIncomplete:
		t.skipped = "the check is incomplete"
		for _, problem := range r.Problems[:min(1, len(r.Problems))] {
			t.skipped += ": " + problem.Message
		}
	}
	if !u.IsSet("keep") { // an environment has some hundred megabytes
		if err := os.RemoveAll(filepath.Join(u.dir, t.version, "environment")); err != nil {
			return false, fmt.Errorf("remove the environment of %s: %w", t.version, err)
		}
	}
	return t.skipped == "" && r.ExitCode == gate.ExitPass, nil
}

// found shows what the first bad version does worse than the last good one, and writes a reproducer.
func (u *upgrading) found(to *outputs, p pinned, b *bisection) error {
	good, bad := b.trials[b.good], b.trials[b.bad]
	outcome := fmt.Sprintf("%s %s is the first bad version, %s the last good one", p.name, bad.version, good.version)
	message := outcome
	for _, t := range b.trials[b.good+1 : b.bad] {
		message += fmt.Sprintf("; %s between them is skipped (%s)", t.version, t.skipped)
	}
	var programs []*changes.Program
	u.o.Seen = func(_ string, list []*changes.Program) { programs = list }
	r, err := u.compare(good.compiled, bad.compiled, true)
	if err == nil && r.ExitCode != gate.ExitFindings {
		message += fmt.Sprintf("; compared with %s, since this step alone breaks no rule", b.trials[0].version)
		good = b.trials[0]
		r, err = u.compare(good.compiled, bad.compiled, true)
	}
	if err != nil {
		return err
	}
	dir := "xlagate-bisect"
	if u.IsSet("keep") {
		dir = u.dir
	}
	where, err := (&reproducer{p, [2]trial{good, bad}, u.run, r, programs}).write(u.Context.Context, dir)
	if err != nil {
		return fmt.Errorf("write the reproducer: %w", err)
	}
	r.Notes = append(r.Notes, result.Note{Kind: "bisect", Message: message})
	if err := show(u.Context, u.w, to, r); err != nil {
		return err
	}
	u.w.say(outcome + "; report.md in " + where + " is ready for an issue, with the modules beside it")
	return verdictOf(r)
}
