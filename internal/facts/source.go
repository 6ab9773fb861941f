package facts

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// frameworkTree matches the files of a framework that lies in no folder of installed packages, as where it was built. Other folders of a framework may be a
// model's too: a project may be called jax, and have a folder experimental.
var frameworkTree = regexp.MustCompile(`(^|/)(jax/_src|tensorflow/(core|python/(autograph|eager|framework|keras|ops|util))|keras/src|torch_xla/core|third_party/py)(/|$)`)

// pythonTree matches the files of Python.
var pythonTree = regexp.MustCompile(`(^|/)(lib(64)?/python3(\.[0-9]+)?|importlib/_bootstrap)(/|$)`)

// frameworkPackages are installed packages that are never the model: only where no other frame is left are they named.
var frameworkPackages = []string{
	"jax", "jaxlib", "flax", "optax", "haiku", "chex", "orbax", "equinox", "tensorflow", "keras", "tf_keras", "torch",
	"torch_xla", "numpy", "scipy", "einops", "absl", "IPython", "ipykernel", "pytest", "_pytest", "lightning", "transformers",
}

// origin is the owner of a source file.
type origin uint8

const (
	originNone      origin = iota // no file at all: the compiler's placeholder
	originFramework               // the framework's or Python's own
	originPackage                 // an installed package that is not a framework: a model may live there
	originModel
)

func originOf(file string) origin {
	if file == "" || file == "dummy_file_name" || strings.HasPrefix(file, "<frozen") {
		return originNone
	}
	switch name := installedIn(file); {
	case slices.Contains(frameworkPackages, name):
		return originFramework
	case name != "":
		return originPackage
	}
	if frameworkTree.MatchString(file) || pythonTree.MatchString(file) {
		return originFramework
	}
	return originModel
}

// sources finds the model's own line of an instruction.
type sources struct {
	m        *hlo.Module
	root     string // a folder with a slash behind it that paths are shortened by; "" for none
	interner *interner
	byFrame  map[int32]*Stack // stack frames repeat: thousands of instructions share a few hundred
	stacks   map[int32][]hlo.Location
	origins  map[string]origin // by file
	path     []hlo.Location    // room for own

	last       string // the file that was last asked for
	lastOrigin origin
	traced     *tensorflow.Trace // what TensorFlow dumped of the operations; nil where it did not
}

func newSources(m *hlo.Module, from *interner) *sources {
	return &sources{m: m, interner: from, byFrame: map[int32]*Stack{}, stacks: map[int32][]hlo.Location{}, origins: map[string]origin{}}
}

// stack is the frames behind metadata, innermost first. It must not be changed.
func (s *sources) stack(md hlo.Metadata) []hlo.Location {
	if md.Frame == 0 {
		return s.m.Stack(md)
	}
	stack, known := s.stacks[md.Frame]
	if !known {
		stack = s.m.Stack(md)
		s.stacks[md.Frame] = stack
	}
	return stack
}

// locate returns the innermost line of the model's own; see frames.
func (s *sources) locate(md hlo.Metadata) hlo.Location { return s.frames(md).at() }

// frames is the frames in the model's own files; else the innermost in an installed package that is no framework; else nothing, for a
// line of the framework's names no line of the model.
func (s *sources) frames(md hlo.Metadata) *Stack {
	if md.Frame == 0 {
		return s.own([]hlo.Location{md.Source})
	}
	known, ok := s.byFrame[md.Frame]
	if !ok {
		known = s.own(s.stack(md))
		s.byFrame[md.Frame] = known
	}
	return known
}

// own returns the frames of a stack that are the model's. Where a line is in it twice, what lies between is left out: JAX 0.10 traces a function of its own that is
// inlined, such as sigmoid, once, and later calls of it have the stack of the first inside their own.
func (s *sources) own(stack []hlo.Location) *Stack {
	var found *Stack
	var library hlo.Location
	path := s.path[:0]
	for _, frame := range stack {
		if s.origin(frame.File) != originModel {
			if library.File == "" && LibraryOf(frame.File) != "" {
				library = frame
			}
		} else if at := slices.Index(path, frame); at >= 0 {
			path = path[:at+1]
		} else {
			path = append(path, frame)
		}
	}
	s.path = path
	for _, frame := range slices.Backward(path) {
		found = s.interner.stack(Stack{s.relative(frame), found, library})
	}
	for _, frame := range stack {
		if found == nil && s.origin(frame.File) == originPackage {
			found = s.interner.stack(Stack{s.relative(frame), nil, library})
		}
	}
	return found
}

// origin is originOf, asked once for each file: a regular expression for each frame is 5 % of the time of a small module. Frames of one file follow each
// other. In the repository of a framework, its own files are the model.
func (s *sources) origin(file string) origin {
	if file != s.last {
		of, known := s.origins[file]
		if !known {
			if of = originOf(file); of == originFramework && s.isOwn(file) {
				of = originModel
			}
			s.origins[file] = of
		}
		s.last, s.lastOrigin = file, of
	}
	return s.lastOrigin
}

// isOwn reports whether a framework's file is in the repository: below the root, or at the path of a file there if the dump was made in another folder.
func (s *sources) isOwn(file string) bool {
	if s.root == "" || installedIn(file) != "" || pythonTree.MatchString(file) {
		return false
	}
	tree := frameworkTree.FindStringIndex(file)
	if tree == nil {
		return false
	}
	at, name := file[:tree[0]], strings.TrimPrefix(file[tree[0]:], "/")
	if !strings.HasPrefix(file, s.root) {
		_, err := os.Stat(s.root + name)
		return err == nil
	}
	installed, _ := filepath.Glob(at + "/*.dist-info") // as pip does it with --target
	_, err := os.Stat(at + "/.git")                    // of a submodule
	return len(installed) == 0 && (err != nil || at+"/" == s.root)
}

// relative shortens the path of a file below the root: "model/attention.py" is what people and pull requests call it.
func (s *sources) relative(l hlo.Location) hlo.Location {
	if s.root != "" {
		l.File = strings.TrimPrefix(l.File, s.root)
	}
	return l
}

// locateByName finds the lines of launches that lost theirs on the way: an operation that the compiler merged out of several
// keeps their names ("jit(f)/transpose;jit(f)/transpose") and no place, but the unoptimized module still has both. A name that only says what kind
// of operation it is, as those of PyTorch/XLA do (aten__mul), names no place; TensorFlow may name a node after its kind, but only one.
func (r *reader) locateByName(kernels []Kernel) {
	places := map[string]*Stack{}
	for i := range kernels {
		if k := &kernels[i]; k.Source.File == "" && !(k.OpName == k.OpType && strings.Contains(k.OpType, "__")) {
			for name := range strings.SplitSeq(k.OpName, ";") {
				places[name] = nil
			}
		}
	}
	delete(places, "")
	if len(places) == 0 {
		return
	}
	for _, md := range r.metas() {
		if place, wanted := places[md.OpName]; wanted && place == nil {
			places[md.OpName] = r.sources.frames(md)
		}
	}
	for i := range kernels {
		k := &kernels[i]
		if k.Source.File != "" {
			continue
		}
		at := *k.Site
		for name := range strings.SplitSeq(at.OpName, ";") { // the first name that has a place
			if at.Stack == nil {
				at.from(places[name])
			}
		}
		for i := len(k.Ops) - 1; i >= 0 && at.Stack == nil; i-- { // else the last operation inside that has one
			at.from(k.Ops[i].Stack)
		}
		k.Site = r.interner.site(at)
	}
}

// Stack is a line of the model's own and those that called it. Where a dump holds no stacks, or no line of the model in one, it is the
// one line that is known. What stacks have in common they share.
type Stack struct {
	hlo.Location
	Caller  *Stack       // nil for the outermost
	Library hlo.Location // the innermost line of an installed package behind the operation; nothing where the model calls the framework itself
}

// at is the innermost line, nothing where there is none.
func (s *Stack) at() hlo.Location {
	if s == nil {
		return hlo.Location{}
	}
	return s.Location
}

// called is the line that called the innermost one, nothing where it is not known.
func (s *Stack) called() hlo.Location {
	if s == nil {
		return hlo.Location{}
	}
	return s.Caller.at()
}

// frames gathers the lines of several stacks, each once.
type frames struct {
	seen  map[sourceLine]bool
	whole map[*Stack]bool // these, and so all that called them
	list  []hlo.Location
}

func newFrames() *frames {
	return &frames{seen: map[sourceLine]bool{}, whole: map[*Stack]bool{}}
}

func (f *frames) add(s *Stack) {
	for ; s != nil && !f.whole[s]; s = s.Caller {
		f.whole[s] = true
		f.place(s.Location)
	}
}

func (f *frames) place(l hlo.Location) {
	if l.File != "" && !f.seen[lineOf(l)] {
		f.seen[lineOf(l)] = true
		f.list = append(f.list, l)
	}
}

func (f *frames) kernel(k *Kernel) *frames {
	f.place(k.Source)
	f.add(k.Stack)
	for i := range k.Ops {
		f.add(k.Ops[i].Stack)
	}
	return f
}

func (f *frames) statement(s *Statement) *frames {
	f.place(s.Source)
	for _, stack := range s.Stacks {
		f.add(stack)
	}
	return f
}

// Frames is every line of the model that leads to a kernel, each once: from the one that it is named after outwards, then those of each operation in it.
func (k *Kernel) Frames() []hlo.Location { return newFrames().kernel(k).list }

// Frames is every line of the model that leads to the statement, each once.
func (s *Statement) Frames() []hlo.Location { return newFrames().statement(s).list }

// Frames is every line of the model that leads to a kernel or a statement of the variant, each once.
func (v *Variant) Frames() []hlo.Location {
	if v == nil {
		return nil
	}
	f := newFrames()
	for i := range v.Kernels {
		f.kernel(&v.Kernels[i])
	}
	for i := range v.Model {
		f.statement(&v.Model[i])
	}
	return f.list
}

// callSite is the line that called the jitted function: a frame outside of it, in any instruction's stack. A function that was
// jitted under another name is found by the frames that all stacks share. Where a helper is between the model and its jit, the
// line in a file that holds the model's operations is the one to look at. It is not known where the dump holds no stacks.
func (r *reader) callSite(program string) hlo.Location {
	if t := r.sources.traced; t != nil && t.Function != nil && t.Function.Called.File != "" {
		return r.sources.relative(t.Function.Called) // of the function which TensorFlow traced
	}
	seen := map[int32]bool{}
	var around []hlo.Location // the outer frames that all stacks share, from the outside in
	for _, md := range r.metas() {
		if md.Frame == 0 || seen[md.Frame] {
			continue
		}
		seen[md.Frame] = true
		stack := slices.Clone(r.sources.stack(md))
		slices.Reverse(stack)
		if own := slices.IndexFunc(stack, func(f hlo.Location) bool { return isNamed(f.Function, program) }); own >= 0 {
			if callers := r.sources.modelFrames(slices.Clone(stack[:own])); len(callers) > 0 {
				return r.sources.relative(r.ownCall(callers))
			}
		}
		if stack = stack[:max(0, len(stack)-1)]; len(seen) == 1 {
			around = stack
		}
		around = around[:common(around, stack)]
	}
	if around = r.sources.modelFrames(around); len(seen) < 2 || len(around) == 0 {
		return hlo.Location{}
	}
	return r.sources.relative(r.ownCall(around))
}

// modelFrames leaves the model's own of frames: libraries (flax.nnx.jit, equinox.filter_jit) put theirs between a jitted function and its call.
func (s *sources) modelFrames(frames []hlo.Location) []hlo.Location {
	return slices.DeleteFunc(frames, func(f hlo.Location) bool { return s.origin(f.File) != originModel })
}

// ownCall is the innermost of the frames in a file that holds operations of the model, else the innermost.
func (r *reader) ownCall(frames []hlo.Location) hlo.Location {
	last := frames[len(frames)-1]
	if !slices.ContainsFunc(frames, func(f hlo.Location) bool { return f.File != last.File }) {
		return last // there is nothing to choose
	}
	own, seen := map[string]bool{}, map[*Stack]bool{} // the model's files that operations come from
	for _, md := range r.metas() {
		if stack := r.sources.frames(md); !seen[stack] {
			seen[stack], own[stack.at().File] = true, true
		}
	}
	delete(own, "")
	for _, f := range slices.Backward(frames) {
		if own[r.sources.relative(f).File] {
			return f
		}
	}
	return last
}

// isNamed reports whether a function, which Python qualifies ("run.<locals>.act"), has a program's name ("act"). Frameworks spell a lambda in words.
func isNamed(qualified, program string) bool {
	last := qualified[strings.LastIndexByte(qualified, '.')+1:]
	return last == program || last == "<lambda>" && strings.Trim(program, "_") == "lambda"
}

// compilers are installed packages whose version [Toolchain.Versions] holds: a change in one of them is the framework's.
var compilers = []string{"jax", "jaxlib", "tensorflow", "torch", "torch_xla"}

// LibraryOf is the installed package that a file belongs to, by the name that is imported; "" for a file of the model, of Python or of a compiling framework.
func LibraryOf(file string) string {
	if name := installedIn(file); !slices.Contains(compilers, name) {
		return name
	}
	return ""
}

// installedIn is the installed package that a file belongs to; "" for none.
func installedIn(file string) string {
	for _, dir := range []string{"/site-packages/", "/dist-packages/"} {
		if _, inside, ok := strings.Cut(file, dir); ok {
			return inside[:strings.IndexAny(inside+"/", "/.")]
		}
	}
	return ""
}

// Libraries lists the lines of installed packages that the operations of a statement come from, each once.
func (s *Statement) Libraries() (list []hlo.Location) {
	for _, stack := range s.Stacks {
		if l := stack.Library; l.File != "" && !slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	return list
}
