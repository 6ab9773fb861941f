package facts

import "github.com/xlagate/xlagate/internal/dump"

// Origin is what a module says about what made it, before it is measured: framework, backend and device. What cannot be read is
// left out here; measuring the dump reports it.
func Origin(m *dump.Module) Toolchain {
	quiet := &measured{module: m}
	quiet.readToolchain()
	return quiet.toolchain
}
