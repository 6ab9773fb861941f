// Package baseline stores accepted facts: a small file for each target and program, which is easy to read in a
// pull request and to merge, and a machine file beside it.
package baseline

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"sort"
	"strings"

	"golang.org/x/sync/errgroup"

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
}

// Program is the baseline of one program.
type Program struct {
	facts.Program
	Toolchain facts.Toolchain
	Reason    string     // why it was accepted
	Predicted *Predicted // the prices and source lines in its readable file; nil before it is written
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
const graphsFile = "+graphs.yaml"

// Load reads a target's baseline from a file system whose root is the store. It returns [ErrNone] if the target has none.
func Load(store fs.FS, target string) (*Set, error) {
	return LoadBeside(store, target, &facts.Report{})
}

// LoadBeside is Load for a comparison with a report: the files of a program that accepting would not change are compared with what it would write, and not
// parsed. Such a program has neither a reason nor predictions.
func LoadBeside(store fs.FS, target string, fresh *facts.Report) (*Set, error) {
	dir := path.Clean(target)
	entries, err := fs.ReadDir(store, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, fmt.Errorf("read the baseline of %s: %w", target, err)
	}
	set := &Set{Target: target}
	if err := set.read(store, dir, entries, fresh); err != nil {
		return nil, err
	}
	if len(set.Programs) == 0 && set.Graphs == nil {
		return nil, ErrNone
	}
	sort.Slice(set.Programs, func(i, j int) bool { return set.Programs[i].Name < set.Programs[j].Name })
	return set, nil
}

// read reads the files of a folder in parallel: those of thousands of programs are tens of megabytes.
func (s *Set) read(store fs.FS, dir string, entries []fs.DirEntry, fresh *facts.Report) error {
	programs, wrong := s.readAll(store, dir, entries, fresh)
	if err := cmp.Or(cmp.Or(wrong...), orphan(dir, entries), twice(dir, entries, programs)); err != nil {
		return err
	}
	s.Programs = slices.DeleteFunc(programs, func(p *Program) bool { return p == nil })
	return nil
}

// together is how many files are read one after the other.
const together = 64

// readAll reads the files of a folder, and returns a program or an error for each readable file.
func (s *Set) readAll(store fs.FS, dir string, entries []fs.DirEntry, fresh *facts.Report) (programs []*Program, wrong []error) {
	programs, wrong = make([]*Program, len(entries)), make([]error, len(entries))
	measured := byFile(fresh)
	var reading errgroup.Group
	reading.SetLimit(runtime.GOMAXPROCS(0))
	for start := 0; start < len(entries); start += together {
		reading.Go(func() error {
			r := &textReader{store, measured, knownKernels{}, newWriter()}
			for i := start; i < min(start+together, len(entries)); i++ {
				name := path.Join(dir, entries[i].Name())
				switch {
				case entries[i].IsDir() || !strings.HasSuffix(name, readableExt):
				case entries[i].Name() == graphsFile:
					s.Graphs, wrong[i] = loadGraphs(store, name)
				default:
					programs[i], wrong[i] = r.program(name)
				}
			}
			return nil // the caller returns the error of the first file by name
		})
	}
	_ = reading.Wait()
	return programs, wrong
}

// byFile returns the programs of a report by the names of the files that hold them.
func byFile(r *facts.Report) map[string]*Program {
	files := map[string]*Program{}
	for _, p := range slices.Concat(r.Programs, r.Helpers) {
		files[FileName(p.Name)] = &Program{Program: *p, Toolchain: r.Toolchain}
	}
	return files
}

// textReader reads programs one after the other.
type textReader struct {
	store    fs.FS
	measured map[string]*Program // see byFile
	kernels  knownKernels
	writer   *writer
}

// program reads a program, given the name of its readable file.
func (r *textReader) program(name string) (*Program, error) {
	text, err := readText(r.store, name)
	if err != nil {
		return nil, err
	}
	if p := r.measured[path.Base(name)]; p != nil {
		if same := text.unchanged(p, r.writer); same != nil {
			return same, nil
		}
	}
	return parse(name, machineOf(name), *text, r.kernels)
}

// twice returns an error if two files hold the same program, such as a file and its copy: the choice between them would be arbitrary.
func twice(dir string, entries []fs.DirEntry, programs []*Program) error {
	first := map[string]string{}
	for i, p := range programs {
		if p == nil {
			continue
		}
		name := path.Join(dir, entries[i].Name())
		if other, seen := first[p.Name]; seen {
			return fmt.Errorf("%s and %s both hold the baseline of %s; keep %s", other, name, p.Name, FileName(p.Name))
		}
		first[p.Name] = name
	}
	return nil
}

// orphan returns an error for a machine file without a readable file.
func orphan(dir string, entries []fs.DirEntry) error {
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name()] = true
	}
	for _, e := range entries {
		program, isMachine := strings.CutSuffix(e.Name(), machineExt)
		if isMachine && !e.IsDir() && !names[program+readableExt] {
			return wrong(path.Join(dir, e.Name()), program+readableExt+" is missing, to which it belongs", fixPair)
		}
	}
	return nil
}

// LoadProgram reads a program's baseline, given the name of its readable file.
func LoadProgram(store fs.FS, name string) (*Program, error) {
	return (&textReader{store: store, kernels: knownKernels{}}).program(name)
}

// readText reads the two files of a program, given the name of its readable file.
func readText(store fs.FS, name string) (*Text, error) {
	readable, err := read(store, name)
	if err != nil {
		return nil, fmt.Errorf("read the baseline: %w", err)
	}
	machine, err := read(store, machineOf(name))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := tree(name, readable); err != nil {
			return nil, err
		}
		return nil, wrong(machineOf(name), "it is missing, and belongs to "+path.Base(name), fixPair)
	}
	if err != nil {
		return nil, fmt.Errorf("read the baseline: %w", err)
	}
	return &Text{readable, machine}, nil
}

// machineOf returns the name of the machine file beside a readable file.
func machineOf(name string) string { return strings.TrimSuffix(name, readableExt) + machineExt }

// maxFile bounds the bytes of a file of a baseline.
const maxFile = 64 << 20

// read reads a file of a store. A repository may hold a link to anything, and what is no regular file may have no end.
func read(store fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(store, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, wrong(name, "it is no regular file", fixPair)
	}
	if info.Size() > maxFile {
		return nil, wrong(name, "it has more than "+phrase.Bytes(maxFile)+", the most that is read", fixPair)
	}
	return fs.ReadFile(store, name)
}

func loadGraphs(store fs.FS, name string) (facts.Values, error) {
	data, err := read(store, name)
	if err != nil {
		return nil, fmt.Errorf("read the baseline: %w", err)
	}
	return parseGraphs(name, data)
}

// Targets returns the targets in a store.
func Targets(store fs.FS) ([]string, error) {
	var targets []string
	seen := map[string]bool{}
	err := fs.WalkDir(store, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if dir := path.Dir(name); !e.IsDir() && ours(name) && dir != "." && !seen[dir] {
			seen[dir] = true
			targets = append(targets, dir)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the baseline: %w", err)
	}
	sort.Strings(targets)
	return targets, nil
}

// The suffixes of the names of a program's two files.
const (
	readableExt = ".yaml"
	machineExt  = ".jsonl"
)

// ours reports whether a file of a target's folder belongs to the baseline.
func ours(name string) bool {
	return strings.HasSuffix(name, readableExt) || strings.HasSuffix(name, machineExt)
}

// MachineName returns the path of a program's machine file below its target.
func MachineName(program string) string {
	return strings.TrimSuffix(FileName(program), readableExt) + machineExt
}

// FileName returns the path of a program's readable file below its target: the name, with everything but letters, digits, '.', '_' and '-'
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
	if len(name)+len(tail)+len(machineExt) > longestName {
		tail = "%~" + digest([]byte(program))[:16]
		name = name[:min(len(name), longestName-len(tail)-len(machineExt))]
	}
	return name + tail + readableExt
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
