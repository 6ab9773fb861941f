package baseline

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/xlagate/xlagate/internal/yamldoc"
)

// Text is a program's stored baseline: a file to be read in a pull request, and a file with all data for a check.
type Text struct{ Readable, Machine []byte }

// Format writes a program's baseline. Two runs of the same source give the same text.
func Format(target string, p *Program) Text {
	shown := *p
	if shown.Predicted == nil {
		shown.Predicted = predict(p)
	}
	t := Text{Machine: machine(p)}
	page := pageOf(&shown, machineLine{MachineName(p.Name), len(t.Machine), digest(t.Machine)})
	root := document(page)
	root.HeadComment = fmt.Sprintf("# %s/%s: written by xlagate accept; %s has every kernel", target, FileName(p.Name), MachineName(p.Name))
	above, _ := cutLast(formatted(root))
	page.Whole.SHA256 = seal(above)
	t.Readable = append(above, formatted(document(map[string]wholeLine{lastKey: page.Whole}))...)
	return t
}

// cutLast parts a text into its last line and those above.
func cutLast(text []byte) (above, last []byte) {
	at := 1 + bytes.LastIndexByte(bytes.TrimSuffix(text, []byte("\n")), '\n')
	return text[:at], text[at:]
}

// seal returns the checksum of a readable file's lines above the last. The reason does not count: people may edit it.
func seal(above []byte) string {
	sum, reason := sha256.New(), false
	for line := range bytes.Lines(above) {
		if line[0] != ' ' && line[0] != '\n' {
			reason = bytes.HasPrefix(line, []byte("reason:"))
		}
		if !reason {
			sum.Write(line)
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// intact reports whether both files are as they were written together, except for the reason. If not, they may still say the same: see parse.
func (t *Text) intact() bool {
	above, last := cutLast(t.Readable)
	return bytes.Contains(last, []byte(seal(above))) && bytes.Contains(above, []byte(digest(t.Machine)))
}

// unchanged returns a measured program as these files hold it, if they are what accepting it writes; nil if not.
func (t *Text) unchanged(p *Program, w *writer) *Program {
	all, rest := w.program(p), t.Machine
	for i := range all {
		left, same := bytes.CutPrefix(rest, []byte(all[i].text))
		if !same {
			return nil
		}
		rest = left
	}
	if len(rest) > 0 || !t.intact() {
		return nil
	}
	r := &machineReader{}
	for i := range all {
		if r.take(all[i].record) != nil {
			return nil
		}
	}
	return r.program
}

func formatted(root *yamldoc.Node) []byte {
	data, err := yamldoc.Format(root)
	if err != nil {
		panic(err) // a tree that is built here is well-formed
	}
	return data
}

// String returns both files concatenated, as in a result.
func (t Text) String() string { return string(t.Readable) + string(t.Machine) }

// Same reports whether two baselines are equal for a check. Reasons, prices and source lines may differ.
func Same(a, b *Program) bool { return bytes.Equal(machine(a), machine(b)) }

// ShowAs copies the displayed data beside the facts from other baselines: all of it if one of them is the same, otherwise the
// source lines that p lacks.
func (p *Program) ShowAs(others ...*Program) {
	at := map[groupKey][]string{}
	for _, other := range others {
		if other == nil || other.Predicted == nil {
			continue
		}
		if Same(p, other) {
			p.Predicted = other.Predicted
			return
		}
		for _, k := range other.Predicted.Kernels {
			at[k.Key] = k.At
		}
	}
	p.Predicted = predict(p)
	for i := range p.Predicted.Kernels {
		if k := &p.Predicted.Kernels[i]; k.At == nil {
			k.At = at[k.Key]
		}
	}
}

// Parse parses both files of a program, concatenated.
func Parse(name string, data []byte) (*Program, error) {
	at := bytes.Index(data, []byte("\n{"))
	if at < 0 {
		at = len(data) - 1
	}
	return parse(name, name, Text{data[:at+1], data[at+1:]}, knownKernels{})
}

// parse reads a program from its two files, and returns an error if they do not belong together.
func parse(name, machineName string, t Text, known knownKernels) (*Program, error) {
	root, err := tree(name, t.Readable)
	if err != nil {
		return nil, err
	}
	var said struct {
		Schema   string `yaml:"schema"`
		Reason   string `yaml:"reason"`
		PricedOn string `yaml:"priced_on"`
		Variants []struct {
			Step int64 `yaml:"step_ns"`
		} `yaml:"variants"`
		Kernels []struct {
			NS                    int64
			Do, Kind, Target, Out string
			At                    []string
		} `yaml:"dearest_kernels"`
		Machine machineLine
		Whole   wholeLine
	}
	if err := yamldoc.Decode(root, &said); err != nil {
		return nil, unreadable(name, err)
	}
	if said.Schema != Schema {
		return nil, otherSchema(name, said.Schema)
	}
	is := machineLine{Bytes: len(t.Machine), SHA256: digest(t.Machine)}
	if is.Bytes != said.Machine.Bytes || is.SHA256 != said.Machine.SHA256 {
		if _, err := readMachine(machineName, t.Machine, known); err != nil {
			return nil, err
		}
		return nil, wrong(name, fmt.Sprintf("it does not belong to %s: that has %d bytes (sha256 %.12s), this names %d bytes (sha256 %.12s)",
			machineName, is.Bytes, is.SHA256, said.Machine.Bytes, said.Machine.SHA256), fixPair)
	}
	p, err := readMachine(machineName, t.Machine, known)
	if err != nil {
		return nil, err
	}
	p.Reason, p.Predicted = said.Reason, &Predicted{Device: said.PricedOn}
	for _, v := range said.Variants {
		p.Predicted.Steps = append(p.Predicted.Steps, v.Step)
	}
	for _, k := range said.Kernels {
		p.Predicted.Kernels = append(p.Predicted.Kernels, Dearest{groupKey{k.Kind, k.Do, k.Target, k.Out}, k.NS, k.At})
	}
	is.File = MachineName(p.Name)
	page := pageOf(p, is)
	page.Whole.SHA256 = said.Whole.SHA256
	if err := contradiction(name, machineName, root, page); err != nil {
		return nil, err
	}
	return p, nil
}

// fixPair says how to repair a damaged baseline.
const fixPair = "restore its .yaml and its .jsonl from git; if the change was intended, delete both and accept again: xlagate accept --reason \"…\""

// broken returns an error at a position of a file.
func broken(name string, line, column int, message string) *Error {
	return wrong(fmt.Sprintf("%s:%d:%d", name, line, column), message, fixPair)
}

// unreadable returns the YAML error for a file.
func unreadable(name string, err error) *Error {
	return wrong(name, "the baseline is not readable: "+err.Error(), fixPair)
}

func otherSchema(name, schema string) *Error {
	return wrong(name, fmt.Sprintf("the baseline has the schema %q; this xlagate reads %q", schema, Schema), fixPair)
}

// lastKey is the key on the last line of a readable file.
const lastKey = "whole"

// tree parses a YAML file, and returns an error if it does not end with its closing line.
func tree(name string, data []byte) (*yamldoc.Node, error) {
	if line := yamldoc.Conflict(data); line > 0 {
		return nil, broken(name, line, 1, "a merge conflict of git begins here")
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	last := lines[max(0, len(lines)-2)]
	if len(lines[len(lines)-1]) > 0 || !bytes.HasPrefix(last, []byte(lastKey+": {")) {
		return nil, broken(name, lastLine(data), 1, fmt.Sprintf("the file is cut off: it does not end with the line %q, which says what it must hold", lastKey+": {…}"))
	}
	root, err := yamldoc.Parse(data)
	if err == nil && (root == nil || root.Kind != yamldoc.Mapping) {
		err = errors.New("it holds no keys")
	}
	if err != nil {
		return nil, unreadable(name, err)
	}
	return root, nil
}

// lastLine returns the number of the last line that is not blank.
func lastLine(data []byte) int { return 1 + bytes.Count(bytes.TrimRight(data, "\n"), []byte("\n")) }

func digest(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

func sortedKeys[K ~string, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
