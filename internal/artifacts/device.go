package artifacts

import (
	"errors"
	"fmt"
	"strings"
)

// Device is the accelerator that a module was compiled for, and the runtime that compiled it. An empty field is not known.
type Device struct {
	Platform   string // "CUDA", "ROCM", "tpu", "cpu"
	Name       string // "NVIDIA H100 80GB HBM3", "TPU v5 lite"
	Capability string // "sm_9.0a", "gfx942"
	Build      string // of the compiler: "cl/933746096"
}

// ReadTargetConfig reads a .gpu_target_config.pbtxt.
func ReadTargetConfig(data []byte) (*Device, error) {
	root, err := readTextProto(data)
	if err != nil {
		return nil, err
	}
	info := root.message("gpu_device_info")
	if info == nil {
		return nil, syntaxError(1, "gpu_device_info is missing")
	}
	d := &Device{Platform: root.text("platform_name"), Name: root.text("device_description_str")}
	if d.Name == "" {
		d.Name = info.text("name")
	}
	d.Capability, err = capability(info)
	return d, err
}

// capability is the device's architecture as the names of dumped stages spell it.
func capability(info *node) (string, error) {
	if rocm := info.message("rocm_compute_capability"); rocm != nil {
		arch, _, _ := strings.Cut(rocm.text("gcn_arch_name"), ":")
		return arch, nil
	}
	cuda := info.message("cuda_compute_capability")
	if cuda == nil {
		return "", nil
	}
	major, err := cuda.int("major")
	if err != nil {
		return "", err
	}
	minor, err := cuda.int("minor")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("sm_%d.%d%s", major, minor, extensions[cuda.text("feature_extension")]), nil
}

// extensions are the letters that CUDA architectures with more features end in.
var extensions = map[string]string{
	"ACCELERATED_FEATURES":       "a",
	"FAMILY_COMPATIBLE_FEATURES": "f",
}

// ReadTargetArguments reads a TPU's .target_arguments.txt. The name is the chip's own: "VIPERFISH lite".
func ReadTargetArguments(data []byte) (*Device, error) {
	root, err := readTextProto(data)
	if err != nil {
		return nil, err
	}
	topology := root.message("tpu_topology_args")
	if topology == nil {
		return nil, syntaxError(1, "tpu_topology_args is missing")
	}
	name := strings.TrimPrefix(topology.text("version"), "TPU_VERSION_")
	return &Device{Platform: "tpu", Name: strings.TrimSpace(name + " " + topology.text("variant"))}, nil
}

// ReadTopology reads a topology.textproto or topology.pb of the runtime's own inputs.
func ReadTopology(data []byte) (*Device, error) {
	if len(data) > 0 && data[0] < ' ' && data[0] != '\n' { // a field's tag, no text
		return ReadTopologyProto(data)
	}
	root, err := readTextProto(data)
	if err != nil {
		return nil, err
	}
	return topologyDevice(root.text("platform_name"), root.text("platform_version"))
}

// ReadTopologyProto reads a topology.pb.
func ReadTopologyProto(data []byte) (*Device, error) {
	var platform, version string
	err := message(data, func(f field) error {
		switch f.num {
		case 2: // string platform_name = 2
			platform = string(f.bytes)
		case 3: // string platform_version = 3
			version = string(f.bytes)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return topologyDevice(platform, version)
}

// topologyDevice takes the device and the build out of a platform's version:
//
//	TFRT TPU v5 lite
//	Built on Jun 17 2026 11:08:48 (1781719728) cl/933746096
func topologyDevice(platform, version string) (*Device, error) {
	if platform == "" || version == "" {
		return nil, errors.New("the topology names no platform and version: it was cut off")
	}
	d := &Device{Platform: platform}
	name, built, ok := strings.Cut(version, "\n")
	if !ok {
		return d, nil
	}
	d.Name = strings.TrimPrefix(name, "TFRT ")
	if i := strings.LastIndex(built, " cl/"); i >= 0 {
		d.Build = built[i+1:]
	}
	return d, nil
}
