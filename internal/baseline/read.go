package baseline

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/yamldoc"
)

// How to repair a file of a baseline. A merged one is right for no model before the merged model is accepted.
const (
	fixBroken = "restore it from git, or accept what the model compiles to now: xlagate accept --reason \"why\""
	fixMerged = "dump the merged model and accept it: xlagate accept --reason \"why\""
)

// Parse reads a program's file. The program is priced.
func Parse(name string, data []byte) (*Program, error) {
	p, _, err := parse(name, data)
	if err == nil && p == nil {
		err = broken(name, 1, 1, "the file holds TensorFlow's graphs, not a program")
	}
	return p, err
}

// parse reads the file of a program, or of TensorFlow's graphs.
func parse(name string, data []byte) (*Program, facts.Values, error) {
	if bytes.Contains(data, []byte("\r\n")) { // as git may check it out
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	if line := yamldoc.Conflict(data); line > 0 {
		return nil, nil, merged(name, line, "git left a conflict here: the merged model was not accepted yet")
	}
	r := &reader{seen: map[string]bool{}, here: map[string]bool{}}
	at, one := 0, &record{}
	for text := range bytes.Lines(data) {
		*one = record{}
		err := files.ReadJSON(text, one)
		if err == nil {
			err = r.take(one)
		}
		if err != nil {
			return nil, nil, misread(name, data, at, err)
		}
		at += len(text)
	}
	if !r.ended || !bytes.HasSuffix(data, []byte("\n")) {
		last := 1 + bytes.Count(bytes.TrimRight(data, "\n"), []byte("\n"))
		return nil, nil, broken(name, last, 1, fmt.Sprintf(`the file is cut off: its last line is not {"end":%q}`, endBaseline))
	}
	if r.program.Name == "" {
		return nil, r.graphs, nil
	}
	p := r.program
	p.text, p.Reasons, p.sources = data, r.reasons, r.sources
	(&facts.Report{Toolchain: p.Toolchain, Programs: []*facts.Program{&p.Program}}).PriceAll()
	return p, nil, nil
}

// Error is the reason why a dump or baseline could not be read, and the fix.
type Error struct {
	Where   string
	Message string
	Fix     string
}

// Error returns the message with the place.
func (e *Error) Error() string { return e.Where + ": " + e.Message }

func wrong(where, message, fix string) *Error {
	return &Error{Where: where, Message: message, Fix: fix}
}

// misread returns an error with its place in the line that starts at an offset.
func misread(name string, data []byte, start int, err error) error {
	line, column := files.Position(data, start)
	if wrong := (*files.JSONError)(nil); errors.As(err, &wrong) {
		line, column = files.Position(data, start+wrong.Offset)
	}
	if errors.Is(err, errTwice) {
		return merged(name, line, err.Error())
	}
	return broken(name, line, column, err.Error())
}

// broken returns an error at a position of a file.
func broken(name string, line, column int, message string) *Error {
	return wrong(fmt.Sprintf("%s:%d:%d", name, line, column), message, fixBroken)
}

// merged returns an error about a merge at a line.
func merged(name string, line int, message string) *Error {
	return wrong(fmt.Sprintf("%s:%d:1", name, line), message, fixMerged)
}

// errTwice says that both sides of a merge were kept.
var errTwice = errors.New("stands here a second time, as if both sides of a merge were kept: the merged model was not accepted yet")

// reader collects the records of a file.
type reader struct {
	program  *Program
	graphs   facts.Values // of a file of TensorFlow's graphs
	variant  *facts.Variant
	section  string                // the last that ended
	lines    map[facts.ID]*float64 // of facts, of the variant
	seen     map[string]bool       // what may stand once in the file
	here     map[string]bool       // what may stand once in the variant
	reasons  []string
	sources  []string
	expanded int // the number of kernels, operations and compiles after expansion
	ended    bool
}

// fields returns the number of kinds that a record says it is of.
func (r *record) fields() (n int) {
	v := reflect.ValueOf(r).Elem()
	for i := range v.NumField() - 2 { // the last are At and Reason
		if !v.Field(i).IsZero() {
			n++
		}
	}
	return n
}

// take adds a record to the program.
func (r *reader) take(one *record) error {
	if n := one.fields(); n != 1 {
		return fmt.Errorf("the line says %d things; it says one", n)
	}
	if one.Reason != "" && !slices.Contains(r.reasons, one.Reason) {
		r.reasons = append(r.reasons, one.Reason)
	}
	if at := strings.LastIndexByte(one.At, ':'); at >= 0 && !slices.Contains(r.sources, one.At[:at]) {
		r.sources = append(r.sources, one.At[:at])
	}
	switch {
	case r.ended:
		return errors.New("nothing may follow the last line")
	case one.Baseline != nil:
		return r.start(one.Baseline)
	case r.program == nil:
		return errors.New(`the first line is not {"baseline":…}`)
	case one.End != "":
		return r.end(one.End)
	case one.Scope != nil:
		return nil
	case one.Variant != nil:
		return r.add(one.Variant)
	case one.Toolchain != nil:
		t := &r.program.Toolchain
		t.Framework, t.Backend, t.Device = one.Toolchain.Framework, one.Toolchain.Backend, one.Toolchain.Device
		return once(r.seen, "the toolchain")
	case one.Version != nil:
		return r.pair(&r.program.Toolchain.Versions, "the version of ", one.Version)
	case one.Library != nil:
		return r.pair(&r.program.Toolchain.Libraries, "the version of the library ", one.Library)
	case one.Flag != nil:
		return r.pair(&r.program.Toolchain.Flags, "the flag ", one.Flag)
	case one.Ceiling != nil:
		r.program.Ceilings = append(r.program.Ceilings, *one.Ceiling)
		return once(r.seen, "the ceiling of "+one.Ceiling.Change)
	case r.variant == nil:
		return errors.New(`no {"variant":…} comes before this line`)
	}
	return r.detail(one)
}

// once refuses what stands a second time.
func once(seen map[string]bool, what string) error {
	if seen[what] {
		return fmt.Errorf("%s %w", what, errTwice)
	}
	seen[what] = true
	return nil
}

func (r *reader) pair(into *map[string]string, what string, p *pairRecord) error {
	if *into == nil {
		*into = map[string]string{}
	}
	(*into)[p.Name] = p.Value
	return once(r.seen, what+p.Name)
}

func (r *reader) start(d *headRecord) error {
	switch {
	case r.program != nil:
		return errors.New("a second program begins")
	case d.Schema != Schema:
		return fmt.Errorf("the baseline has the schema %q; this xlagate reads %q", d.Schema, Schema)
	}
	r.program = &Program{Program: facts.Program{Name: d.Program}}
	if d.Program == "" { // one variant holds the facts
		r.section, r.variant, r.lines = endCeilings, &facts.Variant{Facts: facts.Values{}}, map[facts.ID]*float64{}
	}
	return nil
}

func (r *reader) add(d *variantRecord) error {
	if r.program.Name == "" || r.section != endKernels && (r.section != endCeilings || r.variant != nil) {
		return fmt.Errorf("a variant begins where the section %q has not ended", after(r.section))
	}
	if err := r.expand(d.Compiles, 1); err != nil {
		return err
	}
	r.variant = &facts.Variant{
		Signature: d.Signature, WorkVersion: d.Work, Unstable: d.Unstable, Facts: facts.Values{},
		Input:     facts.Input{InputVaries: d.Varies, ModelAfter: d.ModelAfter, Partitioner: d.Partitioner},
		Interface: facts.Interface{Result: d.Result}, Origin: facts.Origin{Reader: d.Reader, Backend: d.Backend, Modules: make([]string, max(1, d.Compiles))},
	}
	r.lines, r.section = map[facts.ID]*float64{}, endCeilings
	r.program.Variants = append(r.program.Variants, r.variant)
	return nil
}

// sections lists the sections in their order; those from the facts on are a variant's.
var sections = []string{endToolchain, endCeilings, endFacts, endArguments, endConstants, endBuffers, endModel, endCounts, endKernels}

// after returns the section that follows one, "" after the last.
func after(section string) string {
	if at := slices.Index(sections, section) + 1; at < len(sections) {
		return sections[at]
	}
	return ""
}

func (r *reader) end(section string) error {
	graphs := r.program.Name == ""
	switch {
	case section == endBaseline && graphs && r.section == endFacts:
		r.graphs, r.ended = r.known(), true
	case section == endBaseline && r.section == endKernels:
		r.ended = true
	case section == endBaseline && r.section == endCeilings:
		return errors.New("the program has no variants")
	case section != after(r.section) || section == endFacts && r.variant == nil:
		return fmt.Errorf("the section %q ends here; the section %q has not ended", section, after(r.section))
	default:
		r.section = section
	}
	if section == endKernels {
		v := r.variant
		v.Facts = r.known()
		other := v.Facts[otherMemory]
		delete(v.Facts, otherMemory)
		for id, n := range implied(v) {
			if _, said := r.lines[id]; !said {
				v.Facts[id] = n
			}
		}
		if v.Facts.Known(facts.MemoryPeak) {
			v.Facts[facts.MemoryPeak] += other
		}
		clear(r.here)
	}
	return nil
}

// known returns the facts that lines of the variant give a number.
func (r *reader) known() facts.Values {
	known := facts.Values{}
	for id, n := range r.lines {
		if n != nil {
			known[id] = *n
		}
	}
	return known
}

// maxExpanded bounds the kernels and compiles of a program: a short file can expand to many, and results of untrusted runs contain baselines.
const maxExpanded = 1_000_000

// expand counts n repetitions, or least if that is more.
func (r *reader) expand(n, least int) error {
	r.expanded += max(min(n, maxExpanded+1), least)
	if r.expanded > maxExpanded {
		return fmt.Errorf("the baseline expands to more than %d kernels and compiles; it was not written by xlagate", maxExpanded)
	}
	return nil
}

// detail adds a record that belongs to a variant.
func (r *reader) detail(one *record) error {
	v := r.variant
	switch {
	case one.Fact != nil:
		for id, n := range one.Fact {
			r.lines[id] = n
			return once(r.here, string(id))
		}
	case one.Argument != nil:
		one.Argument.Parameter.Spec = one.Argument.Spec
		v.Params = append(v.Params, one.Argument.Parameter)
	case one.Result != nil:
		v.Outputs = append(v.Outputs, *one.Result)
	case one.Constant != nil:
		c := one.Constant
		return repeat(r, &v.Constants, facts.Constant{Shape: c.Shape, Bytes: c.Bytes, Value: c.Value, OpName: c.Op, Within: c.Within}, c.Times)
	case one.Buffer != nil:
		b := one.Buffer
		return repeat(r, &v.Buffers, facts.Buffer{Bytes: b.Bytes, Shape: b.Shape, OpName: b.Op}, b.Times)
	case one.Model != nil:
		return r.statement(one.Model)
	case one.Counts != nil:
		if v.Counts == nil {
			v.Counts = facts.Counts{}
		}
		if _, twice := v.Counts[one.Counts.Owner]; twice {
			return fmt.Errorf("the counts of %q %w", one.Counts.Owner, errTwice)
		}
		v.Counts[one.Counts.Owner] = one.Counts.Facts
	case one.Kernel != nil:
		d := one.Kernel
		if d.Form == nil {
			return errors.New("the kernel is empty")
		}
		d.Site.Within = d.Within
		d.Length, d.MaxTrips = max(0, d.Length), max(0, d.MaxTrips)
		d.Site.Times, d.Guess, d.Site.Most = max(1, d.Site.Times), max(0, d.Guess), max(0, d.Site.Most)
		return repeat(r, &v.Kernels, facts.Kernel{Form: d.Form, Site: &d.Site}, d.Launches)
	}
	return nil
}

// repeat appends an item n times.
func repeat[T any](r *reader, list *[]T, item T, times int) error {
	if err := r.expand(times, 1); err != nil {
		return err
	}
	for range max(1, times) {
		*list = append(*list, item)
	}
	return nil
}

func (r *reader) statement(d *modelRecord) error {
	s := facts.Statement{Scope: d.Scope, Type: d.Type, OpName: d.Scope, Within: d.Within}
	var err error
	if d.Print != "" {
		if s.Print, err = strconv.ParseUint(d.Print, 16, 64); err != nil {
			return fmt.Errorf("print is no hexadecimal number: %w", err)
		}
	}
	for _, op := range sortedKeys(d.Do) {
		if err := r.expand(d.Do[op], 0); err != nil {
			return err
		}
		for range d.Do[op] {
			s.Do = append(s.Do, op)
		}
	}
	r.variant.Model = append(r.variant.Model, s)
	return once(r.here, fmt.Sprintf("the model's scope %q %q %s", d.Scope, d.Within, d.Type))
}
