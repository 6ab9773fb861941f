package changes_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
)

// compared is the difference of two compilations of one program.
func compared(t *testing.T, old, fresh *facts.Variant) *changes.Variant {
	t.Helper()
	return only(t, changes.Compare(report(&facts.Program{Name: "f", Variants: []*facts.Variant{old}}), report(&facts.Program{Name: "f", Variants: []*facts.Variant{fresh}})))
}

func report(programs ...*facts.Program) *facts.Report { return &facts.Report{Programs: programs} }

// variant is a compilation with a fingerprint of its own.
func variant(signature, print string) *facts.Variant {
	return &facts.Variant{Signature: signature, Facts: facts.Values{}, Compiled: facts.Compiled{Fingerprint: print}, Input: facts.Input{InputPrint: print}}
}

// kernel is a fusion of these operations, the last of them its root.
func kernel(opName, do, out string) facts.Kernel {
	ops := strings.Fields(do)
	root := ops[len(ops)-1]
	slices.Sort(ops)
	return facts.Kernel{Form: &facts.Form{Kind: "loop", Fusion: true, Do: facts.OpcodesOf(ops...), Root: root, Out: out}, Site: &facts.Site{OpName: opName, Times: 1, InEntry: true}}
}

// ledgers is the difference of two launch ledgers.
func ledgers(t *testing.T, old, fresh []facts.Kernel) changes.Kernels {
	t.Helper()
	a, b := variant("()", "old"), variant("()", "fresh")
	a.Kernels, b.Kernels = old, fresh
	return compared(t, a, b).Kernels
}

// outcome spells programs and variants with what became of them: "f same", "g changed: (x) same, (y) added".
func outcome(r *changes.Report) string {
	var out []string
	for _, p := range r.Programs {
		text := p.Name + " " + p.Change
		if p.Was != "" {
			text += " was " + p.Was
		}
		var variants []string
		for _, v := range p.Variants {
			variants = append(variants, signatures(v)+" "+v.Change)
		}
		if len(variants) > 1 {
			text += ": " + strings.Join(variants, ", ")
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

func signatures(v *changes.Variant) string {
	switch {
	case v.Old == nil:
		return v.New.Signature
	case v.New == nil || v.New.Signature == v.Old.Signature:
		return v.Old.Signature
	}
	return v.Old.Signature + "→" + v.New.Signature
}

func TestNothing(t *testing.T) {
	if d := changes.Compare(report(), report()); !d.Identical || len(d.Programs) != 0 {
		t.Errorf("%+v", d)
	}
}

func TestProgramsComeAndGo(t *testing.T) {
	one := func(name, print string) *facts.Program {
		return &facts.Program{Name: name, Variants: []*facts.Variant{variant("()", print)}}
	}
	for _, c := range []struct {
		old, fresh *facts.Report
		want       string
	}{
		{report(one("f", "1")), report(one("f", "1")), "f same"},
		{report(one("f", "1")), report(one("f", "2")), "f changed"},
		{report(), report(one("f", "1")), "f added"},
		{report(one("f", "1")), report(), "f removed"},
		{report(one("f", "1"), one("g", "2")), report(one("g", "2"), one("f", "1")), "f same; g same"},
		{report(one("f", "1")), report(one("g", "1")), "g same was f"},
		{report(one("f", "1")), report(one("g", "2")), "f removed; g added"},
		{report(one("f", "1"), one("g", "1")), report(one("h", "1")), "g removed; h same was f"},
		{report(one("f", "1")), report(one("g", "1"), one("h", "1")), "g same was f; h added"},
		{report(one("f", "1")), report(one("f", "2"), one("g", "1")), "f changed; g added"},
	} {
		d := changes.Compare(c.old, c.fresh)
		if got := outcome(d); got != c.want {
			t.Errorf("%s, wanted %s", got, c.want)
		}
		if same := !strings.Contains(c.want, "added") && !strings.Contains(c.want, "removed") && !strings.Contains(c.want, "changed"); d.Identical != same {
			t.Errorf("%s: identical is %v", c.want, d.Identical)
		}
	}
}

// Variants are paired by what they are called with, then by what they are, then by the shapes of their arguments.
func TestVariantsAreMatched(t *testing.T) {
	with := func(shape, print string) *facts.Variant {
		v := variant("(x: "+shape+")", print)
		v.Params = []facts.Parameter{{Name: "x", Shape: shape}}
		return v
	}
	named := func(name, shape, print string) *facts.Variant {
		v := with(shape, print)
		v.Signature, v.Params[0].Name = "("+name+": "+shape+")", name
		return v
	}
	for _, c := range []struct {
		name       string
		old, fresh []*facts.Variant
		want       string
	}{
		{"in another order", []*facts.Variant{with("f32[8]", "1"), with("f32[16]", "2")}, []*facts.Variant{with("f32[16]", "2"), with("f32[8]", "1")}, "f same: (x: f32[16]) same, (x: f32[8]) same"},
		{"one more", []*facts.Variant{with("f32[8]", "1")}, []*facts.Variant{with("f32[16]", "2"), with("f32[8]", "1")}, "f changed: (x: f32[16]) added, (x: f32[8]) same"},
		{"one less", []*facts.Variant{with("f32[8]", "1"), with("f32[16]", "2")}, []*facts.Variant{with("f32[16]", "2")}, "f changed: (x: f32[16]) same, (x: f32[8]) removed"},
		{"one changed", []*facts.Variant{with("f32[8]", "1"), with("f32[16]", "2")}, []*facts.Variant{with("f32[16]", "3"), with("f32[8]", "1")}, "f changed: (x: f32[16]) changed, (x: f32[8]) same"},
		{"same signature twice", []*facts.Variant{with("f32[8]", "1"), with("f32[8]", "2")}, []*facts.Variant{with("f32[8]", "2"), with("f32[8]", "1")}, "f same: (x: f32[8]) same, (x: f32[8]) same"},
		{"an argument's name", []*facts.Variant{named("a", "f32[8]", "1"), named("a", "f32[16]", "2")}, []*facts.Variant{named("b", "f32[16]", "2"), named("b", "f32[8]", "1")}, "f same: (a: f32[16])→(b: f32[16]) same, (a: f32[8])→(b: f32[8]) same"},
		{"shapes before order", []*facts.Variant{named("a", "f32[8]", "1"), named("a", "f32[16]", "2")}, []*facts.Variant{named("b", "f32[16]", "3"), named("b", "f32[8]", "4")}, "f changed: (a: f32[16])→(b: f32[16]) changed, (a: f32[8])→(b: f32[8]) changed"},
		{"rank before order", []*facts.Variant{with("f32[8]", "1"), with("f32[8,8]", "2")}, []*facts.Variant{with("f32[9,9]", "3"), with("f32[9]", "4")}, "f changed: (x: f32[8,8])→(x: f32[9,9]) changed, (x: f32[8])→(x: f32[9]) changed"},
		{"a scalar is of no rank", []*facts.Variant{with("f32[8]", "1"), with("f32[]", "2")}, []*facts.Variant{named("y", "f32[]", "3"), with("f32[9]", "4")}, "f changed: (x: f32[])→(y: f32[]) changed, (x: f32[8])→(x: f32[9]) changed"},
	} {
		d := changes.Compare(report(&facts.Program{Name: "f", Variants: c.old}), report(&facts.Program{Name: "f", Variants: c.fresh}))
		if got := outcome(d); got != c.want {
			t.Errorf("%s: %s, wanted %s", c.name, got, c.want)
		}
	}
}

// The flags of both sides are compared; what is unset stands as "".
func TestFlagsThatDiffer(t *testing.T) {
	old, fresh := report(), report()
	old.Toolchain.Flags = map[string]string{"xla_a": "1", "xla_b": "2", "xla_c": "3"}
	fresh.Toolchain.Flags = map[string]string{"xla_c": "3", "xla_b": "4", "xla_d": "5"}
	want := []changes.FlagChange{{Name: "xla_a", Old: "1"}, {Name: "xla_b", Old: "2", New: "4"}, {Name: "xla_d", New: "5"}}
	if got := changes.Compare(old, fresh).Flags; !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// Where the model asks for the same, what compiled it is to blame: another version before flags, and beside it only flags that are set on
// both sides.
func TestCompilerIsNamed(t *testing.T) {
	sum := func(opcode string) *facts.Program {
		kernel := facts.Kernel{Form: &facts.Form{Kind: opcode, Do: facts.OpcodesOf(opcode), Root: opcode, Out: "f32[8]"}, Site: &facts.Site{Times: 1}}
		return &facts.Program{Name: "f", Variants: []*facts.Variant{{Signature: "()", Compiled: facts.Compiled{Fingerprint: opcode, Kernels: []facts.Kernel{kernel}}, Input: facts.Input{InputPrint: "1"}}}}
	}
	old, fresh := report(sum("add")), report(sum("multiply"))
	old.Toolchain.Flags = map[string]string{"xla_a": "1", "xla_b": "2", facts.DigestFlag: "x"}
	fresh.Toolchain.Flags = map[string]string{"xla_b": "4", facts.DigestFlag: "y"}
	old.Toolchain.Every, fresh.Toolchain.Every = map[string]string{"xla_e": "1"}, map[string]string{"xla_e": "2"}
	old.Toolchain.Versions, fresh.Toolchain.Versions = map[string]string{"jax": "1", "libtpu": "2"}, map[string]string{"jax": "1", "libtpu": "3", "more": "4"}
	const before = "the model is the same; the compiler made another program of it: "
	if got := changes.Compare(old, fresh).Programs[0].Variants[0].Causes[0].Title; got != before+"libtpu is 3, was 2, xla_b is 4, was 2" {
		t.Error(got)
	}
	unlike := report(sum("multiply"))
	unlike.Toolchain, unlike.Programs[0].Variants[0].InputPrint = fresh.Toolchain, "2"
	if got := changes.Compare(old, unlike).Programs[0].Variants[0].Causes[0].Title; !strings.HasSuffix(got, "; the toolchain also changed: libtpu is 3, was 2, xla_b is 4, was 2") {
		t.Errorf("what the model asks for is not known to be the same: %s", got)
	}
	fresh.Toolchain.Versions = old.Toolchain.Versions
	if got := changes.Compare(old, fresh).Programs[0].Variants[0].Causes[0].Title; got != before+"xla_a is unset, was 1, xla_b is 4, was 2, xla_e is 2, was 1" {
		t.Error(got)
	}
}
