package capture

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestInterpreter(t *testing.T) {
	bin := t.TempDir()
	for name, content := range map[string]string{
		"venv-tool": "#!/venv/bin/python3.11\nimport x\n",
		"env-tool":  "#!/usr/bin/env -S python3 -u\n",
		"long-tool": "#!/bin/sh\n'''exec' \"/a very/long/python3\" \"$0\" \"$@\"\n' '''\n",
		"shell":     "#!/bin/sh\npython train.py\n",
		"binary":    "\x7fELF\x00",
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for command, want := range map[string]string{
		"python train.py":                   "python",
		"/opt/v/bin/python3.12 -m train":    "/opt/v/bin/python3.12",
		"venv-tool --steps 2":               "/venv/bin/python3.11",
		"env-tool":                          "python3",
		"shell":                             "",
		"binary":                            "",
		"missing":                           "",
		"pythonic train.py":                 "",
		"env A=1 python train.py":           "env A=1 python",
		"taskset -c 0 python3 train.py":     "taskset -c 0 python3",
		"uv run --with jax python train.py": "uv run --with jax python",
		"uv run train.py":                   "uv run python",
		"timeout 60 ./train":                "",
		"sh -c|python train.py --steps 2":   "python",
		"bash -ec|cd model && A=1 python3 train.py|x":  "python3",
		"sh -c|venv-tool; echo done":                   "/venv/bin/python3.11",
		"sh -c|make -j2":                               "",
		"sh -c|poetry run python -m train > log 2>&1":  "poetry run python",
		"sh script.sh":                                 "",
		"sh -c|sh -c 'python a.py'":                    "",
		"bash -c|export X=1\n/v/bin/python train.py":   "/v/bin/python",
		"bash -lc|JAX_PLATFORMS=cpu venv-tool --fast ": "/venv/bin/python3.11",
	} {
		argv := strings.Split(command, "|")
		if len(argv) > 1 {
			argv = append(strings.Fields(argv[0]), argv[1:]...)
		} else {
			argv = strings.Fields(command)
		}
		if got := strings.Join(interpreter(argv, "", bin), " "); got != want {
			t.Errorf("%q is run by %q, want %q", command, got, want)
		}
	}
}

func TestLookPathIsTheCommandsOwn(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"bin/tool", "here/tool"} {
		path := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"tool": "bin/tool", "here/tool": "here/tool", "./here/tool": "here/tool", "none": "", "./none": ""} {
		got, err := lookPath(name, dir, "bin:/nowhere")
		if want == "" {
			if err == nil {
				t.Errorf("%s is found at %s", name, got)
			}
			continue
		}
		if err != nil || got != filepath.Join(dir, want) {
			t.Errorf("%s is found at %s (%v), want %s", name, got, err, want)
		}
	}
}

func TestRelevant(t *testing.T) {
	all := map[string]string{"jax": "0.10.2", "jaxlib": "0.10.2", "libtpu": "0.0.42.1", "jax-cuda12-pjrt": "0.10.2", "tensorflow-cpu": "2.21.0", "torch": "2.9"}
	for _, tt := range []struct{ framework, backend, want string }{
		{"jax", "cpu", "jax jaxlib"},
		{"jax", "tpu", "jax jaxlib libtpu"},
		{"jax", "gpu", "jax jax-cuda12-pjrt jaxlib"},
		{"tensorflow", "cpu", "tensorflow"},
		{"torch_xla", "tpu", "libtpu torch"},
		{"", "", "jax jaxlib tensorflow torch"},
	} {
		if got := keys(relevant(all, tt.framework, tt.backend)); got != tt.want {
			t.Errorf("%s on %s keeps %s, want %s", tt.framework, tt.backend, got, tt.want)
		}
	}
}

func keys(m map[string]string) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), " ")
}
