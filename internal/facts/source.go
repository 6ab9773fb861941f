package facts

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// frameworkTrees mark files that belong to a framework or to Python itself, wherever it is installed or built from.
var frameworkTrees = []string{
	"jax/_src/", "jax/experimental/", "jax/interpreters/", "tensorflow/python/", "tensorflow/core/", "keras/src/",
	"torch_xla/core/", "/lib/python3", "/lib64/python3", "third_party/py/", "importlib/_bootstrap",
}

// frameworkPackages are installed packages that are never the model: only where no other frame is left are they named.
var frameworkPackages = []string{
	"jax", "jaxlib", "flax", "optax", "haiku", "chex", "orbax", "equinox", "tensorflow", "keras", "tf_keras", "torch",
	"torch_xla", "numpy", "scipy", "einops", "absl", "IPython", "ipykernel", "pytest", "_pytest", "lightning", "transformers",
}

// origin says whose a source file is.
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
	for _, dir := range []string{"/site-packages/", "/dist-packages/"} {
		if _, inside, ok := strings.Cut(file, dir); ok {
			return packageOrigin(inside)
		}
	}
	for _, tree := range frameworkTrees {
		if strings.Contains(file, tree) {
			return originFramework
		}
	}
	return originModel
}

func packageOrigin(inside string) origin {
	name, _, _ := strings.Cut(inside, "/")
	for _, p := range frameworkPackages {
		if name == p {
			return originFramework
		}
	}
	return originPackage
}

// sources finds the model's own line of an instruction.
type sources struct {
	m       *hlo.Module
	root    string // a folder with a slash behind it that paths are shortened by; "" for none
	stock   *stock
	byFrame map[int32]*Stack // stack frames repeat: thousands of instructions share a few hundred
	stacks  map[int32][]hlo.Location
	traced  *tensorflow.Trace // what TensorFlow dumped of the operations; nil where it did not
}

func newSources(m *hlo.Module, from *stock) *sources {
	return &sources{m: m, stock: from, byFrame: map[int32]*Stack{}, stacks: map[int32][]hlo.Location{}}
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

// locate is the innermost line of the model's own, see frames.
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

// own is what of a stack is the model's.
func (s *sources) own(stack []hlo.Location) *Stack {
	var found *Stack
	for _, frame := range slices.Backward(stack) {
		if originOf(frame.File) == originModel {
			found = s.stock.stack(s.relative(frame), found)
		}
	}
	for _, frame := range stack {
		if found == nil && originOf(frame.File) == originPackage {
			found = s.stock.stack(s.relative(frame), nil)
		}
	}
	return found
}

// relative shortens the path of a file below the root: "model/attention.py" is what people and pull requests call it.
func (s *sources) relative(l hlo.Location) hlo.Location {
	if s.root != "" {
		l.File = strings.TrimPrefix(l.File, s.root)
	}
	return l
}

// locateByName finds the lines of launches that lost theirs on the way: an operation that the compiler merged out of several
// keeps their names ("jit(f)/transpose;jit(f)/transpose") and no place, but the unoptimized module still has both.
func (r *reader) locateByName(kernels []Kernel) {
	places := map[string]*Stack{}
	for i := range kernels {
		if k := &kernels[i]; k.Source.File == "" {
			for name := range strings.SplitSeq(k.OpName, ";") {
				places[name] = nil
			}
		}
	}
	delete(places, "")
	if len(places) == 0 {
		return
	}
	for md := range r.eachMetadata() {
		if place, wanted := places[md.OpName]; wanted && place == nil {
			places[md.OpName] = r.sources.frames(md)
		}
	}
	for i := range kernels {
		if kernels[i].Source.File == "" {
			kernels[i].Site = r.stock.site(kernels[i].located(places))
		}
	}
}

// located is the kernel's site with the place of the first name that has one, else that of the last operation inside that has one.
func (k *Kernel) located(places map[string]*Stack) Site {
	at := *k.Site
	for name := range strings.SplitSeq(at.OpName, ";") {
		if at.Stack == nil {
			at.from(places[name])
		}
	}
	for op := range k.Ops.backward() {
		if at.Stack != nil {
			break
		}
		at.from(op.Stack)
	}
	return at
}

// slashed is a folder's path with one slash behind it, "" for none.
func slashed(dir string) string {
	if dir == "" {
		return ""
	}
	return strings.TrimSuffix(dir, "/") + "/"
}
