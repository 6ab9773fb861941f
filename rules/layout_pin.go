package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var layoutPin = rule.Rule{
	ID:    "layout-pin",
	Title: "arguments and operations keep their layouts",
	Why: "The order of dimensions in memory decides whether neighbouring threads read neighbouring bytes. Without pins, arguments must keep the " +
		"layouts that they have in the baseline.",
	Options: []rule.Option{
		{Key: "params", Type: rule.Table, Doc: "layouts of arguments", Fields: []rule.Option{
			{Key: "param", Type: rule.Glob, Require: true, Doc: "a glob over the arguments' names"},
			{Key: "layout", Type: rule.Text, Require: true, Doc: "the dimensions from minor to major, as HLO prints them: \"1,0\"; or default"},
		}},
		{Key: "ops", Type: rule.Table, Doc: "layouts of results", Fields: []rule.Option{
			{Key: "layout", Type: rule.Text, Require: true, Doc: "the dimensions from minor to major, as HLO prints them: \"1,0\"; or default"},
			{Key: "op", Type: rule.Words, Enum: rule.OpcodeWords, Doc: "only results of these operations"},
			{Key: "op_name", Type: rule.Glob, Doc: "only in this part of the model"},
			{Key: "source", Type: rule.Glob, Doc: "only from these source files"},
			{Key: "out", Type: rule.ShapeOf, Doc: "only results of this shape, * for any size: f32[*,512]"},
		}},
	},
	Budget:  &rule.Metric{Noun: "changed layouts", Better: rule.Lower, Difference: true},
	Bounds:  []string{"params", "ops"},
	Fails:   rule.Example{On: "cpu-param_layout/after", Config: "- { rule: layout-pin }", Says: "1 layout is not that of the baseline: x f32[64,256]{0,1}, was {1,0}"},
	Passes:  rule.Example{On: "cpu-param_layout/after", Config: "- { rule: layout-pin, params: [{ param: x, layout: \"0,1\" }], ops: [{ op: tanh, layout: default }] }"},
	Fix:     "Look at what reads and writes the value: an einsum in another order, or a custom call with fixed layouts.",
	Threads: []string{"openxla/xla#47203", "AI-Hypercomputer/torchprime#119"},
	Check:   checkLayouts,
	Variant: func(c *rule.Context, v *changes.Variant) {
		wrong := wrongLayouts(c, v)
		a := c.Budget("layouts", float64(len(wrong)))
		if v.Old != nil {
			a.SetBase(c.Entries("ops") == nil, float64(len(wrongParams(c, v.Old))))
		}
		agreed := "that of the baseline"
		if c.BoundedByOwn() {
			agreed = "as pinned"
		}
		if f := c.Judge(a); f != nil {
			f.Message = phrase.Are(len(wrong), "layout") + " not " + agreed + ": " + wrong[0].said
			f.Cause = wrong[0].cause
			if len(wrong) > 1 {
				f.Message += fmt.Sprintf(" and %d more", len(wrong)-1)
			}
			for _, w := range wrong {
				f.Evidence.After = changes.AddLine(f.Evidence.After, w.said)
			}
		}
	},
}

// checkLayouts finds layouts that are none.
func checkLayouts(s *rule.Settings) (wrong []rule.Refusal) {
	for _, key := range []string{"params", "ops"} {
		for i, e := range s.Entries(key) {
			if layout := e.Text("layout"); layout != "" && layout != "default" && !isLayout(layout) {
				err := fmt.Errorf("layout %q of %s is not a layout; expected every dimension once, from minor to major, such as 1,0", layout, key)
				wrong = append(wrong, rule.Refusal{Path: []string{key, strconv.Itoa(i), "layout"}, Err: err})
			}
		}
	}
	return wrong
}

func isLayout(text string) bool {
	order, _, _ := strings.Cut(strings.Trim(text, "{}"), ":")
	seen, dims := map[int]bool{}, strings.Split(order, ",")
	for _, dim := range dims {
		n, err := strconv.Atoi(strings.TrimSpace(dim))
		if err != nil || n < 0 || n >= len(dims) || seen[n] {
			return false
		}
		seen[n] = true
	}
	return true
}

// wrongLayout is one value that is not in memory as it should.
type wrongLayout struct {
	said  string
	cause *changes.Cause
}

func wrongLayouts(c *rule.Context, v *changes.Variant) (wrong []wrongLayout) {
	if c.Entries("params") == nil && c.Entries("ops") == nil {
		for _, ch := range v.Params {
			if ch.Old != nil && ch.New != nil && ch.Old.Layout != ch.New.Layout && ch.Old.Shape == ch.New.Shape {
				said := fmt.Sprintf("%s %s{%s}, was {%s}", ch.Name, ch.New.Shape, printedLayout(ch.New.Layout, ch.New.Shape), printedLayout(ch.Old.Layout, ch.Old.Shape))
				wrong = append(wrong, wrongLayout{said, &changes.Cause{Title: said, Source: v.New.FirstSource()}})
			}
		}
		return wrong
	}
	wrong = wrongParams(c, v.New)
	for _, pin := range c.Entries("ops") {
		found, bad := wrongOps(v.New, pin)
		if found == 0 {
			c.Gap(fmt.Sprintf("no operation fits the pin of line %d", pin.Line),
				"`xlagate inspect DUMP --all` lists the operations; fix op, op_name, source or out, or remove the pin")
		}
		wrong = append(wrong, bad...)
	}
	return wrong
}

func wrongParams(c *rule.Context, v *facts.Variant) (wrong []wrongLayout) {
	for _, pin := range c.Entries("params") {
		for i := range v.Params {
			p := &v.Params[i]
			if phrase.Glob(pin.Text("param"), p.Name) && !liesAs(pin.Text("layout"), p.Layout, p.Shape) {
				said := fmt.Sprintf("%s %s{%s}, not %s", p.Name, p.Shape, printedLayout(p.Layout, p.Shape), braced(pin.Text("layout")))
				wrong = append(wrong, wrongLayout{said, &changes.Cause{Title: said}})
			}
		}
	}
	return wrong
}

// wrongOps counts the operations that a pin selects, and lists those with another layout.
func wrongOps(v *facts.Variant, pin rule.Entry) (found int, wrong []wrongLayout) {
	for i := range v.Kernels {
		k := &v.Kernels[i]
		for _, op := range rule.Operations(k) {
			if !pinned(pin, *op.Op) {
				continue
			}
			found++
			if !liesAs(pin.Text("layout"), op.Layout, op.Shape) {
				said := fmt.Sprintf("%s %s{%s}, not %s", op.Opcode, op.Shape, printedLayout(op.Layout, op.Shape), braced(pin.Text("layout")))
				wrong = append(wrong, wrongLayout{said, &changes.Cause{Title: said, OpName: op.OpName, Source: op.Source}})
			}
		}
	}
	return found, wrong
}

func pinned(pin rule.Entry, op facts.Op) bool {
	if ops := pin.List("op"); ops != nil && !slices.Contains(ops, op.Opcode) || strings.HasPrefix(op.Shape, "(") {
		return false
	}
	if text := pin.Text("out"); text != "" {
		if shape, err := rule.ParseShape(text); err != nil || !shape.Fits(op.Shape) {
			return false
		}
	}
	return (pin.Text("op_name") == "" || phrase.Glob(pin.Text("op_name"), op.OpName)) && (pin.Text("source") == "" || rule.FitsPath(pin.Text("source"), op.Source.File))
}

// liesAs compares layouts. Tiles and memory spaces count only where the pin names them.
func liesAs(want, layout, shape string) bool {
	have := printedLayout(layout, shape)
	want = strings.ReplaceAll(strings.Trim(want, "{}"), " ", "")
	if want == "default" {
		want = printedLayout("", shape)
	}
	if !strings.Contains(want, ":") {
		have, _, _ = strings.Cut(have, ":")
	}
	return want == have
}

// braced writes a pinned layout as HLO prints it.
func braced(layout string) string {
	if layout == "default" {
		return "the default"
	}
	return "{" + strings.Trim(layout, "{}") + "}"
}

// printedLayout is a layout as HLO prints it, the default one too.
func printedLayout(layout, shape string) string {
	if layout != "" {
		return layout
	}
	var order []string
	for i := len(hlo.ShapeText(shape).Dims()) - 1; i >= 0; i-- {
		order = append(order, strconv.Itoa(i))
	}
	return strings.Join(order, ",")
}
