package facts

import (
	"slices"
	"strings"
)

// ID names a fact as JSON, baselines and expressions spell it: "kernels.total".
type ID string

// Values holds the facts of one variant. A fact that was not dumped is absent, never 0.
type Values map[ID]float64

// Family names facts that are counted by name. The name replaces the star: "kernels.*".
type Family string

// The facts.
const (
	KernelsTotal    ID = "kernels.total"
	KernelsEntry    ID = "kernels.entry"
	KernelsWeighted ID = "kernels.weighted"
	FusionsTotal    ID = "fusions.total"
	FusionsLoop     ID = "fusions.loop"
	FusionsInput    ID = "fusions.input"
	FusionsOutput   ID = "fusions.output"
	FusionsCustom   ID = "fusions.custom"

	LoopsWhile     ID = "loops.while"
	LoopsTripCount ID = "loops.trip_count"
	LoopsUnknown   ID = "loops.unknown"
	LoopsEarlyExit ID = "loops.early_exit"
	LoopsAsBefore  ID = "loops.as_before"

	CopiesCount     ID = "copies.count"
	CopiesBytes     ID = "copies.bytes"
	TransposesCount ID = "transposes.count"
	TransposesBytes ID = "transposes.bytes"

	PriceStep     ID = "price.step_ns"
	PriceLaunch   ID = "price.launch_ns"
	PriceCompute  ID = "price.compute_ns"
	PriceMemory   ID = "price.memory_ns"
	PriceNetwork  ID = "price.network_ns"
	PriceHost     ID = "price.host_ns"
	PriceUnpriced ID = "price.unpriced"

	MemoryArgument   ID = "memory.argument_bytes"
	MemoryOutput     ID = "memory.output_bytes"
	MemoryAlias      ID = "memory.alias_bytes"
	MemoryTemp       ID = "memory.temp_bytes"
	MemoryConstant   ID = "memory.constant_bytes"
	MemoryPeak       ID = "memory.peak_bytes"
	MemoryHeld       ID = "memory.held_bytes"
	MemoryAllocation ID = "memory.allocation_bytes"
	DonationAliased  ID = "donation.aliased"
	DonationBytes    ID = "donation.aliased_bytes"

	InstructionsBefore ID = "instructions.before"
	InstructionsAfter  ID = "instructions.after"

	CostFlops           ID = "cost.flops"
	CostBytes           ID = "cost.bytes_accessed"
	CostTranscendentals ID = "cost.transcendentals"
	CostWeightedFlops   ID = "cost.weighted_flops"
	CostWeightedBytes   ID = "cost.weighted_bytes_accessed"
	CostCycles          ID = "cost.estimated_cycles"

	CodePTXEntries ID = "code.ptx_entries"
	CodePTXBytes   ID = "code.ptx_bytes"
	CodeLLVMBytes  ID = "code.llvm_ir_bytes"

	LaunchesKnown     ID = "launches.known"
	LaunchesOneBlock  ID = "launches.one_block"
	LaunchesOneThread ID = "launches.one_thread"
	RegistersMax      ID = "registers.max"
	SpillsBytes       ID = "spills.bytes"

	ResultsConstant ID = "results.constant"

	ProductsTotal    ID = "products.total"
	ConvertsCount    ID = "converts.count"
	ConvertsElements ID = "converts.elements"
	AsyncOverlapped  ID = "async.overlapped"
	AsyncExposed     ID = "async.exposed"
	RematCount       ID = "remat.count"
	RematBytes       ID = "remat.bytes"

	RunArguments ID = "run.arguments"
	RunResults   ID = "run.results"
	RunTouched   ID = "run.touched_bytes"

	ClustersCount         ID = "clusters.count"
	ClustersClustered     ID = "clusters.clustered_ops"
	ClustersUnclustered   ID = "clusters.unclustered_ops"
	CollectivesOutsideXLA ID = "collectives.outside"
)

// The families of facts.
const (
	KernelKind        Family = "kernels.*"
	FusionKind        Family = "fusions.*" // each kind has a row of its own
	CustomCall        Family = "custom_calls.*"
	CollectiveCount   Family = "collectives.*.count"
	CollectiveBytes   Family = "collectives.*.bytes"
	MemorySpace       Family = "memory.spaces.*"
	Thread            Family = "threads.*"
	Dtype             Family = "dtypes.*"
	ScalarDtype       Family = "scalars.*"
	ProductType       Family = "products.*"
	AskedType         Family = "asked.*"
	ProductPrecision  Family = "precision.*"
	UnclusteredOp     Family = "unclustered.*"
	OutsideCollective Family = "collectives.outside.*"
	PlacedOn          Family = "clusters.placed.*"
)

// Direction says in which direction a fact improves.
type Direction int

// The directions.
const (
	Lower Direction = iota
	Higher
	Exact
)

// Fact describes a fact, or all facts of a family.
type Fact struct {
	ID      ID     // a family's has a star
	Unit    string // "bytes", "nanoseconds" or "" for a count
	Better  Direction
	From    string // what it is measured from
	Doc     string // a sentence of docs/facts.md
	Always  bool   // it is counted in every optimized module, where 0 means none
	Largest bool   // if several programs are compared together, the largest value counts, not the sum: they run one after the other
	PerPart bool   // if several programs are compared together, it is known only if it is known of each
	Derived bool   // it follows from other facts, the kernels and the device

	Weighted ID // the same with loops counted as often as they run
}

// What facts are measured from.
const (
	fromModule    = "optimized module"
	fromGiven     = "unoptimized module"
	fromBuffers   = "buffer assignment"
	fromCodegen   = "module after code generation"
	fromThunks    = "thunk sequence"
	fromPTX       = "PTX"
	fromLLVM      = "LLVM IR"
	fromAssembler = "PTX by ptxas, or the compiler's log"
	fromPrices    = "kernels, by the table of devices"
	fromGraphs    = "TensorFlow's graphs"
)

const (
	inBytes       = "bytes"
	inNanoseconds = "nanoseconds"
)

// Table lists all facts, in the order of docs/facts.md.
var Table = []Fact{
	{ID: KernelsTotal, From: fromModule, Always: true, Doc: "kernels and library calls"},
	{ID: KernelsEntry, From: fromModule, Always: true, Doc: "kernels and library calls outside loops and branches"},
	{ID: KernelsWeighted, From: fromModule, Always: true, Doc: "kernels and library calls, each as often as it runs; a loop of unknown length counts once, each branch counts"},
	{ID: ID(KernelKind), From: fromModule, Doc: "kernels and library calls by kind: `loop`, `input`, `output`, `custom` (the kinds of fusions), `library` (a fusion that a library runs), `custom-call`, " +
		"`call` (a small loop that XLA for CPU compiles as one), `rng`, or the opcode of a single operation: `dot`, `convolution`, `sort`, `reduce`, `scatter`, …"},
	{ID: FusionsTotal, From: fromModule, Always: true, Doc: "fusions among the kernels; a single operation that was wrapped (`wrapped_tanh`) is a fusion"},
	{ID: FusionsLoop, From: fromModule, Always: true, Doc: "fusions of kind `loop`"},
	{ID: FusionsInput, From: fromModule, Always: true, Doc: "fusions of kind `input`"},
	{ID: FusionsOutput, From: fromModule, Always: true, Doc: "fusions of kind `output`"},
	{ID: FusionsCustom, From: fromModule, Always: true, Doc: "fusions of kind `custom`"},
	{ID: ID(CustomCall), From: fromModule, Doc: "custom calls that run something, by target"},

	{ID: ID(Thread), From: fromModule, Better: Exact, Doc: "launches on another execution thread: `sparsecore`, `host`"},

	{ID: LoopsWhile, From: fromModule, Better: Exact, PerPart: true, Doc: "loops that the program reaches"},
	{ID: LoopsTripCount, From: fromModule, Better: Exact, PerPart: true, Doc: "iterations of all loops, nested ones multiplied; absent when one is not known"},
	{ID: LoopsUnknown, From: fromModule, PerPart: true, Doc: "loops whose trip count is not known"},
	{ID: LoopsEarlyExit, From: fromModule, PerPart: true, Doc: "loops whose body can end them early. In a baseline, `most` says how often such a loop runs at most, and `stops` that more than its counters may end it"},
	{ID: LoopsAsBefore, Derived: true, From: fromModule, Better: Exact, Doc: "loops of unknown length that are priced with the iterations of the baseline; only in a comparison"},

	{ID: ID(CollectiveCount), From: fromModule, Doc: "collectives that are launched, by opcode"},
	{ID: ID(CollectiveBytes), From: fromModule, Unit: inBytes, Doc: "what one device puts into collectives or gets out of them, whichever is more, by opcode"},
	{ID: CollectivesOutsideXLA, From: fromGraphs, Doc: "collectives of TensorFlow outside of XLA's clusters"},
	{ID: ID(OutsideCollective), From: fromGraphs, Doc: "collectives of TensorFlow outside of XLA's clusters, by operation"},
	{ID: CopiesCount, From: fromModule, Always: true, Doc: "copies"},
	{ID: CopiesBytes, From: fromModule, Unit: inBytes, Always: true, Doc: "the bytes that copies write"},
	{ID: TransposesCount, From: fromModule, Always: true, Doc: "transposes anywhere in the module, inside fusions as well"},
	{ID: TransposesBytes, From: fromModule, Unit: inBytes, Always: true, Doc: "the bytes that transposes write"},

	{ID: PriceStep, Derived: true, From: fromPrices, Unit: inNanoseconds, Doc: "the predicted time of a run: the sum of its parts"},
	{ID: PriceLaunch, Derived: true, From: fromPrices, Unit: inNanoseconds, Doc: "the part for starting kernels and iterations"},
	{ID: PriceCompute, Derived: true, From: fromPrices, Unit: inNanoseconds, Doc: "the part for arithmetic; each kernel counts here or as moving data, whichever takes longer"},
	{ID: PriceMemory, Derived: true, From: fromPrices, Unit: inNanoseconds, Doc: "the part for moving data"},
	{ID: PriceNetwork, Derived: true, From: fromPrices, Unit: inNanoseconds, Doc: "the part for collectives"},
	{ID: PriceHost, Derived: true, From: fromPrices, Unit: inNanoseconds, Doc: "the part for starting the program, calling Python, and deciding on loops and branches"},
	{ID: PriceUnpriced, Derived: true, From: fromPrices, Doc: "launches whose work is not known: custom calls of other libraries, and the bodies of kernels written by hand"},

	{ID: MemoryArgument, From: fromBuffers, Unit: inBytes, PerPart: true, Doc: "memory of arguments"},
	{ID: MemoryOutput, From: fromBuffers, Unit: inBytes, PerPart: true, Doc: "memory of results, those that reuse an argument included"},
	{ID: MemoryAlias, From: fromBuffers, Unit: inBytes, PerPart: true, Better: Higher, Doc: "memory of arguments that a result reuses"},
	{ID: MemoryTemp, From: fromBuffers, Unit: inBytes, Largest: true, PerPart: true, Doc: "temporary memory"},
	{ID: MemoryConstant, From: fromBuffers, Unit: inBytes, PerPart: true, Doc: "memory of constants"},
	{ID: MemoryPeak, From: fromBuffers, Unit: inBytes, Largest: true, PerPart: true, Doc: "what a run needs of the device's memory: all allocations together"},
	{ID: MemoryHeld, From: fromBuffers, Unit: inBytes, Largest: true, PerPart: true, Doc: "of a TPU: the allocations of the main memory, and what is made in the fast memory (vmem), not only fetched into it"},
	{ID: MemoryAllocation, From: fromBuffers, Unit: inBytes, Largest: true, PerPart: true, Doc: "the largest single allocation"},
	{ID: ID(MemorySpace), From: fromBuffers, Unit: inBytes, Largest: true, PerPart: true, Doc: "allocations in one memory space, where a program has several: " +
		"`host`, of a TPU `default`, `vmem`, `smem` and `hbm`, else `color_1` and so on; one that is not listed is not used"},
	{ID: DonationAliased, From: fromModule, Better: Higher, Doc: "results that reuse an argument, by the module's `input_output_alias`"},
	{ID: DonationBytes, From: fromModule, Unit: inBytes, Better: Higher, Doc: "the bytes of the arguments that results reuse"},

	{ID: ResultsConstant, From: fromModule, Always: true, Doc: "results that no argument reaches: they are the same in every run"},

	{ID: InstructionsBefore, From: fromGiven, Doc: "instructions in the unoptimized module"},
	{ID: InstructionsAfter, From: fromModule, Doc: "instructions in the optimized module"},
	{ID: ID(Dtype), From: fromModule, Doc: "instructions of the optimized module whose result holds the type; on TPU, which computes f64 in pairs of floats, the operations that the model asked for in it as well"},
	{ID: ID(ScalarDtype), From: fromModule, Doc: "instructions in double precision (`f64`, `c128`) whose result holds single numbers only"},
	{ID: CostFlops, From: fromModule, PerPart: true, Weighted: CostWeightedFlops, Doc: "floating-point operations by XLA's cost analysis, loop bodies once"},
	{ID: CostBytes, From: fromModule, Unit: inBytes, PerPart: true, Weighted: CostWeightedBytes, Doc: "bytes accessed by the same analysis"},
	{ID: CostTranscendentals, From: fromModule, PerPart: true, Doc: "transcendental operations by the same analysis"},
	{ID: CostWeightedFlops, From: fromModule, PerPart: true, Doc: "`cost.flops` with loop bodies by their trip counts; absent when one is not known"},
	{ID: CostWeightedBytes, From: fromModule, Unit: inBytes, PerPart: true, Doc: "`cost.bytes_accessed` likewise"},
	{ID: CostCycles, From: fromCodegen, PerPart: true, Doc: "what the compiler for TPU expects, launches in loops by their trip counts"},
	{ID: CodePTXEntries, From: fromPTX, PerPart: true, Doc: "PTX entries"},
	{ID: CodePTXBytes, From: fromPTX, Unit: inBytes, PerPart: true, Doc: "the PTX that was dumped"},
	{ID: CodeLLVMBytes, From: fromLLVM, Unit: inBytes, PerPart: true, Doc: "optimized LLVM IR"},
	{ID: LaunchesKnown, From: fromThunks, PerPart: true, Doc: "GPU launches whose shape is known from the plan"},
	{ID: LaunchesOneBlock, From: fromThunks, PerPart: true, Doc: "GPU launches of a single block"},
	{ID: LaunchesOneThread, From: fromThunks, PerPart: true, Doc: "GPU launches of a single thread"},
	{ID: ClustersCount, From: fromGraphs, Doc: "clusters that autoclustering made"},
	{ID: ClustersClustered, From: fromGraphs, Better: Higher, Doc: "operations in the clusters"},
	{ID: ClustersUnclustered, From: fromGraphs, Doc: "operations of the model that autoclustering left outside"},
	{ID: ID(UnclusteredOp), From: fromGraphs, Doc: "operations of the model that autoclustering left outside, by name"},
	{ID: ID(PlacedOn), From: fromGraphs, Doc: "operations of the model that TensorFlow placed on a device, by device"},

	{ID: RegistersMax, From: fromAssembler, Largest: true, PerPart: true, Doc: "the most registers that a thread of any GPU kernel takes"},
	{ID: SpillsBytes, From: fromAssembler, Unit: inBytes, PerPart: true, Doc: "what threads of all GPU kernels write to memory because the registers do not suffice, each kernel's code counted once"},

	{ID: ProductsTotal, From: fromModule, Doc: "matrix products and convolutions, fused or not, and library calls that are one"},
	{ID: ID(ProductType), From: fromModule, Doc: "products by the widest type that they multiply"},
	{ID: ID(AskedType), From: fromGiven, Doc: "on CPU, which multiplies sixteen bits in f32: products of the unoptimized module by type, which is what the model asks for"},
	{ID: ID(ProductPrecision), From: fromModule, Doc: "products by what they ask for: `default`, `high`, `highest`, or an algorithm such as `dot_bf16_bf16_f32_x3`"},
	{ID: ConvertsCount, From: fromModule, Doc: "conversions between floating-point types"},
	{ID: ConvertsElements, From: fromModule, Doc: "the numbers that conversions between floating-point types convert"},
	{ID: AsyncOverlapped, From: fromModule, Better: Higher, Doc: "collectives with kernels between their start and their end; only of modules that are scheduled"},
	{ID: AsyncExposed, From: fromModule, Doc: "collectives with no kernel between their start and their end"},
	{ID: RematCount, From: fromModule, Always: true, Doc: "launches that the compiler made a second time to save memory (`.remat` in their names)"},
	{ID: RematBytes, From: fromModule, Unit: inBytes, Always: true, Doc: "the bytes that rematerialized launches read and write"},
	{ID: RunArguments, Derived: true, From: fromModule, Better: Exact, Doc: "how many arrays a run takes"},
	{ID: RunResults, Derived: true, From: fromModule, Better: Exact, Doc: "how many arrays a run returns"},
	{ID: RunTouched, Derived: true, From: fromBuffers, Unit: inBytes, Doc: "the bytes that a run reads or writes, each once"},
}

// rows finds the rows of Table by ID.
var rows = func() map[ID]*Fact {
	byID := map[ID]*Fact{}
	for i := range Table {
		byID[Table[i].ID] = &Table[i]
	}
	return byID
}()

// About returns the row of a fact, or of its family. A fact that the table does not have is a plain count.
func About(id ID) Fact {
	if row := rows[id]; row != nil {
		return *row
	}
	for i := range Table {
		if _, in := Family(Table[i].ID).Member(id); in {
			return Table[i]
		}
	}
	return Fact{ID: id}
}

// Launches returns how many kernels a run launches. It is unknown where a loop runs an unknown number of times.
func (f Values) Launches() (n float64, known bool) {
	n, known = f[KernelsWeighted]
	return n, known && f[LoopsUnknown] == 0
}

// OfRun returns the fact that counts loops as often as they run, where the values have it, and else the fact itself.
func (f Values) OfRun(id ID) ID {
	if weighted := About(id).Weighted; weighted != "" {
		if _, known := f[weighted]; known {
			return weighted
		}
	}
	return id
}

// Groups lists the first words of the facts' names in the order of the table.
func Groups() []string {
	var groups []string
	for i := range Table {
		if g := Table[i].ID.Group(); !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	return groups
}

// Group is the first word of a fact's name.
func (id ID) Group() string {
	group, _, _ := strings.Cut(string(id), ".")
	return group
}

// IsPrice reports whether a fact is predicted from the kernels and a device. Such a fact is never stored.
func (id ID) IsPrice() bool { return id.Group() == PriceStep.Group() }

// Of returns the fact of one member of a family.
func (f Family) Of(member string) ID { return ID(strings.Replace(string(f), "*", member, 1)) }

// Member returns the member of a family that a fact counts, and false if it counts none. A fact with its own row is no member: "kernels.total" counts no kind.
func (f Family) Member(id ID) (string, bool) {
	before, after, star := strings.Cut(string(f), "*")
	rest, ok := strings.CutPrefix(string(id), before)
	member, ends := strings.CutSuffix(rest, after)
	if !star || !ok || !ends || member == "" || rows[id] != nil {
		return "", false
	}
	return member, true
}

// Members returns the facts of a family by the names of its members: products by type, memory by its space.
func (f Values) Members(of Family) map[string]float64 {
	members := map[string]float64{}
	for id, n := range f {
		if name, ok := of.Member(id); ok {
			members[name] = n
		}
	}
	return members
}

// Known reports whether a fact was dumped.
func (f Values) Known(id ID) bool {
	_, known := f[id]
	return known
}
