package artifacts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/wire"
)

// Assembler runs the ptxas of this machine, which it looks for on first use. Several files may be assembled at once.
type Assembler struct {
	getenv func(string) string

	once    sync.Once
	path    string
	version string
	err     error // why there is none
}

// ErrNoAssembler reports that no assembler is installed.
var ErrNoAssembler = errors.New("there is no ptxas")

// The time limits for printing the version and for assembling a file. The largest of 1,050 real files takes 3 s.
const (
	versionTime  = 20 * time.Second
	assemblyTime = 5 * time.Minute
)

// NewAssembler returns the assembler that FindAssembler finds.
func NewAssembler(getenv func(string) string) *Assembler { return &Assembler{getenv: getenv} }

// Version returns the assembler's version, such as "12.9.86". It returns ErrNoAssembler if there is none.
func (a *Assembler) Version(ctx context.Context) (string, error) {
	if a == nil {
		return "", ErrNoAssembler
	}
	a.once.Do(func() {
		if a.path = FindAssembler(a.getenv); a.path == "" {
			a.err = ErrNoAssembler
			return
		}
		ctx, cancel := context.WithTimeout(ctx, versionTime)
		defer cancel()
		output, err := run(ctx, "", a.path, "--version")
		if _, version, ok := strings.Cut(output, ", V"); ok {
			version, _, _ = strings.Cut(version, "\n")
			a.version = strings.TrimSpace(version)
		}
		if err == nil && a.version == "" {
			err = errors.New("it does not answer as ptxas does")
		}
		if err != nil {
			a.err = fmt.Errorf("ask %s for its version: %w", a.path, err)
		}
	})
	return a.version, a.err
}

// Assemble returns the resources of each kernel of a PTX file. target is the file's architecture, such as sm_90a.
func (a *Assembler) Assemble(ctx context.Context, ptx []byte, target string) ([]KernelResources, error) {
	if _, err := a.Version(ctx); err != nil {
		return nil, err
	}
	if !architecture.MatchString(target) {
		return nil, fmt.Errorf("the PTX is for %q, which is no architecture", target)
	}
	output, err := a.run(ctx, ptx, target)
	if err != nil {
		return nil, err
	}
	return ReadAssembler(output)
}

// architecture matches the only text from a file that is passed on the command line.
var architecture = regexp.MustCompile(`^sm_[0-9]+[a-z]?$`)

// run runs the assembler on a temporary file, without a shell.
func (a *Assembler) run(ctx context.Context, ptx []byte, target string) (output string, err error) {
	ctx, cancel := context.WithTimeout(ctx, assemblyTime)
	defer cancel()
	dir, err := os.MkdirTemp("", "xlagate-ptxas-")
	if err != nil {
		return "", fmt.Errorf("make a folder for ptxas: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.WriteFile(filepath.Join(dir, "kernel.ptx"), ptx, 0o600); err != nil {
		return "", fmt.Errorf("write PTX for ptxas: %w", err)
	}
	output, err = run(ctx, dir, a.path, "--verbose", "--gpu-name="+target, "--output-file", os.DevNull, "kernel.ptx")
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "", fmt.Errorf("ptxas took longer than %s", assemblyTime)
	}
	if err != nil {
		return "", fmt.Errorf("ptxas %s: %w", a.version, err)
	}
	return output, nil
}

// run returns a program's standard output and standard error.
func run(ctx context.Context, dir, path string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	var out limited
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if why := refusal(out.String()); err != nil && why != "" {
		return "", errors.New(why)
	}
	return out.String(), err
}

// refusal returns the assembler's first error: "line 7: Unsupported .version 9.9; current version is '8.8'".
func refusal(output string) string {
	for line := range strings.Lines(output) {
		where, what, ok := strings.Cut(strings.TrimSpace(line), "; ")
		if !ok {
			where, what = "", strings.TrimSpace(line)
		}
		kind, text, ok := strings.Cut(what, ":")
		if kind = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(kind), "ptxas")); !ok || kind != "error" && kind != "fatal" {
			continue
		}
		text = strings.TrimSpace(text)
		if _, at, ok := strings.Cut(where, ", line "); ok {
			text = "line " + at + ": " + text
		}
		return text
	}
	return ""
}

// limited is a buffer that keeps the beginning of the text written to it.
type limited struct{ bytes.Buffer }

const mostOutput = 16 << 20

// Write stores what fits, and drops the rest.
func (l *limited) Write(p []byte) (int, error) {
	if room := mostOutput - l.Len(); len(p) > room {
		l.Buffer.Write(p[:room])
		return len(p), nil
	}
	return l.Buffer.Write(p)
}

// AssemblerVariable is the environment variable with the path of the assembler, or with Off to use none.
const (
	AssemblerVariable = "XLAGATE_PTXAS"
	Off               = "off"
)

// FindAssembler returns the path of ptxas, "" if there is none. It looks at AssemblerVariable, PATH, pip's wheels in Python environments, and CUDA's
// own folder, in this order. It does not check a path in AssemblerVariable.
func FindAssembler(getenv func(string) string) string {
	switch named := getenv(AssemblerVariable); named {
	case "":
	case Off:
		return ""
	default:
		return named
	}
	folders := filepath.SplitList(getenv("PATH"))
	roots := []string{getenv("VIRTUAL_ENV"), getenv("CONDA_PREFIX")} // of Python environments
	roots = append(roots, phrase.Map(folders, filepath.Dir)...)
	for _, root := range roots {
		for _, packages := range []string{"lib/python*/site-packages", "lib/python*/dist-packages", "Lib/site-packages"} {
			wheels, _ := filepath.Glob(filepath.Join(root, packages, "nvidia", "cu*", "bin")) // nvidia-cuda-nvcc; the pattern is well formed
			folders = append(folders, wheels...)
		}
	}
	for _, root := range []string{getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"} {
		folders = append(folders, filepath.Join(root, "bin"))
	}
	for _, folder := range folders {
		if !filepath.IsAbs(folder) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(folder, "ptxas")); err == nil {
			return found
		}
	}
	return ""
}

// KernelResources are the resources of a GPU that a kernel uses.
type KernelResources struct {
	Name        string `json:"-"`
	Registers   int64  `json:"registers,omitempty"`    // per thread
	SpillStores int64  `json:"spill_store_bytes"`      // bytes per thread that the code stores to local memory for lack of registers
	Shared      int64  `json:"shared_bytes,omitempty"` // bytes of static shared memory per block
	Barriers    int64  `json:"barriers,omitempty"`
}

// ReadAssembler reads the output of ptxas --verbose for the kernels of a file:
//
//	ptxas info    : Compiling entry function 'fusion' for 'sm_90a'
//	ptxas info    : Function properties for fusion
//	    32 bytes stack frame, 28 bytes spill stores, 28 bytes spill loads
//	ptxas info    : Used 255 registers, used 1 barriers, 32 bytes cumulative stack size, 4224 bytes smem
//
// The resources of a function that a kernel calls follow that kernel in the output and are counted with it.
func ReadAssembler(output string) ([]KernelResources, error) {
	var kernels []KernelResources
	used := true
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		_, text, _ := strings.Cut(line, ": ")
		if name, ok := strings.CutPrefix(text, "Compiling entry function '"); ok {
			if !used {
				break
			}
			name, _, _ = strings.Cut(name, "'")
			kernels, used = append(kernels, KernelResources{Name: name}), false
			continue
		}
		if len(kernels) == 0 {
			continue
		}
		k := &kernels[len(kernels)-1]
		switch {
		case strings.Contains(line, " bytes stack frame, "):
			if err := k.amounts(line); err != nil {
				return nil, err
			}
		case strings.HasPrefix(text, "Used "):
			used = true
			if err := k.amounts(strings.TrimPrefix(text, "Used ")); err != nil {
				return nil, err
			}
		}
	}
	if !used {
		return nil, fmt.Errorf("ptxas does not say what %s uses", wire.Plain(kernels[len(kernels)-1].Name))
	}
	return kernels, nil
}

// amounts reads "32 bytes stack frame, 28 bytes spill stores" and "255 registers, used 1 barriers, 4224 bytes smem".
func (k *KernelResources) amounts(list string) error {
	fields := map[string]*int64{
		"registers": &k.Registers, "barriers": &k.Barriers, "bytes smem": &k.Shared,
		"bytes spill stores": &k.SpillStores,
	}
	for part := range strings.SplitSeq(list, ", ") {
		amount, what, _ := strings.Cut(strings.TrimPrefix(part, "used "), " ")
		field := fields[what]
		if field == nil {
			continue // the stack frame, cmem and the like
		}
		n, err := strconv.ParseInt(amount, 10, 64)
		if err != nil || n < 0 {
			return errors.New("ptxas says what is not understood: " + wire.Plain(strconv.Quote(part)))
		}
		*field += n
	}
	return nil
}

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
	if len(data) > 0 && len(p.Entries) == 0 && !bytes.HasSuffix(data, []byte("\n\n")) { // constants end with an empty line
		return nil, l.errorf("the file ends inside of its constants: it was cut off")
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
			return l.unknown("an entry without a name")
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
	number, inside := 0, false
	headed, filled := false, false // has its whole header; a function, or is the module of the constants, which may be empty
	flagged := true                // has the flags that XLA sets in every module with functions for NVIDIA
	var refs references
	for line := range bytes.Lines(data) {
		number++
		switch {
		case string(bytes.TrimRight(line, "\r\n")) == "}":
			inside = false
		case startsWith(line, "; ModuleID = "):
			filled = bytes.Contains(line, []byte("_consts'"))
		case startsWith(line, ";"):
		case startsWith(line, "target triple = "):
			headed, flagged = true, filled || !bytes.Contains(line, []byte("nvptx"))
		case startsWith(line, "define "):
			inside, filled = true, true
			refs.read(line)
		default:
			flagged = flagged || startsWith(line, "!llvm.module.flags = ")
			refs.read(line)
		}
	}
	if inside {
		return 0, syntaxError(number, "the file ends inside of a function: it was cut off")
	}
	for kind, named := range refs.named {
		if named > refs.defined[kind] {
			return 0, syntaxError(number, "the file ends before %c%d: it was cut off", sigils[kind], named-1)
		}
	}
	if !headed || !filled || !flagged {
		return 0, syntaxError(number, "the file ends before its end: it was cut off")
	}
	return int64(len(data)), nil
}

func startsWith(line []byte, text string) bool { return bytes.HasPrefix(line, []byte(text)) }

// references are the attribute groups (#0) and the metadata (!0) that a file refers to. Both are defined after all functions, in the order of their numbers.
type references struct {
	named, defined [len(sigils)]int // the highest number of each kind, counted from 1
}

// sigils begin the names of attribute groups and of metadata.
const sigils = "#!"

// read records the definition and the references in a line.
func (r *references) read(line []byte) {
	for at := 0; at < len(line); at++ {
		switch line[at] {
		case '"':
			at += 1 + bytes.IndexByte(line[at+1:], '"')
		case '#', '!':
			number, kind, first := 0, strings.IndexByte(sigils, line[at]), at+1
			for ; at+1 < len(line) && line[at+1] >= '0' && line[at+1] <= '9'; at++ {
				number = 10*number + int(line[at+1]-'0')
			}
			if at < first {
				continue // a name in letters: !dbg
			}
			if r.named[kind] = max(r.named[kind], number+1); startsWith(line[at+1:], " = ") {
				r.defined[kind] = max(r.defined[kind], number+1)
			}
		}
	}
}
