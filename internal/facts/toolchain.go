package facts

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/dump"
)

func (t *Toolchain) read(f *dump.File) error {
	var record struct {
		Status string `json:"status"`
		Toolchain
	}
	err := f.Read(func(data []byte) error {
		if err := json.Unmarshal(data, &record); err != nil {
			return fmt.Errorf("is not what xlagate capture writes: %w", err)
		}
		if record.Status != "" && record.Status != "done" {
			return fmt.Errorf("the capture did not finish (%s): the dump is not whole", record.Status)
		}
		return nil
	})
	*t = record.Toolchain
	return err
}

// readToolchain is what one module says about what made it.
func (out *measuring) readToolchain() {
	m := out.module
	out.Toolchain = Toolchain{Framework: frameworkOf(m.Name), Backend: m.Backend()}
	t := &out.Toolchain
	if f := m.Companion(dump.KindDebugOptions); f != nil {
		if flags, ok := readCompanion(out, f, artifacts.ReadDebugOptions); ok {
			t.Flags = telling(flags)
		}
	}
	// A TPU's compiler writes all of its flags, thousands, whether they are at their defaults or not. What is kept is their number and a digest, so that a flag
	// that was set is seen as a difference, and named where both dumps are at hand.
	if f := m.Companion(dump.KindFlagFile); f != nil {
		if flags, ok := readCompanion(out, f, artifacts.ReadFlagFile); ok && len(flags) > 0 {
			t.Every = telling(flags)
			maps.DeleteFunc(t.Every, func(name, _ string) bool { return strings.Contains(name, "dump") })
			t.Flags = union(t.Flags, map[string]string{DigestFlag: flagDigest(t.Every)})
		}
	}
	// The runtime's name ("TPU v5 lite") goes before the chip's own ("VIPERFISH lite"), whichever file comes first.
	for _, from := range []struct {
		kind dump.Kind
		read func([]byte) (*artifacts.Device, error)
	}{{dump.KindTopology, artifacts.ReadTopology}, {dump.KindTargetConfig, artifacts.ReadTargetConfig}, {dump.KindTPU, artifacts.ReadTargetArguments}} {
		for _, f := range m.CompanionsOf(from.kind) {
			if f.Kind == dump.KindTPU && !strings.HasSuffix(f.Path, ".target_arguments.txt") {
				continue
			}
			d, ok := readCompanion(out, f, from.read)
			if !ok {
				continue
			}
			if d.Platform != "cpu" {
				t.Device = cmp.Or(t.Device, d.Name, d.Capability)
			}
			t.version(strings.ToLower(cmp.Or(d.Platform, "device"))+"_build", d.Build)
		}
	}
	if s := m.Optimized(); s != nil && t.Device == "" {
		t.Device = deviceTag(s.Tag)
	}
}

// setFramework names the framework of a module that does not tell it itself.
func (out *measuring) setFramework(torch bool) {
	if torch && out.Toolchain.Framework == "" {
		out.Toolchain.Framework = TorchFramework
	}
}

// version records the version of one part of the toolchain.
func (t *Toolchain) version(part, version string) {
	if version != "" {
		t.Versions = union(t.Versions, map[string]string{part: version})
	}
}

// deviceTag is the device in a stage's tag: "sm_9.0a" of "sm_9.0a_gpu"; nothing of "cpu".
func deviceTag(tag string) string {
	if device, isGPU := strings.CutSuffix(tag, "_gpu"); isGPU {
		return device
	}
	return ""
}

// merge completes a toolchain with what another module, or the capture, knows.
func (t *Toolchain) merge(o Toolchain) {
	t.Framework = cmp.Or(t.Framework, o.Framework)
	t.Backend = cmp.Or(t.Backend, o.Backend)
	t.Device = cmp.Or(t.Device, o.Device)
	t.Versions = union(t.Versions, o.Versions)
	t.Libraries = union(t.Libraries, o.Libraries)
	t.Flags = union(t.Flags, o.Flags)
	t.Every = union(t.Every, o.Every)
}

// union adds what only the other map holds.
func union(m, other map[string]string) map[string]string {
	if len(other) == 0 {
		return m
	}
	all := maps.Clone(other)
	maps.Copy(all, m)
	return all
}

// silent are parts of the names of flags that do not change what is compiled: where and what to dump, where files are, threads.
var silent = []string{"xla_dump_", "thread", "logging", "hlo_graph", "_dir", "parallel_codegen_split_count", "modules_upload"}

// telling removes the flags that do not change what is compiled.
func telling(flags artifacts.Flags) map[string]string {
	maps.DeleteFunc(flags, func(name, value string) bool {
		return strings.ContainsAny(value, `/\`) || slices.ContainsFunc(silent, func(part string) bool { return strings.Contains(name, part) })
	})
	if len(flags) == 0 {
		return nil
	}
	return flags
}

// frameworkOf tells the framework by how it names its modules.
func frameworkOf(module string) string {
	for _, by := range []struct{ prefix, framework string }{
		{"jit_", "jax"}, {"pjit_", "jax"}, {"pmap_", "jax"}, {"xla_computation_", "jax"},
		{"a_inference_", "tensorflow"}, {"a_forward_", "tensorflow"}, {"cluster_", "tensorflow"},
		{"SyncTensorsGraph", TorchFramework}, {"IrToHlo", TorchFramework},
	} {
		if strings.HasPrefix(module, by.prefix) {
			return by.framework
		}
	}
	return ""
}

// DigestFlag is the digest of all flags of a TPU's compiler.
const DigestFlag = "libtpu_flags"

// flagDigest is the same for equal flags.
func flagDigest(flags map[string]string) string {
	h := fnv.New64a()
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		fmt.Fprintf(h, "%s=%s\n", name, flags[name])
	}
	return fmt.Sprintf("%d flags, digest %016x", len(flags), h.Sum64())
}

// Flag is the value of a flag, and whether it is known to be set.
func (t *Toolchain) Flag(name string) (value string, set bool) {
	if value, set = t.Flags[name]; !set {
		value, set = t.Every[name]
	}
	return value, set
}

// ComparableFlags are the flags of two toolchains that can be compared: every single one if both are known, none if one dump does not hold them.
func ComparableFlags(a, b *Toolchain) (of, other map[string]string) {
	if a.FlagsUntold() || b.FlagsUntold() {
		return nil, nil
	}
	if a.Every == nil || b.Every == nil {
		return a.Flags, b.Flags
	}
	return a.everyFlag(), b.everyFlag()
}

// FlagsUntold reports whether a dump does not hold the flags. JAX sets some in every compilation, so they are missing only if XLA is too old to
// dump them (before 0.6), or if they were not kept.
func (t *Toolchain) FlagsUntold() bool { return t.Framework == "jax" && len(t.Flags) == 0 }

func (t *Toolchain) everyFlag() map[string]string {
	all := maps.Clone(t.Every)
	maps.Copy(all, t.Flags)
	delete(all, DigestFlag)
	return all
}

// TorchFramework is the name of PyTorch/XLA in a toolchain.
const TorchFramework = "torch_xla"

// ToolchainOf is what a module says about what made it, before it is measured. What cannot be read is left out here; measuring the dump reports it.
func ToolchainOf(m *dump.Module) Toolchain {
	quiet := &measuring{module: m}
	quiet.readToolchain()
	return quiet.Toolchain
}

// FromTorch reports whether PyTorch/XLA left files of its own in a dump. A graph that the model gives a name to (torch_xla.compile) has nothing
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
