package facts

import "github.com/xlagate/xlagate/internal/dump"

// TorchFramework is what a toolchain calls PyTorch/XLA.
const TorchFramework = "torch_xla"

// Origin is what a module says about what made it, before it is measured: framework, backend and device. What cannot be read is
// left out here; measuring the dump reports it.
func Origin(m *dump.Module) Toolchain {
	quiet := &measuring{module: m}
	quiet.readToolchain()
	return quiet.Toolchain
}

// FromTorch says whether PyTorch/XLA left files of its own in a dump. A graph that the model gives a name to (torch_xla.compile) has nothing
// in that name that tells the framework.
func FromTorch(d *dump.Dump) bool {
	for _, f := range d.Other {
		switch f.Kind {
		case dump.KindTorchMetrics, dump.KindTensorsGraph, dump.KindTorchReasons:
			return true
		}
	}
	return false
}
