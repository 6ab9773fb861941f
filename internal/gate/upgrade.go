package gate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// noteUpgrade notes that another toolchain made the baseline, with the command that accepts what the present one makes. The limits are the same.
func noteUpgrade(r *result.Result, l *measuredTarget) {
	if l.set == nil || l.report == nil {
		return
	}
	for _, why := range l.upgrades() {
		r.Notes = append(r.Notes, result.Note{
			Kind: "upgrade", Target: l.Name, Message: fmt.Sprintf("another toolchain made the baseline (%s); the limits hold for both", why),
			Fix: fmt.Sprintf("xlagate accept --reason %q", why),
		})
	}
}

// withoutOwn drops the findings that are among others, unless they are further beyond their limit.
func withoutOwn(found []judgedFinding, own []result.Finding) []judgedFinding {
	return slices.DeleteFunc(found, func(f judgedFinding) bool {
		at := slices.IndexFunc(own, func(o result.Finding) bool { return o.ID == f.ID })
		return at >= 0 && math.Abs(f.Excess()) <= math.Abs(own[at].Excess())
	})
}

// upgrades lists how the toolchains and libraries of the accepted programs differ from that of the dump, each difference once.
func (l *measuredTarget) upgrades() (list []string) {
	for _, p := range l.programs {
		if p.Old == nil || p.New == nil {
			continue
		}
		if why := Upgraded(l.accepted(p), l.report.Toolchain); why != "" {
			list = changes.AddNew(list, why)
		}
	}
	return list
}

// Upgraded says how two toolchains and their libraries differ, as far as both are known: "jax 0.4.30 → 0.10.2"; "" if they do not.
func Upgraded(old, fresh facts.Toolchain) string {
	why := mismatch(old, fresh)
	for _, c := range changes.Libraries(old, fresh) {
		why = strings.TrimPrefix(why+", "+c.Step(), ", ")
	}
	return why
}

// upgrade says how the toolchain of a program differs from that of its baseline: "jax 0.4.30 → 0.10.2"; "" if it does not.
func (l *measuredTarget) upgrade(p *changes.Program) string {
	if p.Old == nil || p.New == nil {
		return ""
	}
	return mismatch(l.accepted(p), l.report.Toolchain)
}

// accepted is the toolchain that a program of the baseline was made with.
func (l *measuredTarget) accepted(p *changes.Program) facts.Toolchain {
	if accepted := l.set.Find(p.Old.Name); accepted != nil {
		return accepted.Toolchain
	}
	return l.base.Toolchain
}

// mismatch returns how two toolchains differ in what affects the compiled program; "" if they do not, as far as both are known.
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

// noteNumerics notes what may change the results of the programs that were compiled otherwise, those of which the same is said together.
func noteNumerics(r *result.Result, l *measuredTarget) {
	said := map[string][]string{}
	for _, p := range l.programs {
		for _, v := range p.Variants {
			if text := v.Numerics(); text != "" {
				said[text] = changes.AddNew(said[text], p.Name)
			}
		}
	}
	for _, text := range slices.Sorted(maps.Keys(said)) {
		r.Notes = append(r.Notes, result.Note{Kind: "numerics", Target: l.Name, Program: strings.Join(phrase.First(said[text], 3), ", "), Message: text})
	}
}
