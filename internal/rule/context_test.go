package rule

import (
	"slices"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/result"
)

// compared is a program of variants that were compiled for the signatures; "-" before one: it is in the baseline only.
func compared(name string, signatures ...string) *changes.Program {
	p := &changes.Program{Name: name}
	for _, s := range signatures {
		v := &changes.Variant{Old: &facts.Variant{Signature: s}}
		if s[0] != '-' {
			v.New = &facts.Variant{Signature: s, Facts: facts.Values{"kernels.total": float64(len(s))}}
		}
		p.Variants = append(p.Variants, v)
	}
	return p
}

// onTarget is a context for settings of a rule, over target "gpu" whose dump is in "dump".
func onTarget(s *Settings) *Context {
	return NewContext(s, &Target{Name: "gpu", Dump: "dump"}, nil)
}

// A rule is run once over the target, once over each program and once over each variant that the dump holds.
func TestRunVisits(t *testing.T) {
	var visited []string
	r := &Rule{
		ID:      "r",
		Target:  func(c *Context, t *Target) { visited = append(visited, "target "+t.Name+c.programName()) },
		Program: func(c *Context, p *changes.Program) { visited = append(visited, "program "+c.programName()) },
		Variant: func(c *Context, v *changes.Variant) {
			visited = append(visited, "variant "+c.programName()+" "+v.New.Signature)
		},
	}
	programs := []*changes.Program{compared("f", "(f32[8])", "-(f32[9])"), compared("g", "(f32[4])")}
	onTarget(&Settings{Rule: r}).Run(programs)
	want := []string{"target gpu", "program f", "variant f (f32[8])", "program g", "variant g (f32[4])"}
	if !slices.Equal(visited, want) {
		t.Errorf("%q, wanted %q", visited, want)
	}

	visited = nil
	onTarget(&Settings{Rule: r, Targets: []string{"cpu"}}).Run(programs[:1])
	if slices.Contains(visited, "target gpu") {
		t.Errorf("settings of another target ran over this one: %q", visited)
	}
}

// A finding knows the variant that its own was in the baseline, also where a rule of programs names it.
func TestVariantInTheBaseline(t *testing.T) {
	p := compared("f", "(f32[8])", "(f32[4])")
	p.Variants[1].Old.Signature = "(f32[2])"
	for _, r := range []*Rule{
		{ID: "r", Variant: func(c *Context, v *changes.Variant) { c.Find(result.Finding{}) }},
		{ID: "r", Program: func(c *Context, p *changes.Program) {
			for _, v := range p.Variants {
				c.Find(result.Finding{Variant: v.New.Signature})
			}
		}},
	} {
		c := onTarget(&Settings{Rule: r})
		c.Run([]*changes.Program{p})
		if len(c.Findings) != 2 || c.Findings[0].Was != "" || c.Findings[1].Was != "(f32[2])" || c.Findings[1].Variant != "(f32[4])" {
			t.Errorf("%+v", c.Findings)
		}
	}
}

// Clusters that are compared together are held against the baseline as a sum, and each against the limit of one program.
func TestLimitsOfProgramsThatAreComparedTogether(t *testing.T) {
	of := func(name string, n float64) *facts.Program {
		return &facts.Program{Name: name, Variants: []*facts.Variant{{Facts: facts.Values{"kernels.total": n}}}}
	}
	old, fresh := []*facts.Program{of("a", 4), of("b", 4), of("c", 1)}, []*facts.Program{of("a", 6), of("b", 4)}
	both := &changes.Program{Name: "a + b + c", Old: facts.Joint("", old), New: facts.Joint("", fresh), Parts: fresh}
	both.Variants = []*changes.Variant{{Old: both.Old.Variants[0], New: both.New.Variants[0]}}
	r := &Rule{ID: "kernel-count", Reads: []Input{Optimized}, Budget: FactMetric("kernels.total", "kernels")}
	for says, limits := range map[string]Limits{
		"":                                {Max: new(6.0)},
		"a: 6 kernels: at most 5 allowed": {Max: new(5.0)},
		"a + b + c: 10 kernels: up from 9 in the baseline": {Max: new(6.0), MaxIncrease: &Change{}},
	} {
		c := onTarget(&Settings{Rule: r, Limits: limits})
		c.Run([]*changes.Program{both})
		got := ""
		for _, f := range c.Findings {
			got += f.Program + ": " + f.Message
		}
		if got != says {
			t.Errorf("%q, wanted %q", got, says)
		}
	}
}

// Where the rule is nothing but a limit on a fact, the fact of each variant is judged.
func TestRunJudgesTheFact(t *testing.T) {
	r := &Rule{ID: "kernel-count", Reads: []Input{Optimized}, Budget: FactMetric("kernels.total", "kernels")}
	c := onTarget(&Settings{Rule: r, Limits: Limits{Max: new(4.0)}})
	c.Run([]*changes.Program{compared("f", "(s8[4])", "()")})
	if c.Checks != 2 || len(c.Findings) != 1 {
		t.Fatalf("%d checks, %d findings; wanted 2 and 1", c.Checks, len(c.Findings))
	}
	f := c.Findings[0]
	if f.Rule != "kernel-count" || f.Program != "f" || f.Variant != "(s8[4])" || f.Message != "7 kernels: at most 4 allowed" {
		t.Errorf("%s, program %s, variant %s: %s", f.Rule, f.Program, f.Variant, f.Message)
	}
}

// What was not dumped is a problem where the user's own file names the rule. A pack covers what there is.
func TestGap(t *testing.T) {
	missing := &Rule{ID: "temp-memory", Reads: []Input{BufferAssignment}, Budget: FactMetric("memory.temp", "temporary memory")}
	needs := &Rule{ID: "spills", Reads: []Input{Code}, Needs: "code.spills", Variant: func(*Context, *changes.Variant) { t.Error("ran without its input") }}
	cost := &Rule{ID: "flops", Category: CostFacts, Reads: []Input{Optimized}, Budget: FactMetric("cost.flops", "operations")}
	for name, test := range map[string]struct {
		rule   *Rule
		pack   string
		kernel bool
		says   string
		fix    string
	}{
		"own file":             {missing, "", true, "temp-memory could not check f: the dump holds no buffer assignment", DumpFix},
		"own file, other rule": {needs, "", true, "spills could not check f: the dump holds no LLVM IR or PTX", DumpFix},
		"pack":                 {missing, "recommended", true, "temp-memory (the dump holds no buffer assignment)", ""},
		"custom calls":         {cost, "", true, "flops could not check f: it consists of custom calls only, and XLA does not know what they cost", "bound it by another rule, such as kernel-bodies"},
		"nothing dumped":       {cost, "", false, "flops could not check f: the dump holds no optimized module", DumpFix},
	} {
		c := onTarget(&Settings{Rule: test.rule, Pack: test.pack})
		p := compared("f", "()")
		if test.kernel {
			p.Variants[0].New.Kernels = []facts.Kernel{{Form: &facts.Form{Target: "mine"}, Site: &facts.Site{Times: 1}}}
		}
		c.Run([]*changes.Program{p})
		said, fix := slices.Clone(c.NotCovered), ""
		for _, problem := range c.Problems {
			said, fix = append(said, problem.Message), problem.Fix
			if problem.File != "dump" || problem.Rule != test.rule.ID {
				t.Errorf("%s: a problem of %s in %s", name, problem.Rule, problem.File)
			}
		}
		if !slices.Equal(said, []string{test.says}) || fix != test.fix {
			t.Errorf("%s: %q (%s), wanted %q (%s)", name, said, fix, test.says, test.fix)
		}
	}
	c := onTarget(&Settings{Rule: missing})
	if c.Uncovered(Log, "give one"); c.Problems[0].Message != "temp-memory could not check: the dump holds no compile log" {
		t.Errorf("of a target: %s", c.Problems[0].Message)
	}
}

// A finding that is about several things becomes one for each, with what the whole was judged by.
func TestSplit(t *testing.T) {
	c := onTarget(&Settings{Rule: &Rule{ID: "all-gathers", Budget: &Metric{Noun: "gathers", Better: Lower}, Forbids: true}, Limits: Limits{Max: new(1.0)}})
	c = c.At(compared("f", "()"), nil)
	before := c.Find(result.Finding{Message: "another"})
	f := c.Judge(c.Budget("gathers", 2))
	if f == nil || f.Bound == nil {
		t.Fatalf("2 of at most 1: %+v", f)
	}
	parts := []Finding{{Finding: result.Finding{Message: "one"}}, {Finding: result.Finding{Message: "two", Program: "g"}}}
	Split(c, f, parts, func(one *Finding, part Finding) { *one = part })
	var said []string
	for _, one := range c.Findings {
		said = append(said, one.Program+": "+one.Message)
		if one != before && (one.Bound != f.Bound || one.Rule != "all-gathers") {
			t.Errorf("%s: bound %v of rule %s", one.Message, one.Bound, one.Rule)
		}
	}
	if want := []string{"f: another", "f: one", "g: two"}; !slices.Equal(said, want) {
		t.Errorf("%q, wanted %q", said, want)
	}
}

// Changed settings are those of one context. What it finds goes to the same report.
func TestWith(t *testing.T) {
	c := onTarget(&Settings{Rule: &Rule{ID: "r"}, Level: "error"})
	loose := c.With(func(s *Settings) { s.Max = new(9.0) })
	if c.Max != nil || *loose.Max != 9 || loose.Level != "error" {
		t.Errorf("max %v, and %v with it changed", c.Max, loose.Max)
	}
	loose.Find(result.Finding{Message: "found"})
	if len(c.Findings) != 1 {
		t.Errorf("%d findings, wanted 1", len(c.Findings))
	}
}

// A launch that moved into a loop is still one launch, and runs more often.
func TestJudgeRuns(t *testing.T) {
	for name, test := range map[string]struct {
		limits        Limits
		launches, was float64
		runs, ran     float64
		says          string
	}{
		"as before":             {Limits{}, 3, 3, 3, 3, ""},
		"one more":              {Limits{}, 4, 3, 4, 3, "4 launches: up from 3 in the baseline"},
		"into a loop":           {Limits{}, 3, 3, 10, 3, "10 runs of launches: up from 3 in the baseline"},
		"out of a loop":         {Limits{}, 3, 3, 3, 10, ""},
		"fewer, but in a loop":  {Limits{}, 2, 3, 10, 3, "10 runs of launches: up from 3 in the baseline"},
		"growth allowed":        {Limits{MaxIncrease: &Change{Amount: 7}}, 3, 3, 10, 3, ""},
		"bounded as a number":   {Limits{Max: new(3.0)}, 3, 3, 10, 3, ""},
		"bounded in both terms": {Limits{Max: new(3.0), MaxIncrease: &Change{}}, 3, 3, 10, 3, "10 runs of launches: up from 3 in the baseline"},
	} {
		c := onTarget(&Settings{Rule: &Rule{ID: "r", Budget: &Metric{Noun: "launches", Better: Lower}}, Limits: test.limits})
		runs := func(n float64) *facts.Variant { return &facts.Variant{Facts: facts.Values{"runs": n}} }
		c.Variant = &changes.Variant{Old: runs(test.ran), New: runs(test.runs)}
		a := c.Budget("launches", test.launches)
		a.SetBase(true, test.was)
		f := c.JudgeRuns(a, func(v *facts.Variant) float64 { return v.Facts["runs"] })
		said := ""
		if f != nil {
			said = f.Message
		}
		if said != test.says {
			t.Errorf("%s: %q, wanted %q", name, said, test.says)
		}
	}
}

// What the baseline does not hold, and what differs from compile to compile, is not compared with it, and that is said.
func TestIncomparable(t *testing.T) {
	v := &changes.Variant{
		Old: &facts.Variant{Facts: facts.Values{"kernels.total": 1}},
		New: &facts.Variant{Facts: facts.Values{"kernels.total": 9, "memory.temp": 9}},
	}
	judge := func(fact facts.ID) *Context {
		c := onTarget(&Settings{Rule: &Rule{ID: "r", Reads: []Input{Optimized}}})
		c = c.At(&changes.Program{Name: "f"}, v)
		c.JudgeFact(Metric{Fact: fact, Noun: "things", Better: Lower})
		return c
	}
	if c := judge("kernels.total"); len(c.Findings) != 1 || c.Findings[0].Message != "9 things: up from 1 in the baseline" {
		t.Errorf("findings %+v", c.Findings)
	}
	if c := judge("memory.temp"); len(c.Findings) != 0 || len(c.Problems) != 1 || c.Problems[0].Message != "r could not check f: the baseline does not hold memory.temp" {
		t.Errorf("unrecorded: %+v, %+v", c.Findings, c.Problems)
	}
	v.Old.Unstable = []string{"kernels.total"}
	if c := judge("kernels.total"); len(c.Findings) != 0 || len(c.Notes) != 1 || c.Notes[0].Message != "kernels.total differs from compile to compile: not compared with the baseline" {
		t.Errorf("unstable: %+v, %+v", c.Findings, c.Notes)
	}
}

// A part of the model that nothing compiled is in is told of: no limit on it can ever break.
func TestNoteUnselected(t *testing.T) {
	p := compared("f", "()")
	p.Variants[0].New.Model = []facts.Statement{{OpName: "jit(f)/encoder/dot", Source: hlo.Location{File: "model/encoder.py"}}}
	p.Variants[0].New.Kernels = []facts.Kernel{{
		Form: &facts.Form{Handwritten: facts.Handwritten{Function: "softmax_kernel"}},
		Site: &facts.Site{Times: 1, OpName: "jit(f)/decoder/exp"},
	}}
	for name, test := range map[string]struct {
		options map[string]any
		says    []string
	}{
		"nothing selected":   {nil, nil},
		"by op name":         {map[string]any{"op_name": "*/encoder/*"}, nil},
		"by a kernel's name": {map[string]any{"op_name": "*/decoder/*"}, nil},
		"by a base name":     {map[string]any{"source": "encoder.py"}, nil},
		"by function":        {map[string]any{"function": "softmax*"}, nil},
		"renamed module":     {map[string]any{"op_name": "*/head/*"}, []string{"r (nothing in the model fits op_name: */head/*)"}},
		"moved file":         {map[string]any{"source": "layers/encoder.py"}, []string{"r (nothing in the model fits source: layers/encoder.py)"}},
		"one of two":         {map[string]any{"source": []string{"encoder.py", "head.py"}}, []string{"r (nothing in the model fits source: head.py)"}},
		"function":           {map[string]any{"function": "matmul*"}, []string{"r (nothing in the model fits function: matmul*)"}},
		"an entry of a table": {
			map[string]any{"keep": []Entry{{Values: map[string]any{"op_name": "*/encoder/*"}}, {Values: map[string]any{"op_name": "*/head/*"}}}},
			[]string{"r (nothing in the model fits op_name: */head/*)"},
		},
	} {
		r := &Rule{ID: "r", Options: []Option{{Key: "keep", Type: Table}}, Variant: func(*Context, *changes.Variant) {}}
		c := onTarget(&Settings{Rule: r, Options: test.options})
		if c.Run([]*changes.Program{p}); !slices.Equal(c.NotCovered, test.says) {
			t.Errorf("%s: %q, wanted %q", name, c.NotCovered, test.says)
		}
	}
}
