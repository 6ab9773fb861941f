//go:build unix

package capture

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// cachingPython compiles a program, or takes it from JAX's cache and dumps what XLA dumps then.
const cachingPython = `#!/bin/sh
if [ "$1" = -c ]; then echo '{"jax": "0.10.2", "jaxlib": "0.10.2"}'; exit; fi
to=${XLA_FLAGS#*--xla_dump_to=}; to=${to%% *}
entry=$JAX_COMPILATION_CACHE_DIR/jit_step-$(printf '%064d' 7)-cache
if [ -e "$entry" ]; then
  cp "$MODULE" "$to/module_0002.jit_step.after_optimizations.txt"
else
  cp "$MODULE" "$to/module_0000.jit_step.cpu_after_optimizations.txt"
  cp "$MODULE" "$to/module_0000.jit_step.before_optimizations.txt"
  mkdir "$to/module_0000.jit_step"
  echo options > "$to/module_0000.jit_step/compile_options.pb"
  if [ -n "$TWICE" ]; then cp "$MODULE" "$to/module_0003.jit_step.cpu_after_optimizations.txt"; fi
  if [ -n "$HIT" ]; then cp "$MODULE" "$to/module_0002.jit_step.after_optimizations.txt"; fi
  echo executable > "$entry"
fi
# For a TPU, JAX compiles each time.
for stage in before_optimizations after_optimizations; do cp "$MODULE" "$to/module_0001.jit_step.cl_7.$stage.txt"; done
`

func TestWarmCapture(t *testing.T) {
	cold := []string{"module_0000.jit_step.before_optimizations.txt", "module_0000.jit_step.cpu_after_optimizations.txt", "module_0000.jit_step/compile_options.pb"}
	warm := []string{"module_0002.jit_step.before_optimizations.txt", "module_0002.jit_step.cpu_after_optimizations.txt", "module_0002.jit_step/compile_options.pb"}
	for _, test := range []struct {
		name   string
		env    string
		change func(t *testing.T, archive string, opts *Options)
		want   []string
		err    string
	}{
		{name: "unchanged", change: func(*testing.T, string, *Options) {}, want: warm},
		{name: "two modules of a name", env: "TWICE=1", change: func(*testing.T, string, *Options) {}, want: append([]string{"module_0003.jit_step.cpu_after_optimizations.txt"}, cold...)},
		{name: "taken from the cache by the run that compiled it", env: "HIT=1", change: func(t *testing.T, archive string, _ *Options) { check(t, os.Remove(archive)) }, want: append(warm, cold...)},
		{name: "emptied", change: func(t *testing.T, archive string, _ *Options) { check(t, os.Remove(archive)) }, want: cold},
		{name: "cut", change: func(t *testing.T, archive string, _ *Options) { check(t, os.Truncate(archive, 200)) }, want: cold},
		{name: "forged", change: func(t *testing.T, archive string, _ *Options) {
			data, err := os.ReadFile(archive)
			check(t, err)
			data[len(data)/3] ^= 1
			check(t, os.WriteFile(archive, data, 0o644))
		}, want: cold},
		{name: "other flags", change: func(_ *testing.T, _ string, opts *Options) {
			opts.Env = append(opts.Env, "XLA_FLAGS=--xla_cpu_enable_fast_min_max=true")
		}, want: cold},
		{name: "another program under the key", change: func(t *testing.T, _ string, opts *Options) {
			check(t, os.WriteFile(filepath.Join(opts.Dir, "module.txt"), []byte(strings.ReplaceAll(module, "tanh", "sine")), 0o644))
		}, err: "0 kept programs have this optimized module"},
	} {
		t.Run(test.name, func(t *testing.T) {
			opts := options(t, "python", "train.py")
			check(t, os.WriteFile(filepath.Join(opts.Dir, "python"), []byte(cachingPython), 0o755))
			opts.Cache = t.TempDir()
			opts.Env = append(opts.Env, test.env)
			_, err := Run(t.Context(), opts)
			check(t, err)
			archives, err := filepath.Glob(filepath.Join(opts.Cache, "*", "*.zip"))
			check(t, err)
			if (len(archives) == 0) != (test.env == "TWICE=1") {
				t.Fatalf("kept %v", archives)
			}
			test.change(t, strings.Join(archives, ""), &opts)
			_, err = Run(t.Context(), opts)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("error %v, want %q", err, test.err)
				}
				return
			}
			check(t, err)
			r := readRecord(t, opts.To)
			for _, name := range test.want {
				if _, err := os.Stat(filepath.Join(opts.To, name)); err != nil {
					t.Error(err)
				}
			}
			if hit := test.want[0] == warm[0]; hit != slices.Equal(r.Restored, []string{"module_0002.jit_step"}) {
				t.Errorf("restored %v", r.Restored)
			}
		})
	}
}

func TestIdentity(t *testing.T) {
	const text = "HloModule jit_f\n\nFileNames\n1 \"a.py\"\n\nStackFrames\n1 {file_location_id=1}\n\n\n%f (x: f32[]) -> f32[] {\n  a = tanh(x), metadata={op_name=\"f g\" stack_frame_id=1}\n}\n"
	for _, test := range []struct {
		name, text string
		same       bool
	}{
		{"other lines", strings.NewReplacer("a.py", "b.py", "}\n\n\n%", "}\n2 {}\n\n\n%", "stack_frame_id=1", "stack_frame_id=23").Replace(text), true},
		{"another operation", strings.Replace(text, "tanh", "sine", 1), false},
		{"another option of the module", strings.Replace(text, "jit_f", "jit_f, is_scheduled=true", 1), false},
		{"another operation behind a table that has no end", strings.NewReplacer("\n\n\n%f", "\n%f", "tanh", "sine").Replace(text), false},
	} {
		if same := identity("jit_f", []byte(test.text)) == identity("jit_f", []byte(text)); same != test.same {
			t.Errorf("%s: the same program is %t", test.name, same)
		}
	}
	if identity("jit_f", []byte(text)) == identity("jit_g", []byte(text)) {
		t.Error("programs of two names are one")
	}
}

// xlagate.compile of the Python package keeps dumps in the same folder, and says which it gives.
func TestWarmPythonPackage(t *testing.T) {
	opts := options(t, "sh", "-c", `cp "$MODULE" "$XLAGATE_DUMP/module_900000.jit_step.before_optimizations.txt"; echo "$XLAGATE_CACHE" > "$XLAGATE_CACHE/here"
echo 'xlagate: module_900000.jit_step was compiled before, and is not compiled again' >&2`)
	opts.Cache = t.TempDir()
	_, err := Run(t.Context(), opts)
	check(t, err)
	if r := readRecord(t, opts.To); !slices.Equal(r.Restored, []string{"module_900000.jit_step"}) {
		t.Errorf("restored %v", r.Restored)
	}
	_, err = os.Stat(filepath.Join(opts.Cache, "here"))
	check(t, err)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
