package baseline

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/yamldoc"
)

// machineReader collects the records of a machine file.
type machineReader struct {
	program  *Program
	variant  *facts.Variant
	records  int
	expanded int // the number of kernels, operations and compiles after expansion
	ended    bool
}

// knownKernels holds the kernels of files that are read one after the other, by their lines: the programs of a run have many in common. They are
// read, held and cached once.
type knownKernels map[string]*kernelRecord

// readMachine reads a machine file. The program is priced.
func readMachine(name string, data []byte, known knownKernels) (*Program, error) {
	r, at := &machineReader{}, 0
	for line := range bytes.Lines(data) {
		kernel, err := known[string(line)], error(nil)
		one := &record{Kernel: kernel}
		if kernel == nil {
			err = files.ReadJSON(line, one)
		}
		if err == nil {
			err = r.take(one)
		}
		if err != nil {
			return nil, misread(name, data, at, err)
		}
		if at += len(line); kernel != one.Kernel {
			known[string(line)] = one.Kernel
		}
	}
	if !r.ended {
		return nil, broken(name, lastLine(data), 1, "the file is cut off: its last record, \"end\", is missing")
	}
	p := r.program
	(&facts.Report{Toolchain: p.Toolchain, Programs: []*facts.Program{&p.Program}}).PriceAll()
	return p, nil
}

// misread returns an error with its place in the line that starts at an offset.
func misread(name string, data []byte, start int, err error) error {
	if line := yamldoc.Conflict(data); line > 0 {
		return broken(name, line, 1, "a merge conflict of git begins here")
	}
	line, column := files.Position(data, start)
	var wrong *files.JSONError
	if errors.As(err, &wrong) {
		line, column = files.Position(data, start+wrong.Offset)
	}
	return broken(name, line, column, err.Error())
}

// fields returns the number of set fields of a record.
func (r *record) fields() (n int) {
	v := reflect.ValueOf(r).Elem()
	for i := range v.NumField() {
		if !v.Field(i).IsNil() {
			n++
		}
	}
	return n
}

// take adds a record to the program.
func (r *machineReader) take(one *record) error {
	r.records++
	if r.ended {
		return errors.New("nothing may follow the record \"end\"")
	}
	if n := one.fields(); n != 1 {
		return fmt.Errorf("the record has %d keys; it has one, which says what it is", n)
	}
	if one.Program != nil {
		return r.start(one.Program)
	}
	if r.program == nil {
		return errors.New("the first record is not \"program\"")
	}
	if one.Variant != nil {
		return r.add(one.Variant)
	}
	if one.End != nil {
		return r.end(one.End)
	}
	if r.variant == nil {
		return errors.New("no \"variant\" comes before this record")
	}
	return r.detail(one)
}

func (r *machineReader) start(d *programRecord) error {
	switch {
	case r.program != nil:
		return errors.New("a second program begins")
	case d.Schema != Schema:
		return fmt.Errorf("the baseline has the schema %q; this xlagate reads %q", d.Schema, Schema)
	case d.Name == "":
		return errors.New("the program has no name")
	}
	r.program = &Program{Program: facts.Program{Name: d.Name}, Toolchain: d.Toolchain}
	return nil
}

func (r *machineReader) add(d *variantRecord) error {
	if err := r.expand(d.Compiles, 1); err != nil {
		return err
	}
	r.variant = &facts.Variant{Signature: d.Signature, WorkVersion: d.Work, Unstable: d.Unstable, Facts: facts.Values{}, Compiled: facts.Compiled{Fingerprint: d.Fingerprint}, Input: facts.Input{InputPrint: d.Input, ModelAfter: d.ModelAfter}, Interface: facts.Interface{Result: d.Result}, Origin: facts.Origin{Backend: d.Backend, Modules: make([]string, max(1, d.Compiles))}}
	r.program.Variants = append(r.program.Variants, r.variant)
	return nil
}

func (r *machineReader) end(d *endRecord) error {
	if d.Records != r.records-1 {
		return fmt.Errorf("%d records come before this one, which says %d", r.records-1, d.Records)
	}
	if r.variant == nil {
		return errors.New("the program has no variants")
	}
	r.ended = true
	return nil
}

// maxExpanded bounds the kernels and compiles of a program: a short file can expand to many, and results of untrusted runs contain baselines.
const maxExpanded = 1_000_000

// expand counts n repetitions, or least if that is more.
func (r *machineReader) expand(n, least int) error {
	r.expanded += max(min(n, maxExpanded+1), least)
	if r.expanded > maxExpanded {
		return fmt.Errorf("the baseline expands to more than %d kernels and compiles; it was not written by xlagate", maxExpanded)
	}
	return nil
}

// detail adds a record that belongs to a variant.
func (r *machineReader) detail(one *record) error {
	v := r.variant
	switch {
	case one.Facts != nil:
		v.Facts = one.Facts
	case one.Param != nil:
		one.Param.Parameter.Spec = one.Param.Spec
		v.Params = append(v.Params, one.Param.Parameter)
	case one.Output != nil:
		v.Outputs = append(v.Outputs, *one.Output)
	case one.Constant != nil:
		return repeat(r, &v.Constants, one.Constant.Constant, one.Constant.Times)
	case one.Buffer != nil:
		return repeat(r, &v.Buffers, one.Buffer.Buffer, one.Buffer.Times)
	case one.Statement != nil:
		return r.statement(one.Statement)
	case one.Kernel != nil:
		return r.kernel(one.Kernel)
	}
	return nil
}

// repeat appends an item n times.
func repeat[T any](r *machineReader, list *[]T, item T, times int) error {
	if err := r.expand(times, 1); err != nil {
		return err
	}
	for range max(1, times) {
		*list = append(*list, item)
	}
	return nil
}

func (r *machineReader) statement(d *statementRecord) error {
	s := facts.Statement{Scope: d.Scope, Type: d.Type, OpName: d.Scope}
	for _, op := range sortedKeys(d.Do) {
		if err := r.expand(d.Do[op], 0); err != nil {
			return err
		}
		for range d.Do[op] {
			s.Do = append(s.Do, op)
		}
	}
	r.variant.Model = append(r.variant.Model, s)
	return nil
}

func (r *machineReader) kernel(d *kernelRecord) error {
	if d.Form == nil {
		return errors.New("the kernel is empty")
	}
	d.Length, d.MaxTrips = max(0, d.Length), max(0, d.MaxTrips)
	for i := range d.At {
		site := &d.At[i].Site
		site.Times, site.Guess = max(1, site.Times), max(0, site.Guess)
		if err := repeat(r, &r.variant.Kernels, facts.Kernel{Form: d.Form, Site: site}, d.At[i].Launches); err != nil {
			return err
		}
	}
	return nil
}
