package baseline

import (
	"fmt"
	"math"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/price"
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
		Backend     string        `yaml:"backend"`
		Work        int           `yaml:"work"`
		Unstable    []string      `yaml:"unstable"`
		Params      []paramDoc    `yaml:"params"`
		Outputs     []outputDoc   `yaml:"outputs"`
		Facts       facts.Values  `yaml:"facts"`
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
		In, Config                                                          []string
		Bytes, Flops, Trips, Guess, Length, Most                            int64
		Branch                                                              string
		InLoop                                                              bool `yaml:"in_loop"`
		Inner, Fusion, Stops, Counts                                        bool
		Function                                                            string
		Body                                                                map[string]int
		Print, Family                                                       string
		Work                                                                map[string]float64
		Times                                                               int
	}
)

// Parse reads one baseline file.
func Parse(name string, data []byte) (*Program, error) {
	doc, canonical := read(data)
	if !canonical {
		doc = &fileDoc{}
		if err := decode(name, data, doc); err != nil {
			return nil, err
		}
	}
	if doc.Schema != Schema {
		return nil, fmt.Errorf("%s: the baseline has the schema %q; this xlagate reads %q", name, doc.Schema, Schema)
	}
	if doc.Program == "" || len(doc.Variants) == 0 {
		return nil, fmt.Errorf("%s: the baseline names no program or no variants", name)
	}
	if n := doc.expanded(); n > maxExpanded {
		return nil, fmt.Errorf("%s: the baseline repeats itself to more than %d kernels and compiles; it was not written by xlagate", name, maxExpanded)
	}
	p := &Program{Toolchain: doc.Toolchain, Reason: doc.Reason}
	p.Name = doc.Program
	for i := range doc.Variants {
		v := &doc.Variants[i]
		if err := finite(v.Facts); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		p.Variants = append(p.Variants, v.variant())
	}
	(&facts.Report{Toolchain: p.Toolchain, Programs: []*facts.Program{&p.Program}}).PriceAll()
	return p, nil
}

// decode reads what people or another xlagate wrote, and says where it is wrong.
func decode(name string, data []byte, into any) error {
	root, err := yamldoc.Parse(data)
	if err == nil && root == nil {
		return fmt.Errorf("%s: the baseline is empty", name)
	}
	if err == nil {
		err = yamldoc.Decode(root, into)
	}
	if err != nil {
		return fmt.Errorf("%s: the baseline is not readable: %w", name, err)
	}
	return nil
}

// finite refuses facts that are no numbers: nothing that is compared with one would be worse.
func finite(n facts.Values) error {
	for _, fact := range sortedKeys(n) {
		if v := n[fact]; math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("the baseline's %s is %v", fact, v)
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
		for i := range v.Kernels {
			n += v.Kernels[i].repeats()
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
		Signature: d.Signature, Result: d.Result, Fingerprint: d.Fingerprint, InputPrint: d.Input, Backend: d.Backend, WorkVersion: d.Work, Facts: d.Facts, Unstable: d.Unstable,
		Modules: make([]string, max(1, d.Compiles)),
	}
	if v.Facts == nil {
		v.Facts = facts.Values{}
	}
	v.Params = converted(d.Params, (*paramDoc).parameter)
	v.Outputs = converted(d.Outputs, (*outputDoc).output)
	v.Constants = converted(d.Constants, (*constantDoc).constant)
	v.Buffers = converted(d.Buffers, (*bufferDoc).buffer)
	v.ModelAfter = d.ModelAfter
	v.Model = converted(d.Model, (*modelDoc).statement)
	v.Kernels = launches(d.Kernels)
	return v
}

func converted[D, T any](docs []D, convert func(*D) T) []T {
	if len(docs) == 0 {
		return nil
	}
	all := make([]T, len(docs))
	for i := range docs {
		all[i] = convert(&docs[i])
	}
	return all
}

// launches are the kernels with their repetitions.
func launches(docs []kernelDoc) (kernels []facts.Kernel) {
	n := 0
	for i := range docs {
		n += docs[i].repeats()
	}
	kernels = slices.Grow(kernels, n)
	for i := range docs {
		kernel := docs[i].kernel()
		for range docs[i].repeats() {
			kernels = append(kernels, kernel)
		}
	}
	return kernels
}

func (d *paramDoc) parameter() facts.Parameter {
	return facts.Parameter{
		Name: d.Name, Shape: d.Shape, Layout: d.Layout, Sharding: d.Sharding, Spec: d.Spec, Bytes: d.Bytes, Aliased: d.Aliased, Donated: d.Donated,
		Unused: d.Unused, Constant: d.Constant,
	}
}

func (d *outputDoc) output() facts.Output {
	return facts.Output{Shape: d.Shape, Split: d.Split, Sharding: d.Sharding, Spec: d.Spec, Bytes: d.Bytes}
}

func (d *constantDoc) constant() facts.Constant {
	return facts.Constant{Shape: d.Shape, Bytes: d.Bytes, Value: d.Value, OpName: d.Op}
}

func (d *bufferDoc) buffer() facts.Buffer {
	return facts.Buffer{Bytes: d.Bytes, Shape: d.Shape, OpName: d.Op}
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

func (d *kernelDoc) repeats() int { return min(max(1, d.Times), maxRepeats) }

func (d *kernelDoc) kernel() facts.Kernel {
	form := &facts.Form{
		Kind: d.Kind, Do: facts.OpcodesOf(d.Do...), Root: d.Root, Out: d.Out, In: facts.ShapesOf(d.In...), Target: d.Target, Attrs: d.Attrs, Bytes: d.Bytes, Flops: d.Flops,
		Fusion: d.Fusion, Class: classByName(d.Class), Groups: d.Groups, Axes: d.Axes, Length: max(0, d.Length), Most: max(0, d.Most), Stops: d.Stops, Counts: d.Counts, Print: d.Print, Family: d.Family,
		Function: d.Function, Written: d.Body, Config: d.Config, Work: price.WorkOf(d.Work),
	}
	site := &facts.Site{OpName: d.Op, OpType: d.Type, Times: max(1, d.Trips), Guess: max(0, d.Guess), Branch: d.Branch, Loop: d.Loop, InLoop: d.InLoop, InEntry: !d.Inner}
	return facts.Kernel{Form: form, Site: site}
}

func classByName(name string) facts.Class {
	for class, n := range classNames {
		if n == name {
			return class
		}
	}
	return facts.ClassKernel
}

func parseGraphs(name string, data []byte) (facts.Values, error) {
	var doc struct {
		Schema string       `yaml:"schema"`
		Facts  facts.Values `yaml:"facts"`
	}
	if err := decode(name, data, &doc); err != nil {
		return nil, err
	}
	if doc.Schema != Schema {
		return nil, fmt.Errorf("%s: the baseline has the schema %q; this xlagate reads %q", name, doc.Schema, Schema)
	}
	if err := finite(doc.Facts); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return doc.Facts, nil
}
