package capture

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func environment(t *testing.T, vars ...string) *environ {
	t.Helper()
	e, err := dumpEnvironment(Options{Env: vars, Dir: t.TempDir()}, "/dump", nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestDumpEnvironment(t *testing.T) {
	const ours = "--xla_dump_to=/dump --xla_dump_hlo_as_text"
	for _, tt := range []struct {
		name, user, want, note string
	}{
		{"nothing set", "", ours, ""},
		{"the user's flags stay", "--xla_cpu_enable_fast_math=true", ours + " --xla_cpu_enable_fast_math=true", ""},
		{"another dump", "--xla_dump_to=/theirs --xla_a=1", ours + " --xla_a=1", "XLA_FLAGS dumped to /theirs"},
		{"text switched off", "--xla_dump_hlo_as_text=false", ours, ""},
		{"quotes stay", `--xla_a="b c"`, ours + ` --xla_a="b c"`, ""},
		{"snapshots suppress all else", "--xla_dump_hlo_unoptimized_snapshots", ours, "XLA dumps nothing else"},
		{"hidden modules", "--xla_dump_hlo_module_re=x", ours + " --xla_dump_hlo_module_re=x", "cannot be checked"},
		{"a word that ends the flags", "--xla_a=1 oops --xla_b=2", ours + " --xla_a=1", `"oops" does not start with a hyphen`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := environment(t, "XLA_FLAGS="+tt.user)
			if got := e.get("XLA_FLAGS"); got != tt.want {
				t.Errorf("XLA_FLAGS=%s\n      want %s", got, tt.want)
			}
			if notes := strings.Join(e.notes, "\n"); !strings.Contains(notes, tt.note) || tt.note == "" && notes != "" {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
		})
	}
}

func TestDumpEnvironmentOfTensorFlow(t *testing.T) {
	e := environment(t, "TF_XLA_FLAGS=--tf_xla_auto_jit=2 --tf_xla_clustering_debug=false --tf_xla_persistent_cache_directory=/c",
		"TF_DUMP_GRAPH_PREFIX=/old", "HOME=/home/me")
	want := []string{"HOME=/home/me", "XLA_FLAGS=--xla_dump_to=/dump --xla_dump_hlo_as_text",
		"TF_XLA_FLAGS=--tf_xla_clustering_debug --tf_xla_auto_jit=2", "TF_DUMP_GRAPH_PREFIX=" + filepath.Join("/dump", "graph"),
		"TF_CPP_VMODULE=xla_compiler=2", "TF_DUMP_GRAPH_NAME_FILTER=*", "TF_DUMP_GRAPH_GROUPS=op_stacktrace", "JAX_ENABLE_COMPILATION_CACHE=false", "PYTHONUNBUFFERED=1"}
	if !slices.Equal(e.vars, want) {
		t.Errorf("environment %q\nwant %q", e.vars, want)
	}
	if len(e.notes) != 2 {
		t.Errorf("notes %q, want one on the cache and one on the graphs", e.notes)
	}
}

func TestDumpEnvironmentOfTorch(t *testing.T) {
	e, err := dumpEnvironment(Options{Env: []string{"XLA_HLO_DEBUG=0", "XLA_METRICS_FILE=/theirs", "PT_XLA_DEBUG_LEVEL=2"}, Dir: t.TempDir()}, "/dump", map[string]string{"torch_xla": "2.9.0"})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"XLA_FLAGS":              "--xla_dump_to=/dump --xla_dump_hlo_as_text --xla_dump_hlo_as_proto",
		"XLA_IR_DEBUG":           "1",
		"XLA_HLO_DEBUG":          "0", // as the user set it
		"XLA_METRICS_FILE":       filepath.Join("/dump", metricsFile),
		"PT_XLA_DEBUG_LEVEL":     "2", // the same
		"PT_XLA_DEBUG_MAX_FRAME": "64",
		"PT_XLA_DEBUG_FILE":      filepath.Join("/dump", reasonsFile),
	} {
		if got := e.get(key); got != want {
			t.Errorf("%s=%s, want %s", key, got, want)
		}
	}
	if len(e.notes) != 1 || !strings.Contains(e.notes[0], "XLA_METRICS_FILE was /theirs") {
		t.Errorf("notes %q, want one on the metrics file", e.notes)
	}
}

func TestDumpEnvironmentSwitchesCachesOff(t *testing.T) {
	e := environment(t, "JAX_COMPILATION_CACHE_DIR=/c", "JAX_ENABLE_COMPILATION_CACHE=true", "XLA_PERSISTENT_CACHE_PATH=/p",
		"LIBTPU_INIT_ARGS=--xla_dump_to=/t --xla_tpu_x=1")
	for key, want := range map[string]string{"JAX_ENABLE_COMPILATION_CACHE": "false", "XLA_PERSISTENT_CACHE_PATH": "",
		"LIBTPU_INIT_ARGS": "--xla_tpu_x=1"} {
		if got := e.get(key); got != want {
			t.Errorf("%s=%s, want %s", key, got, want)
		}
	}
	if len(e.notes) != 3 {
		t.Errorf("notes %q, want one on each cache and one on libtpu's dump", e.notes)
	}
}

func TestFlagsInFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "flags"), []byte("--xla_a=1\n--xla_dump_to=/theirs\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	e, err := dumpEnvironment(Options{Env: []string{"XLA_FLAGS=flags"}, Dir: dir, Passes: true}, "/a b", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := e.get("XLA_FLAGS"), `--xla_dump_to="/a b" --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=.* --xla_a=1`; got != want {
		t.Errorf("XLA_FLAGS=%s, want %s", got, want)
	}
}

func TestFlagsThatXLAWouldNotRead(t *testing.T) {
	for flags, want := range map[string]string{
		"–xla_a=1":   "is not the hyphen",
		"no/such/fi": "takes it for the name of a file",
	} {
		_, err := dumpEnvironment(Options{Env: []string{"XLA_FLAGS=" + flags}, Dir: t.TempDir()}, "/dump", nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("XLA_FLAGS=%s gives %v, want an error with %q", flags, err, want)
		}
	}
}

func TestCompilerFlags(t *testing.T) {
	e := environment(t, "XLA_FLAGS=--xla_cpu_enable_fast_math --xla_gpu_cuda_data_dir=/usr/local/cuda --xla_a=7 --xla_dump_hlo_as_dot",
		"TF_XLA_FLAGS=--tf_xla_auto_jit=2")
	got := compilerFlags(e)
	want := map[string]string{"xla_cpu_enable_fast_math": "true", "xla_a": "7", "tf_xla_auto_jit": "2"}
	if len(got) != len(want) {
		t.Errorf("flags %v, want %v", got, want)
	}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("flag %s is %q, want %q", name, got[name], value)
		}
	}
}

// JAX explains cache misses where its version can, unless the user decided.
func TestExplainMisses(t *testing.T) {
	const name = "JAX_EXPLAIN_CACHE_MISSES"
	for version, want := range map[string]string{"0.4.26": "", "0.4.35": "1", "0.10.2": "1", "1.0": "1", "": ""} {
		e := environ{}
		if e.explainMisses(version); e.get(name) != want || e.asks {
			t.Errorf("JAX %q: %q, asked %v, want %q", version, e.get(name), e.asks, want)
		}
	}
	e := environ{vars: []string{name + "=0"}}
	if e.explainMisses("0.10.2"); e.get(name) != "0" || !e.asks {
		t.Errorf("what the user set is now %q, asked %v", e.get(name), e.asks)
	}
}
