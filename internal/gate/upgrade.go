package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/rules"
)

// withoutUpgrade returns the findings that an upgrade of the toolchain does not explain. Growth against a baseline of another toolchain becomes a
// report on the upgrade, grouped by cause, with the command that writes a second baseline. Absolute limits stay findings, and so does what no
// compiler decides.
func withoutUpgrade(r *result.Result, o Options, l *measuredTarget, found []JudgedFinding) (left []JudgedFinding) {
	if l.base == nil || l.report == nil || o.upgrading {
		return found
	}
	aside := map[string][]JudgedFinding{}
	for _, f := range found {
		if f.Drift && l.explained(&f.Finding) {
			aside[f.Program] = append(aside[f.Program], f)
		} else {
			left = append(left, f)
		}
	}
	for _, program := range slices.Sorted(maps.Keys(aside)) {
		why := mismatch(l.baseToolchain(program), l.report.Toolchain)
		r.Notes = append(r.Notes, upgradeNotes(o, l, program, why, aside[program])...)
	}
	return left
}

// explained reports whether a change of the toolchain may explain a finding. It does not explain what the source decides, if framework, backend and
// device are the same.
func (l *measuredTarget) explained(f *result.Finding) bool {
	old, fresh := l.baseToolchain(f.Program), l.report.Toolchain
	if mismatch(old, fresh) == "" {
		return false
	}
	rule := rules.All.ByID(f.Rule)
	return rule == nil || !rule.FromSource || old.Framework != fresh.Framework || old.Backend != fresh.Backend || old.Device != fresh.Device
}

// baseToolchain is what made the baseline of a program.
func (l *measuredTarget) baseToolchain(program string) facts.Toolchain {
	if p := l.set.Find(program); p != nil {
		return p.Toolchain
	}
	return l.base.Toolchain
}

// mismatch returns how two toolchains differ in what affects the compiled program: "jax 0.4.30 → 0.10.2"; "" if they do not, as far as both are
// known.
func mismatch(old, fresh facts.Toolchain) string {
	var parts []string
	differ := func(what, a, b string) {
		if a != "" && b != "" && a != b {
			parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s %s → %s", what, a, b)))
		}
	}
	differ("", old.Framework, fresh.Framework)
	differ("backend", old.Backend, fresh.Backend)
	differ("device", old.Device, fresh.Device)
	for _, name := range slices.Sorted(maps.Keys(old.Versions)) {
		if name != facts.AssemblerPart {
			differ(name, old.Versions[name], fresh.Versions[name])
		}
	}
	return strings.Join(parts, ", ")
}

// upgradeNotes is the report on one program: what differs in the toolchain and how to go on, then change by change what grew.
func upgradeNotes(o Options, l *measuredTarget, program, why string, drift []JudgedFinding) []result.Note {
	notes := []result.Note{{
		Kind: "upgrade", Target: l.Name, Program: program,
		Message: fmt.Sprintf("the baseline was made by another toolchain (%s): what may come from the compiler is reported and does not fail; "+
			"what the model itself computes, and limits without a baseline, still apply", why),
		Fix: fmt.Sprintf("xlagate accept --baseline %s.next --reason %q writes the proposed baseline beside the old one; compare with --against a dump of the base branch made by the new toolchain",
			BaselineOf(o), why),
	}}
	of := slices.DeleteFunc(slices.Clone(l.programs), func(p *diff.Program) bool { return p.Name != program })
	for _, c := range ChangesOf(JudgedTarget{Name: l.Name, Programs: of}, drift) {
		if len(c.Findings) > 0 {
			notes = append(notes, result.Note{Kind: "upgrade", Target: l.Name, Program: program, Message: driftSentence(&c, drift)})
		}
	}
	return notes
}

// driftSentence is a change in one line: what was done where, and what grew with it.
func driftSentence(c *result.Change, drift []JudgedFinding) string {
	text := c.Title
	if c.Source.File != "" {
		text += fmt.Sprintf(" (%s:%d)", c.Source.File, c.Source.Line)
	}
	var grown []string
	for i := range drift {
		if f := &drift[i]; f.Change == c.ID && !strings.Contains(text, f.Message) {
			grown = append(grown, f.Rule+": "+f.Message)
		}
	}
	if len(grown) > 0 {
		text += "; " + strings.Join(grown, "; ")
	}
	return text
}
