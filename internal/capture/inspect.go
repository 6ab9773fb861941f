package capture

import (
	"context"
	"fmt"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
)

// lookAt takes up what a fresh dump says about what made it. A dump without a module or graph is an error.
func (r *record) lookAt(ctx context.Context, dir string) error {
	d, err := dump.Open(ctx, dir, dump.Options{})
	if err != nil {
		return fmt.Errorf("look at the dump: %w", err)
	}
	defer d.Close()
	if len(d.Modules) == 0 && len(d.Graphs) == 0 {
		return ErrNothingDumped
	}
	r.Files = d.Sizes()
	if len(d.Modules) == 0 {
		r.Framework = "tensorflow"
	}
	for _, m := range d.Modules {
		r.add(m)
	}
	if r.Framework == "" && facts.FromTorch(d) {
		r.Framework = facts.TorchFramework
	}
	return nil
}

// add takes up what one module tells. An accelerator wins over the CPU, on which the same process compiles small helpers.
func (r *record) add(m *dump.Module) {
	t := facts.ToolchainOf(m)
	if r.Framework == "" {
		r.Framework = t.Framework
	}
	if r.Backend == "" || r.Backend == "cpu" && t.Backend != "" {
		r.Backend = t.Backend
	}
	if r.Device == "" {
		r.Device = t.Device
	}
}
