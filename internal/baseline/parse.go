package baseline

import (
	"fmt"
	"math"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/yamldoc"
)

// The file as YAML reads it.
type (
	fileDoc struct {
		Schema    string          `yaml:"schema"`
		Program   string          `yaml:"program"`
		Toolchain facts.Toolchain `yaml:"toolchain"`
		Reason    string          `yaml:"reason"`
		Variants  []variantDoc    `yaml:"variants"`
	}
	variantDoc struct {
		Signature   string        `yaml:"signature"`
		Result      string        `yaml:"result"`
		Fingerprint string        `yaml:"fingerprint"`
		Input       string        `yaml:"input"`
		Compiles    int           `yaml:"compiles"`
		Unstable    []string      `yaml:"unstable"`
		Params      []paramDoc    `yaml:"params"`
		Outputs     []outputDoc   `yaml:"outputs"`
		Facts       facts.Numbers `yaml:"facts"`
		Constants   []constantDoc `yaml:"constants"`
		Buffers     []bufferDoc   `yaml:"buffers"`
		ModelAfter  bool          `yaml:"model_after"`
		Model       []modelDoc    `yaml:"model"`
		Kernels     []kernelDoc   `yaml:"kernels"`
	}
	paramDoc struct {
		Name, Shape, Layout, Sharding, Spec, Constant string
		Bytes                                         int64
		Aliased, Donated, Unused                      bool
	}
	outputDoc struct {
		Shape, Split, Sharding, Spec string
		Bytes                        int64
	}
	constantDoc struct {
		Shape, Value, Op string
		Bytes            int64
	}
	bufferDoc struct {
		Bytes     int64
		Shape, Op string
	}
	modelDoc struct {
		Scope, Type string
		Do          map[string]int
	}
	kernelDoc struct {
		Do                                                                  []string
		Kind, Out, Op, Type, Root, Target, Groups, Axes, Attrs, Class, Loop string
		In                                                                  []string
		Bytes, Flops, Trips                                                 int64
		InLoop                                                              bool `yaml:"in_loop"`
		Inner, Fusion                                                       bool
		Function                                                            string
		Body                                                                map[string]int
		Print, Family                                                       string
		Times                                                               int
	}
)

// Parse reads one baseline file.
func Parse(name string, data []byte) (*Program, error) {
	root, err := yamldoc.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: the baseline is not readable: %w", name, err)
	}
	if root == nil {
		return nil, fmt.Errorf("%s: the baseline is empty; restore it from git, or run xlagate accept", name)
	}
	var doc fileDoc
	if err := yamldoc.Decode(root, &doc); err != nil {
		return nil, fmt.Errorf("%s: the baseline is not readable: %w", name, err)
	}
	if doc.Schema != Schema {
		return nil, fmt.Errorf("%s: the baseline has the schema %q; this xlagate reads %q", name, doc.Schema, Schema)
	}
	if doc.Program == "" || len(doc.Variants) == 0 {
		return nil, fmt.Errorf("%s: the baseline names no program or no variants; restore it from git, or run xlagate accept", name)
	}
	if n := doc.expanded(); n > maxExpanded {
		return nil, fmt.Errorf("%s: the baseline repeats itself to more than %d kernels and compiles; it was not written by xlagate", name, maxExpanded)
	}
	p := &Program{Toolchain: doc.Toolchain, Reason: doc.Reason}
	p.Name = doc.Program
	for _, v := range doc.Variants {
		if err := finite(v.Facts); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		p.Variants = append(p.Variants, v.variant())
	}
	return p, nil
}

// finite refuses facts that are no numbers: nothing that is compared with one would be worse.
func finite(n facts.Numbers) error {
	for _, fact := range sortedKeys(n) {
		if v := n[fact]; math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("the baseline's %s is %v; restore it from git, or run xlagate accept", fact, v)
		}
	}
	return nil
}

// maxExpanded bounds what a short file can stand for: a result that nobody reviewed carries baselines as well.
const maxExpanded = 1_000_000

// expanded is how many kernels, operations and compiles a file stands for.
func (d *fileDoc) expanded() int {
	n := 0
	for i := range d.Variants {
		v := &d.Variants[i]
		n += min(max(0, v.Compiles), maxExpanded+1)
		for _, k := range v.Kernels {
			n += min(max(1, k.Times), maxRepeats)
		}
		for _, s := range v.Model {
			for _, times := range s.Do {
				n += min(max(0, times), maxRepeats)
			}
		}
		if n > maxExpanded {
			break
		}
	}
	return n
}

func (d *variantDoc) variant() *facts.Variant {
	v := &facts.Variant{
		Signature: d.Signature, Result: d.Result, Fingerprint: d.Fingerprint, InputPrint: d.Input, Facts: d.Facts, Unstable: d.Unstable,
		Modules: make([]string, max(1, d.Compiles)),
	}
	if v.Facts == nil {
		v.Facts = facts.Numbers{}
	}
	for _, p := range d.Params {
		v.Params = append(v.Params, facts.Parameter{
			Name: p.Name, Shape: p.Shape, Layout: p.Layout, Sharding: p.Sharding, Spec: p.Spec, Bytes: p.Bytes, Aliased: p.Aliased, Donated: p.Donated,
			Unused: p.Unused, Constant: p.Constant,
		})
	}
	for _, o := range d.Outputs {
		v.Outputs = append(v.Outputs, facts.Output{Shape: o.Shape, Split: o.Split, Sharding: o.Sharding, Spec: o.Spec, Bytes: o.Bytes})
	}
	for _, c := range d.Constants {
		v.Constants = append(v.Constants, facts.Constant{Shape: c.Shape, Bytes: c.Bytes, Value: c.Value, OpName: c.Op})
	}
	for _, b := range d.Buffers {
		v.Buffers = append(v.Buffers, facts.Buffer{Bytes: b.Bytes, Shape: b.Shape, OpName: b.Op})
	}
	v.ModelAfter = d.ModelAfter
	for _, s := range d.Model {
		v.Model = append(v.Model, s.statement())
	}
	for _, k := range d.Kernels {
		kernel := k.kernel()
		for range min(max(1, k.Times), maxRepeats) {
			v.Kernels = append(v.Kernels, kernel)
		}
	}
	return v
}

func (d *modelDoc) statement() facts.Statement {
	s := facts.Statement{Scope: d.Scope, Type: d.Type, OpName: d.Scope}
	for _, op := range sortedKeys(d.Do) {
		for range min(d.Do[op], maxRepeats) {
			s.Do = append(s.Do, op)
		}
	}
	return s
}

// maxRepeats bounds how often a line of the baseline may say that something stands there.
const maxRepeats = 1 << 20

func (d *kernelDoc) kernel() facts.Kernel {
	form := &facts.Form{
		Kind: d.Kind, Do: d.Do, Root: d.Root, Out: d.Out, In: d.In, Target: d.Target, Attrs: d.Attrs, Bytes: d.Bytes, Flops: d.Flops,
		Fusion: d.Fusion, Class: classByName(d.Class), Groups: d.Groups, Print: d.Print, Family: d.Family,
		Function: d.Function, Written: d.Body,
	}
	return facts.Kernel{
		Form: form, OpName: d.Op, OpType: d.Type, Times: max(1, d.Trips), Loop: d.Loop, InLoop: d.InLoop, InEntry: !d.Inner, Axes: d.Axes,
	}
}

func classByName(name string) facts.Class {
	for class, n := range classNames {
		if n == name {
			return class
		}
	}
	return facts.ClassKernel
}

func parseGraphs(name string, data []byte) (facts.Numbers, error) {
	var doc struct {
		Schema string        `yaml:"schema"`
		Facts  facts.Numbers `yaml:"facts"`
	}
	root, err := yamldoc.Parse(data)
	if err == nil && root != nil {
		err = yamldoc.Decode(root, &doc)
	}
	if err != nil || doc.Schema != Schema {
		return nil, fmt.Errorf("%s: the baseline of the graphs is not readable (schema %q): %w", name, doc.Schema, err)
	}
	if err := finite(doc.Facts); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return doc.Facts, nil
}
