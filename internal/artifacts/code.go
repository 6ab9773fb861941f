package artifacts

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// PTX is the content of a PTX file, which may have only constants, or be empty.
type PTX struct {
	Version string // "8.6"
	Target  string // the architecture: "sm_90a"
	Entries []string
}

// ReadPTX reads a .ptx.
func ReadPTX(data []byte) (*PTX, error) {
	if err := whole(data); err != nil {
		return nil, err
	}
	l := lines{rest: string(data)}
	p := &PTX{}
	inside, open, header := false, false, true // in a body; between a function's name and its body; in the header
	announced := ""                            // the symbol in LLVM's comment before its definition
	for line := range l.all() {
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

// ReadLLVM checks that an .ll file is complete, and returns its length in bytes.
func ReadLLVM(data []byte) (length int64, err error) {
	if err := whole(data); err != nil {
		return 0, err
	}
	l := lines{rest: string(data)}
	inside := false
	var refs references
	for line := range l.all() {
		switch {
		case line == "}":
			inside = false
		case inside:
		case strings.HasPrefix(line, "define "):
			inside = true
			refs.read(line)
		case strings.HasPrefix(line, "attributes "), strings.HasPrefix(line, "!"), strings.HasPrefix(line, "declare "):
			refs.read(line)
		}
	}
	if inside {
		return 0, l.errorf("the file ends inside of a function: it was cut off")
	}
	if missing := refs.missing(); missing != "" || len(data) == 0 {
		return 0, l.errorf("the file ends before %s: it was cut off", cmp.Or(missing, "its first function"))
	}
	return int64(len(data)), nil
}

// references are the attribute groups (#0) and the metadata (!0) that a file refers to; both are defined after all functions.
type references struct {
	named, defined map[string]bool
}

var (
	reference = regexp.MustCompile(`[#!][0-9]+\b`)
	quoted    = regexp.MustCompile(`"[^"]*"`)
)

// read records the definition and the references in a line.
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

// missing returns a reference without a definition, "" if there is none.
func (r *references) missing() string {
	for _, name := range slices.Sorted(maps.Keys(r.named)) {
		if !r.defined[name] {
			return name
		}
	}
	return ""
}
