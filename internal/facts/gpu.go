package facts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/logs"
	"github.com/xlagate/xlagate/internal/phrase"
)

// MissingLaunches says what is missing of a variant whose plan names command buffers, branches or loops without the launches in them.
const MissingLaunches = "part of " + string(dump.KindThunks)

// plan reads the launch shapes off the GPU runtime's plan, where one was dumped.
func (out *measuring) plan(entries map[string]bool) {
	f := out.module.Companion(dump.KindThunks)
	if f == nil {
		return
	}
	var names artifacts.ThunkNames
	if f := out.module.Companion(dump.KindThunkMetadata); f != nil {
		names, _ = readCompanion(out, f, artifacts.ReadThunkMetadata)
	}
	thunks, ok := readCompanion(out, f, func(data []byte) (*artifacts.Thunks, error) {
		thunks, err := artifacts.ReadThunks(data)
		if err == nil {
			err = thunks.Complete(names, len(out.Variant.Kernels))
		}
		return thunks, err
	})
	if !ok {
		return
	}
	if thunks.Incomplete {
		out.Variant.Missing = append(out.Variant.Missing, MissingLaunches)
	}
	shapes := map[string]*artifacts.Thunk{} // by the symbol that their instruction would have
	for i := range thunks.Thunks {
		t := &thunks.Thunks[i]
		name := t.Kernel
		if own, ok := names[t.ID]; ok { // kernels with equal code share the symbol of the first: its own name tells them apart
			name = symbol(own)
		}
		if _, seen := shapes[name]; !seen && t.Class == artifacts.ThunkKernel {
			shapes[name] = t
		}
	}
	written := out.Variant.written()
	for i := range out.Variant.Kernels {
		if k := &out.Variant.Kernels[i]; k.Class == ClassKernel {
			t, ok := shapes[symbol(k.Name)]
			if !ok && written[k.Function] == k.Form {
				t, ok = shapes[k.Function]
			}
			if ok {
				k.Plan = &Plan{t.Grid, t.Block, max(0, t.Shared), t.Kernel}
			}
		}
	}
	out.Variant.Facts.launchShapes(out.Variant.Kernels)
	unplanned := func(k Kernel) bool { return k.Class == ClassKernel && k.Fusion && k.Plan == nil }
	if names == nil && slices.ContainsFunc(out.Variant.Kernels, unplanned) {
		out.Variant.Missing = append(out.Variant.Missing, string(dump.KindThunkMetadata))
	}
	out.unassembled(thunks, entries)
}

// unassembled reports a kernel that a thunk launches and no PTX file holds. Versions with a file for each kernel write none for those of the runtime.
func (out *measuring) unassembled(thunks *artifacts.Thunks, entries map[string]bool) {
	ptx := out.module.CompanionsOf(dump.KindPTX)
	if len(ptx) == 1 && !onePerKernel.MatchString(ptx[0].Path) {
		if symbol := thunks.Unassembled(entries); symbol != "" {
			out.unreadable(ptx[0], fmt.Errorf("the file holds no kernel %s, which a thunk launches: it was cut off", symbol))
		}
		return
	}
	for i := range out.Variant.Kernels {
		if k := &out.Variant.Kernels[i]; len(entries) > 0 && (k.Fusion || k.Function != "") && k.Plan != nil && !entries[k.Plan.Entry] {
			out.unreadable(ptx[0], fmt.Errorf("no PTX file of the module holds the kernel %s, which a thunk launches: files are missing, or were cut off", k.Plan.Entry))
			return
		}
	}
}

// onePerKernel is how the names of PTX files end in versions that write one for each kernel; the others write one for the module.
var onePerKernel = regexp.MustCompile(`\.[0-9]+\.ptx(\.gz)?$`)

// written are the kernels that were written by hand, by the name of their function: it is what is launched, where no two have the same.
func (v *Variant) written() map[string]*Form {
	forms := map[string]*Form{}
	for i := range v.Kernels {
		k := &v.Kernels[i]
		if k.Function == "" {
			continue
		}
		if other, known := forms[k.Function]; known && other != k.Form {
			forms[k.Function] = nil
		} else {
			forms[k.Function] = k.Form
		}
	}
	return forms
}

// symbol is the name of the kernel that an instruction is compiled into.
func symbol(instruction string) string {
	return strings.NewReplacer(".", "_", "-", "_").Replace(instruction)
}

// entry is the function that a kernel launches: where the plan does not say, it is called like the instruction.
func (k *Kernel) entry() string {
	if k.Plan != nil && k.Plan.Entry != "" {
		return k.Plan.Entry
	}
	return symbol(k.Name)
}

// Threads returns how many threads a launch starts; 0 if the plan was not dumped.
func (k *Kernel) Threads() int64 {
	if k.Plan == nil {
		return 0
	}
	return k.blocks() * product(k.Plan.Block)
}

// blocks is how many blocks a launch starts whose plan is known.
func (k *Kernel) blocks() int64 { return product(k.Plan.Grid) }

func product(n [3]int64) int64 { return n[0] * n[1] * n[2] }

// What a launch starts at least if it is to use a device: more than one warp, and more than one block for more than a few pages.
const (
	warp      = 32
	blockLoad = 64 << 10
)

// Tiny reports whether a launch uses almost nothing of the device.
func (k *Kernel) Tiny() bool {
	n := k.Threads()
	return n > 0 && (n <= warp || k.blocks() == 1 && k.Bytes > blockLoad)
}

// launchShapes counts the launches whose shape is known, and the smallest of them.
func (f Values) launchShapes(kernels []Kernel) {
	var known, oneBlock, oneThread float64
	for i := range kernels {
		k := &kernels[i]
		if k.Threads() == 0 {
			continue
		}
		known++
		if k.blocks() == 1 {
			oneBlock++
		}
		if k.Threads() == 1 {
			oneThread++
		}
	}
	if known > 0 {
		f[LaunchesKnown], f[LaunchesOneBlock], f[LaunchesOneThread] = known, oneBlock, oneThread
	}
}

// Occupancy is how much of a multiprocessor a kernel can fill at best.
type Occupancy struct {
	Warps   int64  `json:"warps"`                // that run side by side
	Most    int64  `json:"of"`                   // that the multiprocessor has room for
	Limited string `json:"limited_by,omitempty"` // what keeps more from it: registers, shared memory, blocks or threads; "" of a full one
}

// Share is the occupancy as a number from 0 to 1.
func (o Occupancy) Share() float64 { return float64(o.Warps) / float64(o.Most) }

// multiprocessor is what a GPU's multiprocessor has room for.
type multiprocessor struct {
	blocks   int64
	warps    int64
	shared   int64 // bytes
	reserved int64 // bytes of shared memory that the system takes of each block
	unit     int64 // in which shared memory is handed out
}

// What all multiprocessors since 2014 have in common.
const (
	registerFile = 64 << 10 // registers
	registerUnit = 256      // in which they are handed out to a warp
	partitions   = 4        // that share the registers evenly; a warp stays in one
)

// multiprocessors by compute capability, as PTX has it after "sm_".
//
// The numbers are those of the CUDA programming guide, "Technical Specifications per Compute Capability"; how registers and shared
// memory are handed out is what cuda_occupancy.h of CUDA 13 says.
var multiprocessors = map[string]multiprocessor{
	"60":  {32, 64, 64 << 10, 0, 256},
	"61":  {32, 64, 96 << 10, 0, 256},
	"70":  {32, 64, 96 << 10, 0, 256},
	"72":  {32, 64, 96 << 10, 0, 256},
	"75":  {16, 32, 64 << 10, 0, 256},
	"80":  {32, 64, 164 << 10, 1 << 10, 128},
	"86":  {16, 48, 100 << 10, 1 << 10, 128},
	"87":  {16, 48, 164 << 10, 1 << 10, 128},
	"89":  {24, 48, 100 << 10, 1 << 10, 128},
	"90":  {32, 64, 228 << 10, 1 << 10, 128},
	"100": {32, 64, 228 << 10, 1 << 10, 128},
	"103": {32, 64, 228 << 10, 1 << 10, 128},
	"110": {24, 48, 228 << 10, 1 << 10, 128},
	"120": {24, 48, 100 << 10, 1 << 10, 128},
	"121": {24, 48, 100 << 10, 1 << 10, 128},
}

// occupancy says how much of a multiprocessor the kernel can fill; nil where its code, its launch or the device is not known.
func (k *Kernel) occupancy() *Occupancy {
	if k.Code == nil || k.Code.Registers == 0 || k.Threads() == 0 {
		return nil
	}
	m, ok := multiprocessors[strings.TrimRight(strings.TrimPrefix(k.Code.Target, "sm_"), "af")]
	if !ok {
		return nil
	}
	o := m.occupancy(product(k.Plan.Block), k.Code.Registers, k.Code.Shared+k.Plan.Shared)
	return &o
}

// occupancy is what blocks of so many threads leave of a multiprocessor, each thread with so many registers, each block with so much shared memory.
func (m multiprocessor) occupancy(threads, registers, shared int64) Occupancy {
	warps := (threads + warp - 1) / warp
	perWarp := roundUp(registers*warp, registerUnit)
	type limit struct {
		of     string
		blocks int64
	}
	least := slices.MinFunc([]limit{
		{"registers", registerFile / partitions / perWarp * partitions / warps},
		{"shared memory", m.shared / max(m.unit, roundUp(shared+m.reserved, m.unit))},
		{"blocks", m.blocks},
		{"threads", m.warps / warps},
	}, func(a, b limit) int { return cmp.Compare(a.blocks, b.blocks) })
	o := Occupancy{Warps: least.blocks * warps, Most: m.warps, Limited: least.of}
	if o.Warps == o.Most {
		o.Limited = ""
	}
	return o
}

func roundUp(n, unit int64) int64 { return (n + unit - 1) / unit * unit }

// code sums what the back end made of the module: PTX and LLVM IR. A file that cannot be read leaves its sum unknown.
func (out *measuring) code() (entries map[string]bool) {
	entries = map[string]bool{}
	bytes := int64(0)
	read := func(data []byte) (*artifacts.PTX, error) {
		p, err := artifacts.ReadPTX(data)
		if err == nil && len(p.Entries) > 0 {
			bytes += int64(len(data)) // a file of constants alone is no code, and nothing tells that it is gone
		}
		return p, err
	}
	total(out, CodePTXEntries, dump.KindPTX, read, func(p *artifacts.PTX) int64 {
		out.Toolchain.version("ptx", p.Version)
		for _, name := range p.Entries {
			entries[name] = true
		}
		return int64(len(p.Entries))
	})
	if out.Variant.Facts.Known(CodePTXEntries) {
		out.Variant.Facts[CodePTXBytes] = float64(bytes)
	}
	generated := func(k Kernel) bool { return k.Class == ClassKernel && k.Fusion } // others may come with the runtime, as TopK does
	if n, read := out.Variant.Facts[CodePTXEntries]; read && n == 0 && slices.ContainsFunc(out.Variant.Kernels, generated) {
		out.unreadable(out.module.Companion(dump.KindPTX), errors.New("no PTX file of the module holds a kernel, and the module has fusions: it was cut off"))
	}
	out.paired(dump.KindPTX)
	out.paired(dump.KindLLVMUnoptimized)
	total(out, CodeLLVMBytes, dump.KindLLVMOptimized, artifacts.ReadLLVM, func(n int64) int64 { return n })
	return entries
}

// paired reports the files of optimized LLVM IR that have no file of another kind beside them, and those of that kind without such IR. A missing file would make
// the code look smaller. It reports nothing if no two names match, because then the version of XLA names the files otherwise.
func (out *measuring) paired(with dump.Kind) {
	const kind = dump.KindLLVMOptimized
	base := func(f *dump.File) string {
		name := path.Base(strings.TrimSuffix(f.Path, ".gz"))
		for _, end := range []string{".ptx", ".ir-with-opt.ll", ".ir-no-opt.ll"} {
			name = strings.TrimSuffix(name, end)
		}
		return name
	}
	all, beside := map[string]bool{}, out.module.CompanionsOf(with)
	for _, f := range out.module.CompanionsOf(kind) {
		all[base(f)] = true
	}
	if !slices.ContainsFunc(beside, func(f *dump.File) bool { return all[base(f)] }) {
		return
	}
	for _, f := range beside {
		if !all[base(f)] {
			out.unreadable(f, fmt.Errorf("the %s of this file is missing: the dump is not whole", kind))
		}
		delete(all, base(f))
	}
	for _, f := range out.module.CompanionsOf(kind) {
		if all[base(f)] {
			out.unreadable(f, fmt.Errorf("the %s of this file is missing: the dump is not whole", with))
		}
	}
}

func total[T any](out *measuring, fact ID, kind dump.Kind, read func([]byte) (T, error), amount func(T) int64) {
	files := out.module.CompanionsOf(kind)
	var sum int64
	for _, f := range files {
		value, ok := readCompanion(out, f, read)
		if !ok {
			return
		}
		sum += amount(value)
	}
	if len(files) > 0 {
		out.Variant.Facts[fact] = float64(sum)
	}
}

// Code holds the GPU resources that a kernel's machine code uses.
type Code struct {
	artifacts.KernelResources
	Target string `json:"target,omitempty"` // the architecture: "sm_90a"; "" where only a log tells of the kernel
}

// AssemblerPart is the part of a toolchain that reports registers. It does not compile, so it decides nothing.
const AssemblerPart = "ptxas"

// NoAssembler is the reason why registers are not known: there is PTX, but no assembler.
const NoAssembler = "there is no ptxas"

// assembly is a PTX file with what the assembler says of it.
type assembly struct {
	of      *measuring
	file    *dump.File
	kernels []Code
	err     error
}

// assemble finds out what the kernels' code takes of the device.
func (r *measurer) assemble(ctx context.Context, done []*measuring) error {
	var work []assembly
	for _, m := range done {
		if m.Variant == nil {
			continue
		}
		for _, f := range m.module.CompanionsOf(dump.KindPTX) {
			work = append(work, assembly{of: m, file: f})
		}
	}
	if len(work) == 0 {
		return nil
	}
	version, err := r.Assembler.Version(ctx)
	if err == nil {
		err = inParallel(ctx, r.Jobs, len(work), func(ctx context.Context, i int) error {
			work[i].err = work[i].run(ctx, r.Assembler)
			return ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	for _, files := range phrase.Group(work, func(a assembly) *measuring { return a.of }) {
		files[0].of.assembled(files, version, err)
	}
	return nil
}

// run has one file assembled. A file without kernels, of constants alone, needs no assembler.
func (a *assembly) run(ctx context.Context, by *artifacts.Assembler) error {
	return a.file.Read(func(data []byte) error {
		ptx, err := artifacts.ReadPTX(data)
		if err != nil || len(ptx.Entries) == 0 {
			return err
		}
		kernels, err := by.Assemble(ctx, data, ptx.Target)
		a.kernels = phrase.Map(kernels, func(k artifacts.KernelResources) Code { return Code{k, ptx.Target} })
		return err
	})
}

// assembled takes over what the assembler says of a module's files, or why it says nothing.
func (out *measuring) assembled(files []assembly, version string, err error) {
	v := out.Variant
	switch {
	case errors.Is(err, artifacts.ErrNoAssembler):
		v.Unassembled = NoAssembler
	case err != nil:
		v.Unassembled = err.Error()
	}
	codes := map[string]*Code{}
	for i := range files {
		if err := files[i].err; err != nil && v.Unassembled == "" {
			v.Unassembled = fmt.Sprintf("%s: %v", path.Base(files[i].file.Path), err)
		}
		for k := range files[i].kernels {
			codes[files[i].kernels[k].Name] = &files[i].kernels[k]
		}
	}
	if v.Unassembled != "" {
		return
	}
	out.Toolchain.version(AssemblerPart, version)
	v.Facts[RegistersMax], v.Facts[SpillsBytes] = 0, 0
	for _, c := range codes { // each counts once, however often it is launched
		v.Facts[RegistersMax] = max(v.Facts[RegistersMax], float64(c.Registers))
		v.Facts[SpillsBytes] += float64(c.SpillStores)
	}
	v.join(codes)
}

// spilled reads from the logs what kernels spill, if no assembler says it. A log names only kernels that spill, also those that the compiler only tried. So it
// tells of a program only if it names one of its kernels.
func (r *Report) spilled() {
	if r.Logs == nil {
		return
	}
	spills := map[string]*Code{}
	for _, n := range r.Logs.Notes {
		if n.Kind == logs.Spill && (spills[n.Op] == nil || spills[n.Op].SpillStores < int64(n.Value)) {
			spills[n.Op] = &Code{KernelResources: artifacts.KernelResources{Name: n.Op, SpillStores: int64(n.Value)}}
		}
	}
	if len(spills) == 0 {
		return
	}
	for v := range eachVariant(r.Programs) {
		if v.Facts.Known(SpillsBytes) {
			continue
		}
		for c := range v.join(spills) {
			v.Facts[SpillsBytes] += float64(c.SpillStores)
		}
	}
}

// join finds the code of each kernel, by the function that it launches, and says which of it was found.
func (v *Variant) join(codes map[string]*Code) (found map[*Code]bool) {
	found = map[*Code]bool{}
	written := v.written()
	for i := range v.Kernels {
		k := &v.Kernels[i]
		if k.Class != ClassKernel {
			continue
		}
		c := codes[k.entry()]
		if planned := k.Plan != nil && k.Plan.Entry != ""; c == nil && !planned && written[k.Function] == k.Form {
			c = codes[k.Function]
		}
		if c != nil {
			k.Code, found[c] = c, true
			k.Occupancy = k.occupancy()
		}
	}
	return found
}

// Spilled is how many bytes of a thread the kernel's code keeps in memory because the registers do not suffice, as far as that is known.
func (k *Kernel) Spilled() int64 {
	if k.Code == nil {
		return 0
	}
	return k.Code.SpillStores
}
