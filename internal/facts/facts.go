// Package facts measures one dump: which programs and variants it holds, and of each variant its kernels, fusions, collectives,
// memory, donation, dtypes and cost. Everything that a rule, a baseline or a diff looks at is here; none of them reads HLO again.
package facts

import (
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// Report holds the measurements of one dump.
type Report struct {
	Dump      string               `json:"dump"`
	Toolchain Toolchain            `json:"toolchain"`
	Device    string               `json:"-"`        // what prices are predicted for, by the name in [price.Devices]; "": what the toolchain says
	Programs  []*Program           `json:"programs"` // sorted by name
	Helpers   []*Program           `json:"helpers"`  // the framework's one-op helper modules, left out of Programs
	Modules   []ModuleInfo         `json:"modules"`
	Drawings  []Drawing            `json:"drawings,omitempty"` // module files that were drawn only; see Options.AllStages
	Passes    []ModulePasses       `json:"passes,omitempty"`   // what each pass of the compiler left; see Options.Passes
	Profile   *Profile             `json:"profile,omitempty"`  // what a profiler measured of the kernels; nil when no profile was given
	Clusters  *tensorflow.Clusters `json:"clusters,omitempty"` // TensorFlow's autoclustering graphs; nil when none were dumped
	Logs      *tensorflow.Logs     `json:"logs,omitempty"`     // what the compiler and framework logs said; nil when none were given
	Problems  []Problem            `json:"problems"`           // what could not be read
	Ignored   []string             `json:"ignored"`            // files that are of no known kind
	Samples   int                  `json:"-"`                  // independent compiles that were compared; 0 when only one was asked for

	releases []func() error // of the modules that are kept open; see Close
}

// Problem is a file or module that could not be read. The gate must not ignore it.
type Problem = dump.Problem

// Toolchain describes what made a dump. An empty field is not known.
type Toolchain struct {
	Framework string            `json:"framework,omitempty" yaml:"framework,omitempty"` // jax | tensorflow | torch_xla
	Versions  map[string]string `json:"versions,omitempty" yaml:"versions,omitempty"`   // jax, jaxlib, tensorflow, libtpu, …
	Libraries map[string]string `json:"libraries,omitempty" yaml:"libraries,omitempty"` // the installed packages that operations come from, by the name that is imported: flax, optax, …
	Backend   string            `json:"backend,omitempty" yaml:"backend,omitempty"`     // cpu | gpu | tpu | …
	Device    string            `json:"device,omitempty" yaml:"device,omitempty"`       // "NVIDIA H100 80GB HBM3", sm_9.0a, gfx942, v5e
	Flags     map[string]string `json:"flags,omitempty" yaml:"flags,omitempty"`         // XLA flags that are not at their default; no dump flags or paths
	Every     map[string]string `json:"-" yaml:"-"`                                     // all flags of a TPU's compiler; Flags holds their digest
}

// Program is a function of the model. Its variants are its different compilations.
type Program struct {
	Name     string     `json:"name"`
	Variants []*Variant `json:"variants"` // in order of first compilation
	// Main marks the program that matters most: the largest optimized module that no other calls.
	Main bool `json:"main,omitempty"`

	of *compiled // what it was compiled from; nil of a stored one
}

// WithSignature returns the variant with a signature, nil if there is none.
func (p *Program) WithSignature(signature string) *Variant {
	for _, v := range p.Variants {
		if v.Signature == signature {
			return v
		}
	}
	return nil
}

// Variant is one compilation of a program, identified by its signature.
type Variant struct {
	Signature string `json:"signature"` // "(p['w1']: f32[64,128], x: f32[8,64])"
	Interface
	Origin
	Input
	Compiled
	Facts       Values        `json:"facts"`
	Unstable    []string      `json:"unstable"` // facts that differed between samples
	Device      *price.Device `json:"-"`        // that the price facts are for; nil where there are none
	WorkVersion int           `json:"-"`        // of [price.Version], by which Kernels were measured
}

// Interface holds the arguments and results of a variant.
type Interface struct {
	Params  []Parameter `json:"params"`           // in order
	Result  string      `json:"result,omitempty"` // the result's shape without layout
	Outputs []Output    `json:"-"`                // if the program is spread over devices: its results, in order; nil if that is not known
	Results []Op        `json:"-"`                // what the program returns, in order, each with the operation that makes it
	Fixed   []int       `json:"-"`                // the numbers of the results that no argument reaches; never stored
}

// Origin is where a variant was compiled, and from which files it was measured.
type Origin struct {
	Modules    []string               `json:"modules"`           // every compile of it: "module_0010.jit_train_step"; more than one: compiled again for nothing
	Elsewhere  []string               `json:"-"`                 // the same compile for other devices and in other processes: legitimate repetitions
	CallSite   hlo.Location           `json:"-"`                 // the model's line that called the function, the last time that it was compiled, where stacks were dumped; never stored
	GraphBreak *tensorflow.GraphBreak `json:"-"`                 // why PyTorch/XLA compiled it, and from where; nil where no log tells, never stored
	Reader     string                 `json:"-"`                 // the function that reads a value, for which PyTorch/XLA compiled it: "step (train.py)"; "" for another graph
	Backend    string                 `json:"-"`                 // what it was compiled for: "cpu", "gpu", "tpu"; helpers may be compiled for the host
	File       string                 `json:"file,omitempty"`    // the optimized module it was measured from
	Reached    string                 `json:"reached,omitempty"` // where on its way through the compiler it was measured, "after pass fusion"; "" at the end
	Missing    []string               `json:"missing"`           // inputs that were not dumped: "buffer-assignment", "before-optimizations", …
	Module     *hlo.Module            `json:"-"`                 // the optimized module while it is open; nil when the facts came from elsewhere
	Compiles   []compile              `json:"-"`                 // see settle
}

// Input is the program that the framework passes to the compiler.
type Input struct {
	InputPrint  string         `json:"input_fingerprint,omitempty"` // its fingerprint, 16 hex digits; "" when it was not dumped
	Partitioner string         `json:"partitioner,omitempty"`       // shardy or gspmd; "" where nothing tells
	InputVaries bool           `json:"-"`                           // it differed between samples
	KeyKnown    bool           `json:"-"`                           // several samples say what JAX's persistent cache hashes of it; never stored
	KeyDiffers  *KeyDifference `json:"-"`                           // where that is not the same; nil where it is; never stored
	Model       []Statement    `json:"-"`                           // what the model computes, line by line of its source
	ModelAfter  bool           `json:"-"`                           // Model was read off the optimized module: what the compiler repeats is in it once, what it removes is not
	Barriers    []Barrier      `json:"-"`                           // what fusion cannot cross
	Differing   []Op           `json:"-"`                           // operations that not all variants of the same signature have
}

// Compiled is the program that the compiler makes.
type Compiled struct {
	Fingerprint string     `json:"fingerprint"`         // canonical, 16 hex digits; equal for equal programs
	Kernels     []Kernel   `json:"kernels"`             // every launch in the optimized module, in schedule order
	Constants   []Constant `json:"constants,omitempty"` // that are baked into it
	Buffers     []Buffer   `json:"buffers,omitempty"`   // the largest temporary allocations
	Products    []*Product `json:"-"`                   // every matrix product and convolution in the optimized module
	Counts      Counts     `json:"-"`                   // the facts that count instructions, by operation of the model
	Unassembled string     `json:"-"`                   // why it is not known what registers the kernels take; "" where it is known, and where no PTX was dumped
}

// Parameter is one argument of an entry computation.
type Parameter struct {
	Name     string       `json:"name"`             // the model's name ("p['w1']"), else the instruction's
	Shape    string       `json:"shape"`            // without layout
	Layout   string       `json:"layout,omitempty"` // minor_to_major and properties, "" for the default
	Sharding string       `json:"sharding,omitempty"`
	Spec     string       `json:"-"` // how the model spreads it over its mesh: "P('data', None)"; "" where no axis splits it
	Given    string       `json:"-"` // never stored: the sharding that it is handed over with, and its mesh; "" for an array that no mesh holds, whatever the compiler chose
	Bytes    int64        `json:"bytes"`
	Aliased  bool         `json:"aliased,omitempty"`  // an output reuses its buffer
	Written  float64      `json:"written,omitempty"`  // the share of an aliased argument that a run writes; 0 if that is not known
	Donated  bool         `json:"donated,omitempty"`  // donated, but no output could use it
	Unused   bool         `json:"unused,omitempty"`   // no instruction reads it
	Source   hlo.Location `json:"-"`                  // where the model made it, of one without a name: PyTorch/XLA's
	Captured bool         `json:"captured,omitempty"` // the model does not hand it over: the framework passes what the function reads
	Constant string       `json:"constant,omitempty"` // a must-be-constant argument's value
}

// Output is one result of a program that is spread over several devices.
type Output struct {
	Shape    string `json:"shape,omitempty"`    // of the whole, without layout
	Split    string `json:"split,omitempty"`    // in how many pieces each dimension is: "[2,1]"; "" where every device holds all of it
	Sharding string `json:"sharding,omitempty"` // the sharding that was asked for, where one was
	Spec     string `json:"spec,omitempty"`     // the same in the model's words: "P('data', None)"
	Bytes    int64  `json:"bytes,omitempty"`    // of the whole
	OpName   string `json:"-"`                  // of the operation that makes it, as the model asks for it; never stored
}

// Kernel is one launch, of any [Class].
type Kernel struct {
	*Form
	*Site
	Name       string     `json:"name"`                // the instruction's name; changes with every compile
	Ops        []FusedOp  `json:"ops,omitzero"`        // what is fused in it, in order, with the model's names
	Result     bool       `json:"-"`                   // its value leaves the program
	Async      bool       `json:"-"`                   // a collective that is started and waited for apart
	Overlapped int32      `json:"-"`                   // of one that is Async: how many kernels run meanwhile
	Until      int32      `json:"-"`                   // the index of the first kernel after a loop, or after the end of an asynchronous transfer; never stored
	Plan       *Plan      `json:"launch,omitempty"`    // nil where it was not dumped
	Code       *Code      `json:"code,omitempty"`      // nil where nothing tells; never stored
	Occupancy  *Occupancy `json:"occupancy,omitempty"` // nil where its code, its launch or the device is not known; never stored
	From       []int32    `json:"-"`                   // the variant's kernels that it reads from, ascending; like Result and Outs unknown to a stored baseline
	Writes     string     `json:"-"`                   // the shape of the argument or of the loop's state that it writes whole; never stored
	Outs       []Op       `json:"-"`                   // the operations whose values leave a fusion of several results
}

// Site is the place of a kernel in the program, and the model's name of it. Many kernels share one.
type Site struct {
	OpName  string       `json:"op,omitempty"` // the model's own name
	OpType  string       `json:"type,omitempty"`
	Source  hlo.Location `json:"source,omitzero"`
	Stack   *Stack       `json:"-"`                    // Source and the model's lines that called it; never stored
	Times   int64        `json:"runs,omitempty"`       // how often it runs: the product of the known trip counts around it; 1 outside loops
	Guess   int64        `json:"guess,omitempty"`      // how often, times that, loops of unknown length around it are taken to run; 0 where there is none
	Most    int64        `json:"guess_most,omitempty"` // how often, times Times, they run at most; 0 where that is not known
	Branch  string       `json:"branch,omitempty"`     // the branches of conditionals that it stands in: "0.1" is the second branch of the first, "0.1 2.0" inside of it
	Loop    string       `json:"loop,omitempty"`       // op_name of the innermost loop around it, "" outside loops
	InLoop  bool         `json:"in_loop,omitempty"`
	Within  string       `json:"-"`                  // the function of Source, of a stored kernel
	InEntry bool         `json:"in_entry,omitempty"` // outside loops and branches: in the entry computation, or in a call or wrapper that it holds
}

// Plan is how a kernel is launched on a GPU.
type Plan struct {
	Grid   [3]int64 `json:"grid,omitzero"`  // blocks launched
	Block  [3]int64 `json:"block,omitzero"` // threads of a block
	Shared int64    `json:"shared_bytes"`   // bytes of shared memory that the launch requests
	Entry  string   `json:"-"`              // the function that is launched; kernels with equal code share one
}

// Form is what a kernel computes, without its place in the program and the names there. A model repeats its layers, so many kernels share one form.
type Form struct {
	Do     Opcodes  `json:"do,omitempty"`     // the opcodes in it; parameters, constants, tuples and the like left out
	Kind   string   `json:"kind,omitempty"`   // loop, input, output, custom, library, collective, copy, … see kinds in docs/facts.md
	Root   string   `json:"root,omitempty"`   // the opcode at its root
	Out    string   `json:"out,omitempty"`    // its result's shape without layout
	Layout string   `json:"-"`                // its result's layout as printed, "" for the default
	In     []string `json:"in,omitempty"`     // its operands' shapes without layout
	Target string   `json:"target,omitempty"` // a custom call's target; a collective's opcode without -start
	Thread string   `json:"thread,omitempty"` // the execution thread, where that is not the device's main one: "sparsecore", "host"
	Attrs  string   `json:"attrs,omitempty"`  // the attributes that tell equal opcodes apart: dimensions, groups, window …
	Bytes  int64    `json:"bytes,omitempty"`  // read and written, once
	Flops  int64    `json:"flops,omitempty"`
	Fusion bool     `json:"fusion,omitempty"` // a fusion of any kind, not a single operation
	Class  Class    `json:"class,omitempty"`
	Collective
	Trips
	Print  string `json:"print,omitempty"`  // content fingerprint, 16 hex digits: operations, shapes, attributes; no names
	Family string `json:"family,omitempty"` // the same without shapes, for programs whose shapes scale

	Config []string `json:"config,omitempty"` // what the backend_config of a custom call or of a library's fusion says: "epilogue=GELU"; see [hlo.Module.Settings]

	Handwritten

	Work price.Work `json:"work,omitzero"` // what one launch takes of a device
}

// Collective describes the devices that a collective runs across.
type Collective struct {
	Groups string `json:"groups,omitempty"` // "2 of 4"
	Axes   string `json:"axes,omitempty"`   // the axes of the model's mesh that it runs along: "data", "dp, tp"
}

// Trips is how often the body of a loop runs each time that the loop is entered.
type Trips struct {
	Length     int64 `json:"length,omitempty"` // 0 where it is not known
	MaxTrips   int64 `json:"most,omitempty"`   // of a loop of unknown length; 0 where it is not known
	ExitsEarly bool  `json:"stops,omitempty"`  // of a loop of unknown length: more than counters may end it

	InPart string `json:"in_part,omitempty"` // the shapes of those arrays of its state of which an iteration writes less than half
	Whole  string `json:"whole,omitempty"`   // the shapes of those that an iteration writes whole
}

// Handwritten is the body of a kernel that was written by hand in Pallas, Mosaic or Triton.
type Handwritten struct {
	Function string         `json:"function,omitempty"` // its name
	Written  map[string]int `json:"body,omitempty"`     // how often each operation is in it: "math.exp": 2
}

// Class says into which facts a launch counts.
type Class uint8

// The classes of launches.
const (
	ClassKernel Class = iota
	ClassLibrary
	ClassCopy
	ClassCollective
	ClassControl
)

// Computes reports whether such a launch computes, in its own code or in a library, and so counts into kernels.total.
func (c Class) Computes() bool { return c == ClassKernel || c == ClassLibrary }

// Op is one operation inside a kernel.
type Op struct {
	Opcode string       `json:"opcode"`
	OpName string       `json:"op_name,omitempty"`
	Shape  string       `json:"shape"`
	Layout string       `json:"-"` // "" for the default; only in kernels
	Attrs  string       `json:"-"` // a constant's value, dimensions and the like; only in Variant.Differing
	Source hlo.Location `json:"source,omitzero"`
	Stack  *Stack       `json:"-"` // Source and the model's lines that called it, of an operation in a kernel; never stored
}

// FusedOp is one operation inside a kernel, and where its operands come from. The operations of a large module are few and stand in it often: those of
// a module that are alike share their Op. Without that, those of an unrolled training step of 23 MB take a tenth more memory.
type FusedOp struct {
	*Op
	From []int32 `json:"-"` // its operands in Kernel.Ops; ^n is the kernel's operand n, and see FromConstant
}

// Statement is one line of the model's source in one scope: the computing and moving operations that the framework passed to the compiler for it.
type Statement struct {
	Scope  string   // of JAX the op_name without its last step, else the whole op_name
	Type   string   // the element type of their results
	Do     []string // opcodes, sorted, repetitions kept; a custom call's target; no parameters, constants, reshapes and broadcasts
	Print  uint64   // the sum of hashes of each of them with its operands, without names; 0 where the unoptimized module was not dumped
	OpName string   // of the first of them
	OpType string
	Within string // the function of Source, of a stored statement
	Source hlo.Location
	Caller hlo.Location // the model's line that called the function which Source is in; never stored
	Stacks []*Stack     // each Source, Caller and what called that; never stored
}

// Barrier is an operation that fusion cannot cross: an optimization barrier, a callback, a transfer with the host.
type Barrier struct {
	Op
	Inputs []Op // the operations whose values it takes
}

// Constant is a constant baked into the program.
type Constant struct {
	Shape  string       `json:"shape"`
	Bytes  int64        `json:"bytes"`
	Value  string       `json:"value,omitempty"` // as printed; "{...}" for more than ten elements
	OpName string       `json:"op_name,omitempty"`
	Within string       `json:"-"` // the function of the model
	Source hlo.Location `json:"source,omitzero"`
}

// Buffer is one allocation, named by what the model keeps in it.
type Buffer struct {
	Bytes  int64        `json:"bytes"`
	Shape  string       `json:"shape,omitempty"`
	OpName string       `json:"op_name,omitempty"`
	Source hlo.Location `json:"source,omitzero"`
}

// ModuleInfo is one module file as inspect lists it; the numbers are those of XLA's own parser and cost analysis.
type ModuleInfo struct {
	File              string             `json:"file"`
	Name              string             `json:"name"`
	Stage             string             `json:"stage"`
	Entry             string             `json:"entry"`
	Computations      int                `json:"computations"`
	Instructions      int                `json:"instructions"`
	EntryInstructions int                `json:"entry_instructions"`
	Opcodes           map[string]int     `json:"opcodes"`
	EntryParams       []string           `json:"entry_params"`
	EntryResult       string             `json:"entry_result"`
	Kernels           int                `json:"kernels"`
	CustomCallTargets map[string]int     `json:"custom_call_targets"`
	Aliases           int                `json:"aliases"`
	Cost              map[string]float64 `json:"cost,omitempty"` // flops, bytes_accessed, transcendentals
}
