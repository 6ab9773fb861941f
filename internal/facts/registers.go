package facts

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/logs"
)

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
func (r *run) assemble(ctx context.Context, done []*measuring) error {
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
	for len(work) > 0 {
		n := slices.IndexFunc(work, func(a assembly) bool { return a.of != work[0].of })
		if n < 0 {
			n = len(work)
		}
		work[0].of.assembled(work[:n], version, err)
		work = work[n:]
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
		for _, k := range kernels {
			a.kernels = append(a.kernels, Code{k, ptx.Target})
		}
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
	v.Facts.registers(codes)
	v.join(codes)
	for i := range v.Compiles {
		v.Compiles[i].Facts = v.Facts // what was remembered holds two copies
	}
}

// registers are the facts of a module's kernels, each counted once however often it is launched.
func (f Values) registers(codes map[string]*Code) {
	f[RegistersMax], f[SpillsBytes] = 0, 0
	for _, c := range codes {
		f[RegistersMax] = max(f[RegistersMax], float64(c.Registers))
		f[SpillsBytes] += float64(c.SpillStores)
	}
}

// spilled takes from the logs what kernels spill, where no assembler told. A log names those that spill and no others, and also those that
// the compiler only tried: it tells of a program whose kernels it names.
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
	for _, p := range r.Programs {
		for _, v := range p.Variants {
			if _, known := v.Facts[SpillsBytes]; !known && len(spills) > 0 {
				v.spilled(spills)
			}
		}
	}
}

func (v *Variant) spilled(spills map[string]*Code) {
	for c := range v.join(spills) {
		v.Facts[SpillsBytes] += float64(c.SpillStores)
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
		c := codes[symbol(k.Name)]
		switch {
		case k.Plan != nil && k.Plan.Entry != "":
			c = codes[k.Plan.Entry]
		case c == nil && written[k.Function] == k.Form:
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
