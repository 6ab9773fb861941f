package facts

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
)

// A launch is one item of work that the program starts on the device, with its place in the program.
//
// Counted are the instructions that are reachable from the entry through while bodies and conditions, branches, calls and
// asynchronous wrappers; never those inside a fusion or inside the computation of a reduce, sort, scatter or map.
type launch struct {
	id    hlo.InstrID
	async hlo.InstrID // the async-start around it, which holds the metadata when the wrapped instruction has none
	moves hlo.InstrID // the collective itself: id, or the one that is fused in it; NoInstr for other launches
	place place
	class Class

	queued float64 // see reader.queue
}

// place is what surrounds a launch.
type place struct {
	loop   hlo.InstrID // the innermost while; NoInstr outside loops
	times  int64       // the product of the known trip counts around it
	depth  int         // how many calls are between it and the entry
	guess  int64       // see Site.Guess
	most   int64       // see Site.Most
	branch string      // see Site.Branch
	inner  bool        // in a loop or branch, so not simply once a run
	looped bool        // in a loop that may run more than once
}

// reachedLoop is one while that the program reaches.
type reachedLoop struct {
	*loop
	runs int64 // how often the loop itself is entered
	end  int   // the first launch after those in it
}

// limits that only a broken or hostile module reaches
const (
	maxLaunches = 8 << 20
	maxDepth    = 256
)

var errTooDeep = errors.New("its calls are nested too deep or repeat too often to be counted")

// walk collects a module's launches in schedule order.
type walk struct {
	m          *hlo.Module
	family     price.Family
	alike      *hlo.Alike
	values     *values
	classified map[uint64]classification // by what an instruction says
	launches   []launch
	loops      []reachedLoop
	branches   int // conditionals that were met
	most       amount
	sum        amount                    // of what was walked
	bodies     []bodySize                // by hlo.CompID
	listed     []bool                    // likewise: its operations are in sum.listed
	chains     map[string]bool           // asynchronous collectives whose first fusion was seen
	chainEnds  map[chainIn][]hlo.InstrID // see findChainEnds
}

// newWalk finds the module's launches.
func (r *reader) newWalk() (*walk, error) {
	first, end := r.m.Body(r.m.Entry)
	all := int64(len(r.m.Instrs))
	launches := min(max(leastLaunches, mostRepeated*all), maxLaunches)
	w := &walk{
		m: r.m, family: r.family, alike: r.alike(), values: r.values(), classified: map[uint64]classification{}, chains: map[string]bool{}, launches: make([]launch, 0, end-first),
		most: amount{launches, launches, max(leastOperations, mostRepeated*all), max(leastListed, mostRepeated*all)}, bodies: r.bodies(), listed: make([]bool, len(r.m.Comps)),
	}
	return w, w.computation(r.m.Entry, place{loop: hlo.NoInstr, times: 1}, hlo.NoInstr)
}

func (w *walk) computation(c hlo.CompID, at place, async hlo.InstrID) error {
	if w.sum.calls++; at.depth > maxDepth || !w.sum.within(w.most) {
		return errTooDeep
	}
	for id, end := w.m.Body(c); id < end; id++ {
		if err := w.instruction(id, at, async); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) instruction(id hlo.InstrID, at place, async hlo.InstrID) error {
	switch roleOf(w.m.Instrs[id].Opcode) {
	case roleFree:
		return nil
	case roleEnter:
		return w.enter(id, at, async)
	case roleControl:
		return w.control(id, at)
	}
	l := launch{id: id, async: async, moves: hlo.NoInstr, place: at}
	if !w.classify(&l) {
		return nil
	}
	return w.add(l)
}

// add adds a launch, unless there are too many, or too many operations in them: calls that each repeat the next multiply to more than there is memory for.
func (w *walk) add(l launch) error {
	w.launches = append(w.launches, l)
	w.sum.launches++
	if op := w.m.Instrs[l.id].Opcode; op == hlo.OpFusion || op == hlo.OpCall {
		for _, c := range w.m.Callees(l.id) {
			w.sum.operations += w.bodies[c].all
			if !w.listed[c] {
				w.listed[c] = true
				w.sum.listed += w.bodies[c].listed
			}
		}
	}
	if !w.sum.within(w.most) {
		return errTooDeep
	}
	return nil
}

// enter walks what a call or an asynchronous wrapper runs. XLA for CPU compiles the callee of a small call into one kernel.
func (w *walk) enter(id hlo.InstrID, at place, async hlo.InstrID) error {
	if w.classification(id).small {
		return w.add(launch{id: id, async: async, moves: hlo.NoInstr, place: at, class: ClassKernel})
	}
	if w.m.Instrs[id].Opcode == hlo.OpAsyncStart {
		async = id
	}
	at.depth++
	for _, c := range w.m.Callees(id) {
		if err := w.computation(c, at, async); err != nil {
			return err
		}
	}
	return nil
}

// control records a loop, a branch or a transfer with the host, and walks what it runs.
func (w *walk) control(id hlo.InstrID, at place) error {
	if err := w.add(launch{id: id, async: hlo.NoInstr, moves: hlo.NoInstr, place: at, class: ClassControl}); err != nil {
		return err
	}
	callees, inside := w.m.Callees(id), at
	inside.depth++
	inside.inner = true
	if w.m.Instrs[id].Opcode != hlo.OpWhile || len(callees) != 2 {
		number := w.branches
		w.branches++
		for n, c := range callees { // each branch in a place of its own
			inside.branch = strings.TrimLeft(fmt.Sprintf("%s %d.%d", at.branch, number, n), " ")
			if err := w.computation(c, inside, hlo.NoInstr); err != nil {
				return err
			}
		}
		return nil
	}
	l, number := w.values.loop(id), len(w.loops)
	w.loops = append(w.loops, reachedLoop{loop: l, runs: at.times})
	inside.loop, inside.looped = id, inside.looped || l.trips == unknownTrips || l.trips > 1
	// Once: a loop whose trip count is known is run without asking its condition again.
	if err := w.computation(callees[1], inside, hlo.NoInstr); err != nil {
		return err
	}
	if l.trips != unknownTrips {
		inside.times = timesProduct(inside.times, l.trips)
	} else {
		if inside.guess == 0 || inside.most > 0 { // 0 where an outer loop has no maximum
			inside.most = timesProduct(max(1, inside.most), l.exit.most)
		}
		inside.guess = timesProduct(max(1, inside.guess), l.iterations())
	}
	var err error
	if l.trips != 0 { // else the body is never run
		err = w.computation(callees[0], inside, hlo.NoInstr)
	}
	w.loops[number].end = len(w.launches)
	return err
}

// guessedTrips is how often a loop is taken to run if it counts to a number that nobody knows. It is also the maximum of a loop that has none: whoever writes
// no maximum expects an early end.
const guessedTrips = 10

// iterations is how often a loop runs each time that it is entered. If the length is not known:
//   - A loop that only its counters end is taken to run as often as they say.
//   - A loop that has room for one result of each iteration, as where text is generated, is taken to fill half of it.
//   - The maximum of any other loop only keeps it from running for ever. It is taken to run the square root of that, which is as far from the maximum as from once.
func (l *loop) iterations() int64 {
	switch most := l.exit.most; {
	case l.trips != unknownTrips:
		return l.trips
	case l.exit.exact:
		return most
	case l.exit.fills:
		return most / 2
	case most > 0:
		return int64(math.Round(math.Sqrt(float64(most))))
	case l.exit.early:
		return int64(math.Round(math.Sqrt(guessedTrips)))
	}
	return guessedTrips
}

// lengths sets how often each loop runs. Loops are in the order of their launches.
func (r *reader) lengths(w *walk, kernels []Kernel) {
	loops := w.loops
	for i, l := range w.launches {
		if len(loops) > 0 && loops[0].id == l.id {
			counted := *kernels[i].Form
			parts, wholes := r.states(l.id)
			counted.Trips = Trips{InPart: parts, Whole: wholes, Length: max(0, loops[0].trips), MaxTrips: loops[0].exit.most, ExitsEarly: loops[0].exit.early}
			iterations := float64(loops[0].iterations())
			counted.Work = price.Work{price.Iterations: iterations, price.Queued: l.queued}
			if loops[0].trips == unknownTrips { // a decision before each iteration
				counted.Work[price.Decisions] = iterations
			}
			counted.Work = counted.Work.Rounded()
			kernels[i].Form, kernels[i].Until = r.interner.form(counted), int32(loops[0].end)
			loops = loops[1:]
		}
	}
	for i, l := range w.launches {
		kernels[i].Writes = r.rewrites[l.id]
	}
}

// amount is how much a module runs.
type amount struct {
	launches, calls int64
	operations      int64 // in its launches
	listed          int64 // likewise, those of each computation once: launches of one computation share its list
}

// What a small module may come to by calls that repeat, and a large one for each of its instructions.
const (
	leastLaunches   = 1 << 17
	leastOperations = 4 << 20
	leastListed     = 1 << 19 // an operation in a list takes 200 bytes
	mostRepeated    = 16
)

func (a amount) within(most amount) bool {
	return a.launches <= most.launches && a.calls <= most.calls && a.operations <= most.operations && a.listed <= most.listed
}

// bodySize is how many instructions are in a computation and in what it enters, in a launch as flow sees it.
type bodySize struct {
	all    int64
	listed int64 // those that [reader.operations] lists
}

// bodies are the sizes of the computations. Callees come before callers: each computation is visited once.
func bodies(m *hlo.Module) []bodySize {
	const enough = 1 << 40 // far above every limit, and far below what overflows
	sizes := make([]bodySize, len(m.Comps))
	for c := range m.Comps {
		size := &sizes[c]
		for id, end := m.Body(hlo.CompID(c)); id < end; id++ {
			size.all++
			if op := m.Instrs[id].Opcode; !entered(op) {
				if !hidden(op) {
					size.listed++
				}
				continue
			}
			for _, callee := range m.Callees(id) {
				size.all = min(size.all+sizes[callee].all, enough)
				size.listed = min(size.listed+sizes[callee].listed, enough)
			}
		}
	}
	return sizes
}

// classify says how a launch counts, and whether it is one at all.
func (w *walk) classify(l *launch) bool {
	op := w.m.Instrs[l.id].Opcode
	switch role := roleOf(op); {
	case op == hlo.OpFusion, op == hlo.OpCustomCall:
		j := w.classification(l.id)
		l.class = j.class
		if j.collective < 0 {
			return !j.free
		}
		// TPU splits an asynchronous collective over a chain of fusions: the first starts it, those in the middle compute beside it, the last waits.
		collective := w.m.Comps[w.m.Callees(l.id)[0]].First + j.collective
		if chain := w.chain(collective); !w.chains[chain] {
			w.chains[chain] = chain != ""
			l.class, l.moves = ClassCollective, collective
		}
		return !j.free
	case op == hlo.OpPartitionId || op == hlo.OpReplicaId: // see EmitReplicaOrPartitionId in xla/service/gpu/thunk_emitter.cc; a TPU reads a register
		return w.family != price.TPU
	case (op == hlo.OpSend || op == hlo.OpRecv) && w.m.AttrText(l.id, "is_host_transfer") == "true": // so a TPU calls Python
		l.class = ClassControl
	case role == roleCollective:
		l.class, l.moves = ClassCollective, l.id
	case role == roleCopy, l.async != hlo.NoInstr && copied(op):
		l.class = ClassCopy
	case role == roleLibrary:
		l.class = ClassLibrary
	}
	return true
}

// classification is how an instruction counts. Instructions that say the same share one.
type classification struct {
	class      Class
	free       bool        // no launch
	small      bool        // a call that XLA for CPU compiles into one kernel
	collective hlo.InstrID // the first one in a fusion, counted from its body's first instruction; -1 for none
}

// classification classifies a fusion or a call. It looks at those that say the same only once.
func (w *walk) classification(id hlo.InstrID) classification {
	own := w.alike.Own(id)
	j, known := w.classified[own]
	if known {
		return j
	}
	j.collective = -1
	switch w.m.Instrs[id].Opcode {
	case hlo.OpFusion:
		w.classifyFusion(&j, id)
	case hlo.OpCustomCall:
		target := w.m.AttrText(id, "custom_call_target")
		if j.free = freeTargets[target]; !kernelTargets[target] {
			j.class = ClassLibrary
		}
	case hlo.OpCall:
		j.small = frontendAttribute(w.m.AttrText(id, "frontend_attributes"), "xla_cpu_small_call") == "true"
	}
	w.classified[own] = j
	return j
}

// classifyFusion recognizes fusions that call a library, that copy, and that hold a collective or wait for one.
func (w *walk) classifyFusion(j *classification, id hlo.InstrID) {
	if w.m.AttrText(id, "kind") == "kCustom" {
		j.class = customFusionClass(fusionConfigKind(w.m.AttrText(id, "backend_config")))
	}
	callees := w.m.Callees(id)
	if len(callees) == 0 {
		return
	}
	root := w.m.Comps[callees[0]].Root
	if w.m.Instrs[root].Opcode == hlo.OpCustomCall {
		j.free = w.m.AttrText(root, "custom_call_target") == "AsyncCollectiveDone"
	}
	first, end := w.m.Body(callees[0])
	for i := first; i < end && j.collective < 0 && !j.free; i++ {
		if roleOf(w.m.Instrs[i].Opcode) == roleCollective {
			j.collective = i - first
		}
	}
}

// chain is what the pieces of one asynchronous collective have in common, "" for a collective in one piece.
func (w *walk) chain(id hlo.InstrID) string {
	chain := frontendAttribute(w.m.AttrText(id, "frontend_attributes"), "chain_id")
	if chain == "" {
		return ""
	}
	return w.m.AttrText(id, "channel_id") + " " + chain
}

// customFusionClass is the class of a fusion of kind kCustom by the kind in its fusion_config.
func customFusionClass(kind string) Class {
	switch {
	case kind == "__dynamic_memcpy":
		return ClassCopy
	case kind == "__ynn_fusion", kind == "__xnn_fusion", strings.HasPrefix(kind, "__onednn"),
		strings.HasPrefix(kind, "__cudnn"), strings.HasPrefix(kind, "__cublas"):
		return ClassLibrary
	}
	return ClassKernel
}

// fusionConfigKind is backend_config.fusion_backend_config.kind (GPU) or fusion_config.kind (CPU); "" when there is none.
func fusionConfigKind(config string) string {
	for rest := config; ; {
		at := strings.Index(rest, `"kind":"`)
		if at < 0 {
			return ""
		}
		rest = rest[at+len(`"kind":"`):]
		if kind, _, ok := strings.Cut(rest, `"`); ok && strings.HasPrefix(kind, "__") {
			return kind
		}
	}
}

// frontendAttribute returns one value of a printed frontend_attributes: {name="value",other={...}}.
func frontendAttribute(printed, name string) string {
	for _, before := range []string{"{", ",", " "} {
		if _, rest, found := strings.Cut(printed, before+name+`="`); found {
			value, _, _ := strings.Cut(rest, `"`)
			return value
		}
	}
	return ""
}

// role says what an opcode is to the counting of launches.
type role uint8

const (
	roleKernel role = iota // one launch of its own
	roleFree               // no launch: a name, a view or an order
	roleEnter              // nothing itself; its computations are walked
	roleCopy
	roleCollective
	roleLibrary
	roleControl // the runtime does it: loops, branches, the host's queues
)

// roles holds every opcode that is not a kernel.
var roles = [...]role{
	hlo.OpParameter: roleFree, hlo.OpConstant: roleFree, hlo.OpTuple: roleFree, hlo.OpGetTupleElement: roleFree,
	hlo.OpBitcast: roleFree, hlo.OpAfterAll: roleFree, hlo.OpAddDependency: roleFree, hlo.OpOptBarrier: roleFree,
	hlo.OpDomain: roleFree, hlo.OpGetDimensionSize: roleFree, hlo.OpTrace: roleFree, hlo.OpAsyncUpdate: roleFree,
	hlo.OpAsyncDone: roleFree, hlo.OpCopyDone: roleFree, hlo.OpAllReduceDone: roleFree, hlo.OpAllGatherDone: roleFree,
	hlo.OpCollectivePermuteDone: roleFree, hlo.OpSendDone: roleFree, hlo.OpRecvDone: roleFree,

	hlo.OpCall: roleEnter, hlo.OpAsyncStart: roleEnter,
	hlo.OpWhile: roleControl, hlo.OpConditional: roleControl, hlo.OpInfeed: roleControl, hlo.OpOutfeed: roleControl,
	hlo.OpCopy: roleCopy, hlo.OpCopyStart: roleCopy,
	hlo.OpFft: roleLibrary, hlo.OpCustomCall: roleLibrary,

	hlo.OpAllGather: roleCollective, hlo.OpAllGatherStart: roleCollective, hlo.OpAllReduce: roleCollective,
	hlo.OpAllReduceStart: roleCollective, hlo.OpAllToAll: roleCollective, hlo.OpCollectiveBroadcast: roleCollective,
	hlo.OpCollectivePermute: roleCollective, hlo.OpCollectivePermuteStart: roleCollective,
	hlo.OpCollectiveReduce: roleCollective, hlo.OpRaggedAllToAll: roleCollective, hlo.OpReduceScatter: roleCollective,
	hlo.OpSend: roleCollective, hlo.OpRecv: roleCollective,
}

// roleOf is the opcode's role. An opcode that is not known is a kernel.
func roleOf(op hlo.Opcode) role {
	if int(op) < len(roles) {
		return roles[op]
	}
	return roleKernel
}

// freeTargets are custom calls that name, allocate or annotate, and run nothing.
var freeTargets = map[string]bool{
	"AllocateBuffer": true, "ConcatBitcast": true, "AssumeGatherIndicesInBound": true, "GatherScatterIndicesBitpacked": true,
	"AsyncCollectiveDone": true, "PrepareAsyncCallStart": true, "PrepareAsyncCallDone": true, "Sharding": true, "SPMDFullToShardShape": true, "SPMDShardToFullShape": true,
	"LayoutConstraint": true, "annotate_device_placement": true, "CreateBuffer": true, "Pin": true, "Unpin": true,
}

// kernelTargets are custom calls that are a kernel of the model's own (Pallas, Triton, Mosaic) or of the compiler.
var kernelTargets = map[string]bool{
	"tpu_custom_call": true, "__gpu$xla.gpu.triton": true, "triton_kernel_call": true, "__gpu$TopK": true,
	"mosaic_gpu": true, "mosaic_gpu_v2": true,
}

// hidden reports whether an opcode is left out of what a kernel does: it moves nothing and computes nothing.
func hidden(op hlo.Opcode) bool {
	return op == hlo.OpParameter || op == hlo.OpConstant || op == hlo.OpTuple || op == hlo.OpGetTupleElement || op == hlo.OpBitcast
}

// copied reports whether an operation only moves data: wrapped in an async-start it is a copy by DMA.
func copied(op hlo.Opcode) bool {
	return op == hlo.OpSlice || op == hlo.OpDynamicSlice || op == hlo.OpDynamicUpdateSlice || op == hlo.OpCopy || op == hlo.OpConcatenate
}

// plainOpcode is a collective's or copy's opcode without what says how it is started.
func plainOpcode(name string) string { return strings.TrimSuffix(name, "-start") }
