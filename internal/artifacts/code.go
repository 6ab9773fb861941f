package artifacts

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// PTX is what one PTX file holds. It may hold constants only, or nothing at all.
type PTX struct {
	Version string // "8.6"
	Target  string // the architecture that it is for: "sm_90a"
	Entries []string
}

// ReadPTX reads a .ptx.
func ReadPTX(data []byte) (*PTX, error) {
	if err := whole(data); err != nil {
		return nil, err
	}
	l := lines{rest: string(data)}
	p := &PTX{}
	inside, open, header := false, false, true // in a body; between a function's name and its body; before anything but the header
	announced := ""                            // a symbol that LLVM names in a comment before it defines it
	for {
		line, ok := l.next()
		if !ok {
			break
		}
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "// .globl"); ok {
			announced = strings.TrimSpace(name)
		}
		switch {
		case line == "{":
			inside, open = true, false
		case line == "}":
			inside = false
		case !inside && open && strings.HasSuffix(line, ";"): // a declaration
			open = false
		case inside || !strings.HasPrefix(line, "."):
		default:
			word, _, _ := strings.Cut(line, " ")
			if strings.Contains(line, announced) {
				announced = ""
			}
			header = header && (word == ".version" || word == ".target" || word == ".address_size")
			open = open || strings.Contains(line, ".entry ") || strings.Contains(line, ".func ") && !strings.HasSuffix(line, ";")
			if err := p.directive(&l, line); err != nil {
				return nil, err
			}
		}
	}
	if inside || open {
		return nil, l.errorf("the file ends inside of a function: it was cut off")
	}
	if announced != "" {
		return nil, l.errorf("the file ends before %s is defined: it was cut off", announced)
	}
	if len(data) > 0 && header {
		return nil, l.errorf("the file ends behind its header: it was cut off")
	}
	return p, nil
}

// directive reads a line that begins with a dot, outside of functions.
func (p *PTX) directive(l *lines, line string) error {
	if version, ok := strings.CutPrefix(line, ".version "); ok {
		p.Version = strings.TrimSpace(version)
	} else if target, ok := strings.CutPrefix(line, ".target "); ok {
		target, _, _ = strings.Cut(target, ",") // debug, texmode_…
		p.Target = strings.Clone(strings.TrimSpace(target))
	} else if _, entry, ok := strings.Cut(line, ".entry "); ok {
		name := strings.TrimSpace(strings.TrimRight(entry, "( "))
		if name == "" {
			return l.errorf("an entry without a name")
		}
		p.Entries = append(p.Entries, strings.Clone(name))
	}
	return nil
}

// LLVM is what one file of LLVM IR holds.
type LLVM struct {
	Bytes   int64
	Kernels []string // definitions that the host launches
}

// ReadLLVM reads an .ll.
func ReadLLVM(data []byte) (*LLVM, error) {
	if err := whole(data); err != nil {
		return nil, err
	}
	l := lines{rest: string(data)}
	ir := &LLVM{Bytes: int64(len(data))}
	inside := false
	var refs references
	for {
		line, ok := l.next()
		if !ok {
			break
		}
		switch {
		case line == "}":
			inside = false
		case inside:
		case strings.HasPrefix(line, "define "):
			inside = true
			if err := ir.define(&l, line); err != nil {
				return nil, err
			}
			refs.read(line)
		case strings.HasPrefix(line, "attributes "), strings.HasPrefix(line, "!"), strings.HasPrefix(line, "declare "):
			refs.read(line)
		}
		if strings.HasPrefix(line, "!") && strings.Contains(line, `!"kernel"`) {
			ir.annotated(line)
		}
	}
	if inside {
		return nil, l.errorf("the file ends inside of a function: it was cut off")
	}
	if missing := refs.missing(); missing != "" || len(data) == 0 {
		return nil, l.errorf("the file ends before %s: it was cut off", cmp.Or(missing, "its first function"))
	}
	return ir, nil
}

// references are the attribute groups (#0) and the metadata (!0) that a file names; both are defined behind all functions.
type references struct {
	named, defined map[string]bool
}

var (
	reference = regexp.MustCompile(`[#!][0-9]+\b`)
	quoted    = regexp.MustCompile(`"[^"]*"`)
)

// read notes what a line defines, if anything, and what it names.
func (r *references) read(line string) {
	if r.named == nil {
		r.named, r.defined = map[string]bool{}, map[string]bool{}
	}
	if name, _, ok := strings.Cut(strings.TrimPrefix(line, "attributes "), " = "); ok && len(name) > 1 && name[1] >= '0' && name[1] <= '9' {
		r.defined[name] = true
	}
	for _, name := range reference.FindAllString(quoted.ReplaceAllString(line, ""), -1) {
		r.named[name] = true
	}
}

// missing is what the file names and does not define, "" for nothing.
func (r *references) missing() string {
	for _, name := range slices.Sorted(maps.Keys(r.named)) {
		if !r.defined[name] {
			return name
		}
	}
	return ""
}

// define reads a definition's first line. Kernels of a GPU have a calling convention of their own; those of a CPU return a
// pointer, and the helpers beside them are internal.
func (ir *LLVM) define(l *lines, line string) error {
	head, name, ok := strings.Cut(line, "@")
	if !ok {
		return l.errorf("a definition without a name: %q", line)
	}
	words := strings.Fields(head)
	result := words[len(words)-1]
	for _, w := range words {
		if w == "internal" || w == "private" {
			return nil
		}
		if w == "ptx_kernel" || w == "amdgpu_kernel" {
			result = "ptr"
		}
	}
	if result == "ptr" {
		ir.Kernels = append(ir.Kernels, functionName(name))
	}
	return nil
}

// annotated reads a kernel's mark in the metadata, as versions before 2025 wrote it:
//
//	!0 = !{ptr @fusion_1, !"kernel", i32 1}
func (ir *LLVM) annotated(line string) {
	_, name, ok := strings.Cut(line, "@")
	if name = functionName(name); ok && !slices.Contains(ir.Kernels, name) {
		ir.Kernels = append(ir.Kernels, name)
	}
}

// functionName reads the name behind "@", which is quoted when it holds unusual characters.
func functionName(s string) string {
	if quoted, ok := strings.CutPrefix(s, `"`); ok {
		name, _, _ := strings.Cut(quoted, `"`)
		return strings.Clone(name)
	}
	if end := strings.IndexAny(s, "(,) "); end >= 0 {
		s = s[:end]
	}
	return strings.Clone(s)
}
