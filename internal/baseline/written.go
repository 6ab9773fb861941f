package baseline

import (
	"bytes"
	"strconv"
	"strings"
)

// said is the part of a readable file that no machine file has.
type said struct {
	Schema   string     `yaml:"schema"`
	Reason   string     `yaml:"reason"`
	PricedOn string     `yaml:"priced_on"`
	Variants []saidItem `yaml:"variants"`
	Kernels  []saidItem `yaml:"dearest_kernels"`
	Machine  saidItem
}

// saidItem is a variant, a kernel or the machine file, each with keys of its own.
type saidItem struct {
	Step                  int64 `yaml:"step_ns"`
	NS                    int64
	Do, Kind, Target, Out string
	At                    []string
	Bytes                 int
	SHA256                string `yaml:"sha256"`
}

// asWritten reads a program whose readable file is, but for the comment, byte for byte what accept writes of what it says and of its machine file. That
// takes a fifth of the time of reading it as YAML and comparing. It returns nil for any other file.
func asWritten(machineName string, t Text) *Program {
	text := t.Readable
	if bytes.HasPrefix(text, []byte("#")) {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	s := glance(string(text))
	if s.Schema != Schema || s.Machine.Bytes != len(t.Machine) || s.Machine.SHA256 != digest(t.Machine) {
		return nil
	}
	p, err := readMachine(machineName, t.Machine)
	if err != nil {
		return nil
	}
	p.say(&s)
	if !bytes.Equal(text, formatted(readable(p, t.Machine))) {
		return nil
	}
	return p
}

// say adds what the readable file says.
func (p *Program) say(s *said) {
	p.Reason, p.Predicted = s.Reason, &Predicted{Device: s.PricedOn}
	for _, v := range s.Variants {
		p.Predicted.Steps = append(p.Predicted.Steps, v.Step)
	}
	for _, k := range s.Kernels {
		p.Predicted.Kernels = append(p.Predicted.Kernels, Dearest{groupKey{k.Kind, k.Do, k.Target, k.Out}, k.NS, k.At})
	}
}

// glance finds what a readable file says, if it has the form in which accept writes it; of any other file it may be anything.
func glance(text string) (s said) {
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if item, ok := strings.CutPrefix(line, "  - {"); ok {
			switch section {
			case "variants":
				s.Variants = append(s.Variants, itemOf(item))
			case "dearest_kernels":
				s.Kernels = append(s.Kernels, itemOf(item))
			}
			continue
		}
		var value string
		section, value, _ = strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		whole := value
		if value != "" && (value[0] == '"' || value[0] == '\'') {
			whole, _ = cutScalar(value)
		}
		switch section {
		case "schema":
			s.Schema = whole
		case "reason":
			s.Reason = whole
		case "priced_on":
			s.PricedOn = whole
		case "machine":
			s.Machine = itemOf(strings.TrimPrefix(value, "{"))
		}
	}
	return s
}

// itemOf reads a mapping on one line, without its first brace.
func itemOf(line string) (item saidItem) {
	for line != "" && line[0] != '}' {
		key, rest, _ := strings.Cut(line, ": ")
		var values []string
		values, line = cutValue(rest)
		line = strings.TrimPrefix(line, ", ")
		value := strings.Join(values, "")
		number, _ := strconv.ParseInt(value, 10, 64)
		switch key {
		case "step_ns":
			item.Step = number
		case "ns":
			item.NS = number
		case "do":
			item.Do = value
		case "kind":
			item.Kind = value
		case "target":
			item.Target = value
		case "out":
			item.Out = value
		case "at":
			item.At = values
		case "bytes":
			item.Bytes = int(number)
		case "sha256":
			item.SHA256 = value
		}
	}
	return item
}

// cutValue cuts a scalar or a list of scalars off a line.
func cutValue(line string) (values []string, rest string) {
	list, isList := strings.CutPrefix(line, "[")
	if !isList {
		value, rest := cutScalar(line)
		return []string{value}, rest
	}
	for list != "" && list[0] != ']' {
		var value string
		value, list = cutScalar(list)
		list = strings.TrimPrefix(list, ", ")
		values = append(values, value)
	}
	return values, strings.TrimPrefix(list, "]")
}

// cutScalar cuts a scalar off a line, which is quoted if it holds what ends it.
func cutScalar(line string) (value, rest string) {
	if line != "" && (line[0] == '"' || line[0] == '\'') {
		if value, rest, closed := strings.Cut(line[1:], line[:1]); closed {
			return value, rest
		}
	}
	end := strings.IndexAny(line, ",]}")
	if end < 0 {
		end = len(line)
	}
	return line[:end], line[end:]
}
