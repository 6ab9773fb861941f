// Package baseline stores accepted facts: one file for each target and program, JSON Lines in canonical order, which plain git merges.
package baseline

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Schema is the format version of a baseline file.
const Schema = "xlagate.baseline/v1"

// Set is the baseline of one target.
type Set struct {
	Target   string
	Programs []*Program   // sorted by name
	Graphs   facts.Values // facts of TensorFlow's graphs; nil if none were accepted
	Damaged  []Damaged    // files that cannot be read, in [Read] only
}

// Damaged is a file that cannot be read, such as one with a conflict of git.
type Damaged struct {
	Name string // of the file, in the target's folder
	Err  error
}

// Program is the baseline of one program.
type Program struct {
	facts.Program
	Toolchain facts.Toolchain
	Ceilings  []Ceiling
	Reasons   []string // why what is in it was accepted, each once
	sources   []string // the files that its lines name, each once
	text      []byte   // as it was read, in [Parse] only: a set leaves it on disk
}

// ReasonSince returns the reasons that an older baseline of the program, nil for none, does not have.
func (p *Program) ReasonSince(old *Program) string {
	fresh := slices.Clone(p.Reasons)
	if old != nil {
		fresh = slices.DeleteFunc(fresh, func(reason string) bool { return slices.Contains(old.Reasons, reason) })
	}
	return strings.Join(fresh, "; ")
}

// Ceilings lists the ceilings of all programs.
func (s *Set) Ceilings() (list []*Ceiling) {
	if s == nil {
		return nil
	}
	for _, p := range s.Programs {
		for i := range p.Ceilings {
			list = append(list, &p.Ceilings[i])
		}
	}
	return list
}

// Find returns a program of the set, nil if it was never accepted.
func (s *Set) Find(name string) *Program {
	if s == nil {
		return nil
	}
	at, found := slices.BinarySearchFunc(s.Programs, name, func(p *Program, name string) int { return strings.Compare(p.Name, name) })
	if !found {
		return nil
	}
	return s.Programs[at]
}

// Names reports whether lines of a file were in a program when it was accepted. The baseline has the file's name without its folder.
func (s *Set) Names(file string) bool {
	return s != nil && slices.ContainsFunc(s.Programs, func(p *Program) bool { return slices.Contains(p.sources, path.Base(file)) })
}

// Report converts the set into a report like that of a dump, so that both are compared by the same code.
func (s *Set) Report() *facts.Report {
	r := &facts.Report{Dump: "the baseline"}
	for _, p := range s.Programs {
		r.Programs = append(r.Programs, &p.Program)
		r.Toolchain = p.Toolchain
	}
	r.Clusters = clustersOf(s.Graphs)
	return r
}

// ErrNone reports that a target has no baseline.
var ErrNone = errors.New("no baseline")

// graphsFile holds the facts of a target's TensorFlow graphs. No program's file has this name: program names are written with plus signs escaped.
const graphsFile = "+graphs" + ext

// Load reads a target's baseline from a file system whose root is the store. It returns [ErrNone] if the target has none.
func Load(store fs.FS, target string) (*Set, error) {
	set, err := Read(store, target)
	if err == nil && len(set.Damaged) > 0 {
		return nil, set.Damaged[0].Err
	}
	return set, err
}

// Read is Load for a baseline that is about to be replaced: a file that cannot be read is no error.
func Read(store fs.FS, target string) (*Set, error) {
	dir := path.Clean(target)
	entries, err := fs.ReadDir(store, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, fmt.Errorf("read the baseline of %s: %w", target, err)
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.IsDir() || !ours(e.Name()) })
	if len(entries) == 0 {
		return nil, ErrNone
	}
	set, names := &Set{Target: target}, map[string]string{}
	all := make([]struct {
		program *Program
		graphs  facts.Values
		err     error
	}, len(entries))
	inParallel(len(entries), func(i int) {
		f, name := &all[i], path.Join(dir, entries[i].Name())
		var text []byte
		if text, f.err = read(store, name); f.err == nil {
			f.program, f.graphs, f.err = parse(name, text)
			if f.program != nil {
				f.program.text = nil
			}
		}
	})
	for i, f := range all {
		name := entries[i].Name()
		switch {
		case f.err != nil:
			set.Damaged = append(set.Damaged, Damaged{name, f.err})
		case f.graphs != nil:
			set.Graphs = f.graphs
		case names[f.program.Name] != "":
			return nil, fmt.Errorf("%s and %s both hold the baseline of %s; keep %s", names[f.program.Name], path.Join(dir, name), f.program.Name, FileName(f.program.Name))
		default:
			names[f.program.Name] = path.Join(dir, name)
			set.add(f.program)
		}
	}
	return set, nil
}

func (s *Set) add(p *Program) {
	at, _ := slices.BinarySearchFunc(s.Programs, p.Name, func(p *Program, name string) int { return strings.Compare(p.Name, name) })
	s.Programs = slices.Insert(s.Programs, at, p)
}

// LoadProgram reads a program's baseline, given the name of its file.
func LoadProgram(store fs.FS, name string) (*Program, error) {
	data, err := read(store, name)
	if err != nil {
		return nil, fmt.Errorf("read the baseline: %w", err)
	}
	return Parse(name, data)
}

// maxFile bounds the bytes of a file of a baseline.
const maxFile = 64 << 20

// read reads a file of a store. A repository may hold a link to anything, and what is no regular file may have no end.
func read(store fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(store, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, wrong(name, "it is no regular file", fixBroken)
	}
	if info.Size() > maxFile {
		return nil, wrong(name, "it has more than "+phrase.Bytes(maxFile)+", the most that is read", fixBroken)
	}
	return fs.ReadFile(store, name)
}

// Targets returns the targets in a store.
func Targets(store fs.FS) ([]string, error) {
	targets := map[string]bool{}
	err := fs.WalkDir(store, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if dir := path.Dir(name); !e.IsDir() && ours(name) && dir != "." {
			targets[dir] = true
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the baseline: %w", err)
	}
	return slices.Sorted(maps.Keys(targets)), nil
}

// ext ends the names of a baseline's files.
const ext = ".jsonl"

// ours reports whether a file of a target's folder belongs to the baseline.
func ours(name string) bool { return strings.HasSuffix(name, ext) }

// FileName returns the path of a program's file below its target: the name, with everything but letters, digits, '.', '_' and '-'
// written as %XX, and so is the first letter of a name that Windows reserves for a device. A name with upper-case letters ends in %- and [upperCase],
// because some systems take two names that differ only in case for one. A name that is too long is cut and ends in %~ and a digest, which makes it unique.
func FileName(program string) string {
	var b strings.Builder
	for i := 0; i < len(program); i++ {
		c := program[i]
		switch {
		case i == 0 && files.Device(program):
			fmt.Fprintf(&b, "%%%02X", c)
		case isLower(c), isUpper(c), c >= '0' && c <= '9', c == '_', c == '-', c == '.' && i > 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	name, tail := b.String(), upperCase(program)
	if len(name)+len(tail)+len(ext) > longestName {
		tail = "%~" + fmt.Sprintf("%x", sha256.Sum256([]byte(program)))[:16]
		name = name[:min(len(name), longestName-len(tail)-len(ext))]
	}
	return name + tail + ext
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// upperCase returns %- and which letters of a name are upper-case: a hexadecimal digit for four letters, without zeros at the end; "" for none.
func upperCase(program string) string {
	var digits []byte
	letters := 0
	for i := 0; i < len(program); i++ {
		if !isLower(program[i]) && !isUpper(program[i]) {
			continue
		}
		if letters%4 == 0 {
			digits = append(digits, 0)
		}
		if isUpper(program[i]) {
			digits[letters/4] |= 8 >> (letters % 4)
		}
		letters++
	}
	digits = bytes.TrimRight(digits, "\x00")
	if len(digits) == 0 {
		return ""
	}
	for i, d := range digits {
		digits[i] = "0123456789abcdef"[d]
	}
	return "%-" + string(digits)
}

// longestName is the longest file name in bytes that file systems allow. TensorFlow names programs after functions, whose names may be longer.
const longestName = 255
