package capture

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/phrase"
)

// record is the content of xlagate-toolchain.json.
type record struct {
	Schema string `json:"schema"`
	Status string `json:"status"` // running, failed or done; a dump whose record is not done is incomplete
	facts.Toolchain
	Restored []string         `json:"restored,omitempty"` // the modules that JAX took from its cache, with files of an earlier capture
	Files    map[string]int64 `json:"files,omitempty"`    // the size of each file in bytes, by its path below the dump; a shorter file was cut off

	modules int
}

func (r *record) write(dir string) error {
	err := files.Replace(filepath.Join(dir, toolchainFile), func(f *os.File) error {
		out := json.NewEncoder(f)
		out.SetIndent("", "  ")
		return out.Encode(r)
	})
	if err != nil {
		return fmt.Errorf("record the toolchain: %w", err)
	}
	return nil
}

// distribution is a Python package whose version affects compilation.
type distribution struct {
	name      string
	key       string // its name in the record
	framework string // its framework
	backend   string // the only backend that it affects; "" for all
}

var distributions = []distribution{
	{"jax", "jax", "jax", ""},
	{"jaxlib", "jaxlib", "jax", ""},
	{"libtpu", "libtpu", "", "tpu"},
	{"jax-cuda12-pjrt", "jax-cuda12-pjrt", "jax", "gpu"},
	{"jax-cuda13-pjrt", "jax-cuda13-pjrt", "jax", "gpu"},
	{"jax-rocm60-pjrt", "jax-rocm60-pjrt", "jax", "gpu"},
	{"jax-rocm7-pjrt", "jax-rocm7-pjrt", "jax", "gpu"},
	{"nvidia-cuda-nvcc-cu12", "nvcc", "", "gpu"},
	{"nvidia-cuda-nvcc", "nvcc", "", "gpu"},
	{"nvidia-cudnn-cu12", "cudnn", "", "gpu"},
	{"nvidia-cudnn-cu13", "cudnn", "", "gpu"},
	{"tensorflow", "tensorflow", "tensorflow", ""},
	{"tensorflow-cpu", "tensorflow", "tensorflow", ""},
	{"tensorflow-intel", "tensorflow", "tensorflow", ""},
	{"tensorflow-macos", "tensorflow", "tensorflow", ""},
	{"tensorflow-rocm", "tensorflow", "tensorflow", ""},
	{"tf-nightly", "tensorflow", "tensorflow", ""},
	{"torch", "torch", "torch_xla", ""},
	{"torch_xla", "torch_xla", "torch_xla", ""},
}

// versionScript reads versions from the names of folders: it takes longer to import importlib.metadata and json than to check a small program.
const versionScript = `
import os, sys
names = {name.lower().replace("_", "-"): name for name in %s}
versions = {}
for folder in sys.path:
    try:
        entries = os.listdir(folder or ".")
    except OSError:
        continue
    for entry in entries:
        package, kind = os.path.splitext(entry)
        package, _, version = package.partition("-")
        name = names.get(package.lower().replace("_", "-"))
        if name and kind == ".dist-info" and os.path.exists(os.path.join(folder, entry, "METADATA")):
            versions.setdefault(name, version)
        elif name and kind == ".egg-info":
            import importlib.metadata
            versions.setdefault(name, str(importlib.metadata.version(name)))
print(str(versions).replace("'", '"'))
`

// versionsOf returns the versions of the packages of the command's interpreter, by distribution name.
func versionsOf(ctx context.Context, opts Options, env []string) (map[string]string, error) {
	opts.Env = env
	e := environ{vars: env}
	python := interpreter(opts.Argv, opts.Dir, e.get("PATH"))
	if python == nil {
		return nil, fmt.Errorf("the versions of framework and compiler are not recorded: %s is not known to run Python", opts.Argv[0])
	}
	names := phrase.Map(distributions, func(d distribution) string { return d.name })
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	var versions map[string]string
	if err := askJSON(ctx, opts, python, fmt.Sprintf(versionScript, quoted(names)), &versions); err != nil {
		return nil, fmt.Errorf("the versions of framework and compiler are not recorded: %s does not report them: %w", strings.Join(python, " "), err)
	}
	return versions, nil
}

// relevant returns the packages that affect what this framework compiles for this backend: an upgrade of another package that
// is installed too is no change of the toolchain.
func relevant(versions map[string]string, framework, backend string) map[string]string {
	kept := map[string]string{}
	for _, d := range distributions {
		version, found := versions[d.name]
		otherFramework := framework != "" && d.framework != "" && d.framework != framework
		otherBackend := d.backend != "" && d.backend != backend
		if _, taken := kept[d.key]; found && !taken && !otherFramework && !otherBackend {
			kept[d.key] = version
		}
	}
	return kept
}

// compilerFlags returns the user's flags that affect compilation, without paths and flags that only control the dump.
func compilerFlags(e *environ) map[string]string {
	kept := map[string]string{}
	for _, key := range []string{"XLA_FLAGS", "TF_XLA_FLAGS", "LIBTPU_INIT_ARGS"} {
		flags, _ := splitFlags(e.get(key))
		for _, f := range flags {
			if strings.HasPrefix(f.name, "xla_dump_") || strings.HasPrefix(f.name, "tf_dump_") || slices.Contains(steering, f.name) ||
				strings.ContainsAny(f.value, `/\`) {
				continue
			}
			kept[f.name] = f.value
			if !strings.Contains(f.raw, "=") {
				kept[f.name] = "true"
			}
		}
	}
	return kept
}

// steering matches flags that control logging, not compilation.
var steering = []string{"tf_xla_clustering_debug", "xla_hlo_profile", "vmodule", "v", "logtostderr", "alsologtostderr"}

// lookAt adds the toolchain that a fresh dump names to the record. It returns an error for a dump without a module or graph.
func (r *record) lookAt(ctx context.Context, dir string) error {
	d, err := dump.Open(ctx, dir, dump.Options{})
	if err != nil {
		return fmt.Errorf("look at the dump: %w", err)
	}
	defer d.Close()
	if len(d.Modules) == 0 && len(d.Graphs) == 0 {
		return ErrNothingDumped
	}
	r.Files, r.modules = d.Sizes(), len(d.Modules)
	if len(d.Modules) == 0 {
		r.Framework = "tensorflow"
		if given, _ := filepath.Glob(filepath.Join(dir, graphFolder, "xla_compile_function_*")); len(given) > 0 {
			return ErrFromCache
		}
	}
	for _, m := range d.Modules { // an accelerator takes precedence over the CPU, on which the same process compiles small helpers
		t := facts.ToolchainOf(m)
		r.Framework = cmp.Or(r.Framework, t.Framework)
		if r.Backend == "" || r.Backend == "cpu" && t.Backend != "" {
			r.Backend = t.Backend
		}
		r.Device = cmp.Or(r.Device, t.Device)
	}
	if r.Libraries, err = libraries(d); err != nil {
		return err
	}
	if r.Framework == "" && facts.FromTorch(d) {
		r.Framework = facts.TorchFramework
	}
	return nil
}
