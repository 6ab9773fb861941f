package artifacts

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/wire"
)

// Device is the accelerator that a module was compiled for, and the runtime that compiled it. An empty field is unknown.
type Device struct {
	Platform   string // "CUDA", "ROCM", "tpu", "cpu"
	Name       string // "NVIDIA H100 80GB HBM3", "TPU v5 lite"
	Capability string // "sm_9.0a", "gfx942"
	Build      string // of the compiler: "cl/933746096"
}

// ReadTargetConfig reads a .gpu_target_config.pbtxt. It spells the architecture as in the names of dumped stages.
func ReadTargetConfig(data []byte) (*Device, error) {
	d, described, arch, version, extension := &Device{}, "", "", [2]int64{}, ""
	err := readText(data, wire.Fields{
		{0, "platform_name", &d.Platform},
		{0, "device_description_str", &described},
		{0, "gpu_device_info", wire.Fields{
			{0, "name", &d.Name},
			{0, "rocm_compute_capability", wire.Fields{{0, "gcn_arch_name", &arch}}},
			{0, "cuda_compute_capability", wire.Fields{{0, "major", &version[0]}, {0, "minor", &version[1]}, {0, "feature_extension", word(&extension)}}},
		}},
	})
	if version[0] > 0 {
		arch = fmt.Sprintf("sm_%d.%d%s", version[0], version[1], extensions[extension])
	}
	if err == nil && d.Name == "" && arch == "" {
		err = syntaxError(1, "gpu_device_info is missing")
	}
	d.Name = cmp.Or(described, d.Name)
	d.Capability, _, _ = strings.Cut(arch, ":")
	return d, err
}

// extensions are the suffixes of CUDA architectures with additional features.
var extensions = map[string]string{
	"ACCELERATED_FEATURES":       "a",
	"FAMILY_COMPATIBLE_FEATURES": "f",
}

// ReadTargetArguments reads a TPU's .target_arguments.txt. The name is that of the chip: "VIPERFISH lite".
func ReadTargetArguments(data []byte) (*Device, error) {
	var version, variant string
	err := readText(data, wire.Fields{{0, "tpu_topology_args", wire.Fields{{0, "version", word(&version)}, {0, "variant", word(&variant)}}}})
	if err == nil && version == "" {
		err = syntaxError(1, "tpu_topology_args is missing")
	}
	if err != nil {
		return nil, err
	}
	return &Device{Platform: "tpu", Name: strings.TrimSpace(strings.TrimPrefix(version, "TPU_VERSION_") + " " + variant)}, nil
}

// ReadTopology reads a topology.textproto or topology.pb of the runtime's own inputs. The platform's version names the device and the build:
//
//	TFRT TPU v5 lite
//	Built on Jun 17 2026 11:08:48 (1781719728) cl/933746096
func ReadTopology(data []byte) (*Device, error) {
	if wire.IsText(data) {
		if err := whole(data); err != nil {
			return nil, err
		}
	}
	d, version := &Device{}, ""
	if err := wire.New(data).All(wire.Fields{{2, "platform_name", &d.Platform}, {3, "platform_version", &version}}); err != nil {
		return nil, err
	}
	if d.Platform == "" || version == "" {
		return nil, errors.New("the topology names no platform and version: it was cut off")
	}
	if name, built, ok := strings.Cut(version, "\n"); ok {
		d.Name = strings.TrimPrefix(name, "TFRT ")
		if i := strings.LastIndex(built, " cl/"); i >= 0 {
			d.Build = built[i+1:]
		}
	}
	return d, nil
}

// Flags holds options by name. The values of a repeated one are joined by commas; a nested one is printed on one line.
type Flags map[string]string

// add sets an option, or appends a value to a repeated one.
func (f Flags) add(name, value string) {
	if old, repeated := f[name]; repeated {
		value = old + "," + value
	}
	f[name] = value
}

// ReadDebugOptions reads a .debug_options: the flags that are not at their defaults. XLA writes none without the flag xla_dump_to, which is behind most others.
func ReadDebugOptions(data []byte) (Flags, error) {
	f := Flags{}
	err := readText(data, wire.Fields{{To: func(r *wire.Reader, name string) error {
		value, err := r.Value()
		f.add(name, value)
		return err
	}}})
	if _, dumped := f["xla_dump_to"]; err == nil && !dumped {
		err = syntaxError(bytes.Count(data, []byte("\n")), "the file ends before the flag xla_dump_to, without which XLA does not write it: it was cut off")
	}
	return f, err
}

// ReadFlagFile reads a .flagfile: one --name=value a line, values perhaps in quotes.
func ReadFlagFile(data []byte) (Flags, error) {
	if err := whole(data); err != nil {
		return nil, err
	}
	l := lines{rest: string(data)}
	f := Flags{}
	for line := range l.all() {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		flag, ok := strings.CutPrefix(line, "--")
		name, value, hasValue := strings.Cut(flag, "=")
		if !ok || name == "" {
			return nil, l.unknown("%q is no --name=value", line)
		}
		if !hasValue {
			value = "true"
		}
		f.add(name, unquote(value))
	}
	return f, nil
}

// unquote removes a pair of quotes.
func unquote(s string) string {
	if n := len(s); n >= 2 && s[0] == s[n-1] && (s[0] == '\'' || s[0] == '"') {
		return s[1 : n-1]
	}
	return s
}
