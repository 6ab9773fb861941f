package gate

import (
	"maps"
	"slices"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// chosen returns the old baseline with the facts that the named findings are about taken from the new one.
func (in *candidate) chosen(ids []string, name string, old, fresh *baseline.Program) *baseline.Program {
	if old != nil && fresh != nil && in.allOf(ids, name, "") {
		whole := *fresh
		whole.Name = old.Name // nobody named that it is called otherwise
		return &whole
	}
	next := old
	for i := range in.findings {
		f := &in.findings[i]
		if !named(f, ids) || f.Program != name && !diff.IsPart(f.Program, name) {
			continue
		}
		if diff.IsPart(f.Program, name) {
			return fresh // clusters that merged or split are accepted together
		}
		next = take(scope(f), f.Variant, next, fresh)
	}
	if old == nil || fresh == nil || next == old {
		return next
	}
	for i, v := range next.Variants {
		switch n := fresh.WithSignature(v.Signature); {
		case n == nil:
		case in.allOf(ids, name, v.Signature):
			next.Variants[i] = n
		case in.allCode(ids, name, v.Signature):
			takeFacts([]string{"model"}, v, n)
		}
	}
	return next
}

// allOf reports whether the ids name every change and every finding of a program, or of one variant of it: then nothing of it is left that nobody
// named.
func (in *candidate) allOf(ids []string, name, signature string) bool {
	some := false
	for i := range in.changes {
		if c := &in.changes[i]; c.IsIn(in.target, name) && (signature == "" || slices.Contains(c.VariantsOf(name), signature)) {
			if some = slices.Contains(ids, c.ID); !some {
				return false
			}
		}
	}
	return some && !slices.ContainsFunc(in.judged, func(f result.Finding) bool {
		known := func(other result.Finding) bool { return other.ID == f.ID && named(&other, ids) }
		return f.Program == name && (signature == "" || f.Variant == signature) && !named(&f, ids) && !slices.ContainsFunc(in.findings, known)
	})
}

// allCode reports whether the ids name some change of the code in a variant, and every one that breaks a rule: then what the model computes is accepted.
func (in *candidate) allCode(ids []string, name, signature string) bool {
	some := false
	for i := range in.changes {
		c := &in.changes[i]
		if c.Kind != diff.KindCode || len(c.Findings) == 0 || !c.IsIn(in.target, name) || !slices.Contains(c.VariantsOf(name), signature) {
			continue
		}
		if some = slices.Contains(ids, c.ID); !some {
			return false
		}
	}
	return some
}

// scope is what a finding is about: fact globs, "kernel list", "variants", "program", "model".
func scope(f *result.Finding) []string { return rules.All.ByID(f.Rule).Accepts }

// take returns the old program with what is in scope taken from the fresh one.
func take(about []string, signature string, old, fresh *baseline.Program) *baseline.Program {
	if fresh == nil || old == nil || slices.Contains(about, "*") {
		return fresh
	}
	next := copyOf(old)
	if slices.Contains(about, "variants") {
		next.Variants = sameVariants(next, fresh)
	}
	for i, v := range next.Variants {
		n := fresh.WithSignature(v.Signature)
		if n == nil && i < len(fresh.Variants) {
			n = fresh.Variants[i]
		}
		if n != nil && (signature == "" || signature == n.Signature) {
			takeFacts(about, v, n)
		}
	}
	next.Toolchain = old.Toolchain
	return next
}

// sameVariants lists the new variants, with the old facts of those that the baseline has.
func sameVariants(old, fresh *baseline.Program) []*facts.Variant {
	var out []*facts.Variant
	for _, v := range fresh.Variants {
		if o := old.WithSignature(v.Signature); o != nil {
			o.Modules = v.Modules
			v = o
		}
		out = append(out, v)
	}
	return out
}

func takeFacts(about []string, v, fresh *facts.Variant) {
	if slices.Contains(about, "kernel list") {
		about = append(slices.Clone(about), "run.*") // what a run is given belongs to its launches: both make its price
	}
	for name, n := range fresh.Facts {
		if phrase.AnyGlob(about, string(name)) {
			v.Facts[name] = n
		}
	}
	for name := range v.Facts {
		if _, there := fresh.Facts[name]; !there && phrase.AnyGlob(about, string(name)) {
			delete(v.Facts, name)
		}
	}
	if slices.Contains(about, "kernel list") {
		v.Kernels, v.Buffers = fresh.Kernels, fresh.Buffers
	}
	if slices.Contains(about, "params") {
		v.Params, v.Signature, v.Result, v.Outputs = fresh.Params, fresh.Signature, fresh.Result, fresh.Outputs
	}
	if slices.Contains(about, "constants") {
		v.Constants = fresh.Constants
	}
	if slices.Contains(about, "model") {
		v.Model, v.ModelAfter = fresh.Model, fresh.ModelAfter
	}
	if maps.Equal(v.Facts, fresh.Facts) {
		v.Fingerprint, v.InputPrint = fresh.Fingerprint, fresh.InputPrint
	}
}

// tightened returns the old baseline with the facts that improved. A program that got worse anywhere keeps its kernels.
func tightened(old, fresh *baseline.Program) *baseline.Program {
	if old == nil || fresh == nil {
		return old
	}
	next := copyOf(old)
	for _, v := range next.Variants {
		n := fresh.WithSignature(v.Signature)
		if n == nil {
			continue
		}
		if noWorse(v.Facts, n.Facts) {
			*v = *n
			continue
		}
		for _, m := range metrics() {
			if was, ok := v.Facts[m.Fact]; ok && better(m, was, n.Facts) {
				v.Facts[m.Fact] = n.Facts[m.Fact]
			}
		}
	}
	return next
}

// metrics lists the facts that have a direction.
func metrics() []rule.Metric {
	var out []rule.Metric
	for _, r := range rules.All.Rules {
		if r.Budget != nil && r.Budget.Fact != "" {
			out = append(out, *r.Budget)
		}
	}
	return out
}

func better(m rule.Metric, was float64, fresh facts.Values) bool {
	is, ok := fresh[m.Fact]
	return ok && (m.Better == rule.Lower && is < was || m.Better == rule.Higher && is > was)
}

func noWorse(old, fresh facts.Values) bool {
	for _, m := range metrics() {
		was, had := old[m.Fact]
		is, has := fresh[m.Fact]
		if had != has || had && is != was && !better(m, was, fresh) {
			return false
		}
	}
	return true
}

// copyOf copies a program deep enough to change its variants' facts.
func copyOf(p *baseline.Program) *baseline.Program {
	next := *p
	next.Variants = nil
	for _, v := range p.Variants {
		c := *v
		c.Facts = facts.Values{}
		maps.Copy(c.Facts, v.Facts)
		next.Variants = append(next.Variants, &c)
	}
	return &next
}
