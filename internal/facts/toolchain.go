package facts

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/dump"
)

func (t *Toolchain) read(f *dump.File) error {
	data, release, err := f.Bytes()
	if err != nil {
		return err
	}
	var record struct {
		Status string `json:"status"`
		Toolchain
	}
	if err = json.Unmarshal(data, &record); err != nil {
		err = fmt.Errorf("is not what xlagate capture writes: %w", err)
	} else if record.Status != "" && record.Status != "done" {
		err = fmt.Errorf("the capture did not finish (%s): the dump is not whole", record.Status)
	}
	*t = record.Toolchain
	return errors.Join(err, release())
}

// readToolchain is what one module says about what made it.
func (out *measuring) readToolchain() {
	m := out.module
	out.Toolchain = Toolchain{Framework: frameworkOf(m.Name), Backend: m.Backend()}
	t := &out.Toolchain
	if f := m.Companion(dump.KindDebugOptions); f != nil {
		if flags := readCompanion(out, f, debugOptions); flags != nil {
			t.Flags = telling(*flags)
		}
	}
	out.flagFile()
	// The runtime's name ("TPU v5 lite") goes before the chip's own ("VIPERFISH lite"), whichever file comes first.
	for _, kind := range []dump.Kind{dump.KindTopology, dump.KindTargetConfig, dump.KindTPU} {
		for _, f := range m.CompanionsOf(kind) {
			if read := deviceReader(f); read != nil {
				t.device(readCompanion(out, f, read))
			}
		}
	}
	if s := m.Optimized(); s != nil && t.Device == "" {
		t.Device = deviceTag(s.Tag)
	}
}

// setFramework names the framework of a module that does not tell it itself.
func (out *measuring) setFramework(opts Options) {
	if opts.torch && out.Toolchain.Framework == "" {
		out.Toolchain.Framework = TorchFramework
	}
}

// deviceReader is the reader of a file that says which device the module was compiled for; nil for other files.
func deviceReader(f *dump.File) func([]byte) (*artifacts.Device, error) {
	switch {
	case f.Kind == dump.KindTargetConfig:
		return artifacts.ReadTargetConfig
	case f.Kind == dump.KindTopology && strings.Contains(f.Path, ".pb"):
		return artifacts.ReadTopologyProto
	case f.Kind == dump.KindTopology:
		return artifacts.ReadTopology
	case f.Kind == dump.KindTPU && strings.HasSuffix(f.Path, ".target_arguments.txt"):
		return artifacts.ReadTargetArguments
	}
	return nil
}

// device takes over what a file says of the device; the first that names it holds.
func (t *Toolchain) device(d *artifacts.Device) {
	if d == nil {
		return
	}
	if d.Platform != "cpu" {
		t.Device = orElse(t.Device, orElse(d.Name, d.Capability))
	}
	t.version(strings.ToLower(orElse(d.Platform, "device"))+"_build", d.Build)
}

// version records the version of one part of the toolchain.
func (t *Toolchain) version(part, version string) {
	if version != "" {
		t.Versions = union(t.Versions, map[string]string{part: version})
	}
}

func debugOptions(data []byte) (*artifacts.Flags, error) {
	flags, err := artifacts.ReadDebugOptions(data)
	return &flags, err
}

// deviceTag is the device in a stage's tag: "sm_9.0a" of "sm_9.0a_gpu"; nothing of "cpu".
func deviceTag(tag string) string {
	device, isGPU := strings.CutSuffix(tag, "_gpu")
	if !isGPU {
		return ""
	}
	return device
}

// merge completes a toolchain with what another module, or the capture, knows.
func (t *Toolchain) merge(o Toolchain) {
	t.Framework = orElse(t.Framework, o.Framework)
	t.Backend = orElse(t.Backend, o.Backend)
	t.Device = orElse(t.Device, o.Device)
	t.Versions = union(t.Versions, o.Versions)
	t.Flags = union(t.Flags, o.Flags)
	t.Every = union(t.Every, o.Every)
}

func orElse(s, other string) string {
	if s != "" {
		return s
	}
	return other
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

// silent are parts of the names of flags that do not change what is compiled: where and what to dump, where files lie, threads.
var silent = []string{"xla_dump_", "thread", "logging", "hlo_graph", "_dir", "parallel_codegen_split_count", "modules_upload"}

// telling leaves out the flags that do not change what is compiled.
func telling(flags artifacts.Flags) map[string]string {
	var kept map[string]string
	for name, value := range flags {
		mute := func(part string) bool { return strings.Contains(name, part) }
		if slices.ContainsFunc(silent, mute) || strings.ContainsAny(value, `/\`) {
			continue
		}
		if kept == nil {
			kept = map[string]string{}
		}
		kept[name] = value
	}
	return kept
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
