package facts

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
)

// unpack writes the module files of an archived dump into a directory, each as edit leaves it.
func unpack(t *testing.T, name string, edit func(file string, data []byte) []byte) string {
	t.Helper()
	dir := t.TempDir()
	for _, m := range open(t, name).Modules {
		for _, s := range m.Stages {
			data, release, err := s.File(dump.KindHLOText).Bytes()
			if err != nil {
				t.Fatal(err)
			}
			base := s.File(dump.KindHLOText).Path[strings.LastIndexAny(s.File(dump.KindHLOText).Path, "!/")+1:]
			if err := os.WriteFile(filepath.Join(dir, base), edit(base, data), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := release(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

func measureDir(t *testing.T, dir string) *Report {
	t.Helper()
	d, err := dump.Open(context.Background(), dir, dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	r, err := Measure(context.Background(), d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A module that was cut off is a problem with its place, never a variant with less in it.
func TestCutOffModule(t *testing.T) {
	dir := unpack(t, "cpu-while", func(file string, data []byte) []byte {
		if strings.Contains(file, "after_optimizations") {
			return data[:2*len(data)/3]
		}
		return data
	})
	r := measureDir(t, dir)
	if len(r.Programs) != 0 {
		t.Errorf("programs %s of a dump that was cut off", programNames(r.Programs))
	}
	if len(r.Problems) == 0 {
		t.Fatal("no problem")
	}
	p := r.Problems[0]
	if !strings.Contains(p.File, "after_optimizations.txt") || p.Program != "newton" || p.Message == "" {
		t.Errorf("problem %+v", p)
	}
}

// A module that was dumped before its optimization only cannot be checked.
func TestMissingOptimizedModule(t *testing.T) {
	dir := unpack(t, "cpu-while", func(_ string, data []byte) []byte { return data })
	files, err := filepath.Glob(filepath.Join(dir, "*after_optimizations.txt"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	if r := measureDir(t, dir); len(r.Programs) != 0 || len(r.Problems) != 1 {
		t.Errorf("%d programs, problems %v", len(r.Programs), r.Problems)
	}
}

// Without the unoptimized module the arguments still have names, and what it would have said is named as missing.
func TestMissingUnoptimizedModule(t *testing.T) {
	dir := unpack(t, "cpu-while", func(_ string, data []byte) []byte { return data })
	files, err := filepath.Glob(filepath.Join(dir, "*before_optimizations.txt"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	v := measureDir(t, dir).Programs[0].Variants[0]
	if v.Signature != only(t, "cpu-while").Signature {
		t.Errorf("signature %s", v.Signature)
	}
	if _, known := v.Facts["instructions.before"]; known || v.InputPrint != "" {
		t.Error("something is known of a module that was not dumped")
	}
	for _, name := range []string{"before-optimizations", "buffer-assignment"} {
		if !slices.Contains(v.Missing, name) {
			t.Errorf("%s is not among what is missing: %q", name, v.Missing)
		}
	}
}

func TestMemory(t *testing.T) {
	v := only(t, "tpu-v5e-shardmap")
	for _, name := range []ID{"memory.temp_bytes", "memory.argument_bytes", "memory.output_bytes", "cost.estimated_cycles"} {
		if v.Facts[name] <= 0 {
			t.Errorf("%s = %v", name, v.Facts[name])
		}
	}
	scan := only(t, "cpu-scan")
	scan.Facts.want(t, Values{"memory.argument_bytes": 32*32*4 + 16*32*4 + 20*4*16*4, "memory.alias_bytes": 0})
	if scan.Facts["memory.peak_bytes"] <= scan.Facts["memory.temp_bytes"] {
		t.Errorf("peak %v, temp %v", scan.Facts["memory.peak_bytes"], scan.Facts["memory.temp_bytes"])
	}
	if len(scan.Buffers) == 0 || scan.Buffers[0].OpName == "" || scan.Buffers[0].Source.Line == 0 {
		t.Errorf("buffers %+v", scan.Buffers)
	}
}

func TestToolchain(t *testing.T) {
	tool := measure(t, "gpu-0.8.3-collectives", Options{}).Toolchain
	if tool.Framework != "jax" || tool.Backend != "gpu" || tool.Device == "" {
		t.Errorf("toolchain %+v", tool)
	}
	for name := range tool.Flags {
		if strings.Contains(name, "dump") {
			t.Errorf("%s is kept", name)
		}
	}
}

// Compiled ahead of time, the model is for another device than the helpers that ran before it.
func TestToolchainOfTheModel(t *testing.T) {
	at := func(name string) *dump.Dump {
		d, err := dump.Open(t.Context(), "../../testdata/"+name, dump.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		return d
	}
	d := at("recompile-eager_helpers/dump.tar.xz")
	d.Modules = append(d.Modules, at("tpu-softmax_barrier/before.tar.xz").Modules...)
	r, err := Measure(t.Context(), d, Options{Exclude: []string{"predict"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Helpers) == 0 || r.Helpers[0].Variants[0].Backend != "cpu" || r.Toolchain.Backend != "tpu" {
		t.Errorf("%d helpers; the back end is %s", len(r.Helpers), r.Toolchain.Backend)
	}
}

// The text and the proto of one module say the same.
func TestTextAndProtoAgree(t *testing.T) {
	d := open(t, "cpu-while")
	text, err := Measure(context.Background(), d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range d.Modules {
		for i := range m.Stages {
			s := &m.Stages[i]
			s.Files = slices.DeleteFunc(s.Files, func(f *dump.File) bool { return f.Kind == dump.KindHLOText })
		}
	}
	proto, err := Measure(context.Background(), d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := proto.Programs[0].Variants[0]
	if !strings.HasSuffix(v.File, ".hlo.pb") {
		t.Errorf("measured from %s", v.File)
	}
	v.File = text.Programs[0].Variants[0].File
	if a, b := digest(t, text), digest(t, proto); a != b {
		t.Errorf("text:\n%s\nproto:\n%s", a, b)
	}
}
