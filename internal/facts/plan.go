package facts

import (
	"strings"

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/dump"
)

// MissingLaunches is what a variant misses whose plan names command buffers, branches or loops without the launches in them.
const MissingLaunches = "part of " + string(dump.KindThunks)

// plan reads the launch shapes off the GPU runtime's plan, where one was dumped.
func (out *measuring) plan() {
	f := out.module.Companion(dump.KindThunks)
	if f == nil {
		return
	}
	thunks := readCompanion(out, f, artifacts.ReadThunks)
	if thunks == nil {
		return
	}
	if thunks.Incomplete {
		out.Variant.Missing = append(out.Variant.Missing, MissingLaunches)
	}
	shapes := launchShapes(thunks, out.thunkNames())
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
}

func (out *measuring) thunkNames() artifacts.ThunkNames {
	f := out.module.Companion(dump.KindThunkMetadata)
	if f == nil {
		return nil
	}
	names := readCompanion(out, f, thunkMetadata)
	if names == nil {
		return nil
	}
	return *names
}

func thunkMetadata(data []byte) (*artifacts.ThunkNames, error) {
	names, err := artifacts.ReadThunkMetadata(data)
	return &names, err
}

// launchShapes finds the kernels of a plan by the symbol that their instruction would have. Kernels with equal code share the
// symbol of the first; the thunk's own name, where the version writes it, tells them apart.
func launchShapes(thunks *artifacts.Thunks, names artifacts.ThunkNames) map[string]*artifacts.Thunk {
	shapes := map[string]*artifacts.Thunk{}
	for i := range thunks.Thunks {
		t := &thunks.Thunks[i]
		if t.Class != artifacts.ThunkKernel {
			continue
		}
		name := t.Kernel
		if own, ok := names[t.ID]; ok {
			name = symbol(own)
		}
		if _, seen := shapes[name]; !seen {
			shapes[name] = t
		}
	}
	return shapes
}

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
