//go:build unix

package capture

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fakePython answers like an interpreter with packages, and as a program dumps a module where XLA_FLAGS say.
const fakePython = `#!/bin/sh
if [ "$1" = -c ]; then
  echo 'a warning on stdout'
  echo '{"jax": "0.10.2", "jaxlib": "0.10.2", "tensorflow": "2.21.0"}'
  exit
fi
to=${XLA_FLAGS#*--xla_dump_to=}; to=${to%% *}
echo "compiling" >&2
echo "loss 0.5"
cp "$MODULE" "$to/module_0000.jit_step.cpu_after_optimizations.txt"
exit ${FAIL:-0}
`

const module = `HloModule jit_step, is_scheduled=true, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

ENTRY %main.3 (x.1: f32[4]) -> f32[4] {
  %x.1 = f32[4]{0} parameter(0), metadata={op_name="x"}
  ROOT %wrapped_tanh = f32[4]{0} tanh(%x.1)
}
`

// options runs a command in a folder with the fake interpreter in its PATH.
func options(t *testing.T, argv ...string) Options {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"python": fakePython, "module.txt": module} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return Options{Argv: argv, Dir: dir, To: filepath.Join(t.TempDir(), "xla"),
		Env: []string{"PATH=" + dir + ":/usr/bin:/bin", "MODULE=" + filepath.Join(dir, "module.txt")}}
}

func readRecord(t *testing.T, dir string) record {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, toolchainFile))
	if err != nil {
		t.Fatal(err)
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRunRecordsTheToolchain(t *testing.T) {
	opts := options(t, "sh", "-c", "python train.py")
	opts.Env = append(opts.Env, "XLA_FLAGS=--xla_force_host_platform_device_count=8")
	var stdout, stderr bytes.Buffer
	opts.Stdout, opts.Stderr = &stdout, &stderr
	out, err := Run(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if stdout.String() != "loss 0.5\n" || stderr.String() != "compiling\n" {
		t.Errorf("stdout %q, stderr %q", stdout.String(), stderr.String())
	}
	if log, err := os.ReadFile(out.Log); err != nil || string(log) != "compiling\n" {
		t.Errorf("log %q (%v)", log, err)
	}
	r := readRecord(t, out.Dir)
	if r.Schema != "xlagate.toolchain/v1" || r.Status != "done" || r.Framework != "jax" || r.Backend != "cpu" {
		t.Errorf("record %+v", r)
	}
	if got := keys(r.Versions); got != "jax jaxlib" {
		t.Errorf("versions of %s, want those of jax", got)
	}
	if got := r.Flags["xla_force_host_platform_device_count"]; got != "8" || len(r.Flags) != 1 {
		t.Errorf("flags %v", r.Flags)
	}
	if len(out.Notes) > 0 {
		t.Errorf("notes %q", out.Notes)
	}
}

func TestRunAgainReplacesTheDump(t *testing.T) {
	opts := options(t, "python", "train.py")
	for range 2 {
		if _, err := Run(t.Context(), opts); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRunWithoutPython(t *testing.T) {
	opts := options(t, "sh", "-c", `cp "$MODULE" "$(echo $XLA_FLAGS | sed 's/.*dump_to=//; s/ .*//')/module_0000.jit_step.cpu_after_optimizations.txt"`)
	out, err := Run(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Notes) != 1 || !strings.Contains(out.Notes[0], "versions") || len(out.Toolchain.Versions) > 0 {
		t.Errorf("notes %q, versions %v", out.Notes, out.Toolchain.Versions)
	}
}

// A graph of PyTorch/XLA that nobody expected has no lines of the model in it, and that is said.
func TestRunWithUnseenTorch(t *testing.T) {
	opts := options(t, "sh", "-c", `sed 's/^HloModule [^,]*/HloModule SyncTensorsGraph.5/' "$MODULE" > "$(echo $XLA_FLAGS | sed 's/.*dump_to=//; s/ .*//')/module_0000.SyncTensorsGraph.5.cpu_after_optimizations.txt"`)
	out, err := Run(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if out.Toolchain.Framework != "torch_xla" || len(out.Notes) != 2 || !strings.Contains(out.Notes[0], "set XLA_IR_DEBUG=1") {
		t.Errorf("framework %q, notes %q", out.Toolchain.Framework, out.Notes)
	}
}

func TestRunFails(t *testing.T) {
	opts := options(t, "python", "train.py")
	opts.Env = append(opts.Env, "FAIL=3")
	out, err := Run(t.Context(), opts)
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Why != "exit status 3" || exit.Said != "compiling" || !strings.HasSuffix(err.Error(), "(exit status 3), so its dump is not checked; it last said: compiling") {
		t.Fatalf("error %v (%+v)", err, exit)
	}
	if r := readRecord(t, out.Dir); r.Status != "failed" {
		t.Errorf("status %q of a command that failed", r.Status)
	}
}

// What ended a Python program is told before that it failed; what it wrote is kept.
func TestRunRaises(t *testing.T) {
	const raised = `echo step 1; printf 'Traceback (most recent call last):\n  File "/srv/app/train.py", line 8, in loss\n    return x @ w\nTypeError: shapes differ. See below.\n' >&2; exit 1`
	out, err := Run(t.Context(), options(t, "sh", "-c", raised))
	if err == nil || !strings.HasPrefix(err.Error(), "TypeError at train.py:8 in loss: shapes differ; the command failed (exit status 1)") {
		t.Errorf("error %v", err)
	}
	if said, err := os.ReadFile(filepath.Join(out.Dir, stdoutFile)); err != nil || string(said) != "step 1\n" {
		t.Errorf("stdout %q, %v", said, err)
	}
}

// What TensorFlow logs while the process ends is not why it failed.
func TestLastSaid(t *testing.T) {
	const info = "I0000 00:00:1795399785.130783   23287 dump_graph.cc:245] Dumped Graph to dump/graph/before_increase_dynamism_for_auto_jit_pass_31.pbtxt"
	const fatal = "F0000 00:00:1795399785.130783   23287 xla.cc:9] Unknown flag in XLA_FLAGS"
	for tail, want := range map[string]string{
		"ValueError: no data\n" + info:   "ValueError: no data",
		"ValueError: no data\n\n" + info: "ValueError: no data",
		info + "\n" + fatal:              fatal,
		info:                             info,
		"x\r\n2024-05-01 10:00:00.123456: I tensorflow/core/util/dump_graph.cc:245] Dumped Graph to /a\n": "x",
		"":                             "",
		"\n\n":                         "",
		strings.Repeat("y", 2*maxSaid): strings.Repeat("y", maxSaid/2) + "…" + strings.Repeat("y", maxSaid/2-1),
	} {
		if got := lastSaid([]byte(tail)); got != want {
			t.Errorf("%.80q: %q", tail, got)
		}
	}
}

func TestRunOfWhatIsNotThere(t *testing.T) {
	for _, argv := range [][]string{nil, {"no-such-program"}, {"./no-such-program"}} {
		_, err := Run(t.Context(), options(t, argv...))
		if err == nil {
			t.Errorf("%q runs", argv)
		}
	}
}

func TestRunThatDumpsNothing(t *testing.T) {
	out, err := Run(t.Context(), options(t, "true"))
	if !errors.Is(err, ErrNothingDumped) {
		t.Errorf("error %v", err)
	}
	if r := readRecord(t, out.Dir); r.Status != "failed" {
		t.Errorf("status %q", r.Status)
	}
}

func TestTimeoutEndsTheWholeGroup(t *testing.T) {
	opts := options(t, "sh", "-c", "sleep 300 & echo $! > child; wait")
	opts.Timeout = 200 * time.Millisecond
	_, err := Run(t.Context(), opts)
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Why != "did not end within 200ms" {
		t.Errorf("error %v", err)
	}
	waitForEnd(t, filepath.Join(opts.Dir, "child"))
}

func TestNothingIsLeftRunning(t *testing.T) {
	opts := options(t, "sh", "-c", "sleep 300 >/dev/null 2>&1 & echo $! > child; python train.py")
	if _, err := Run(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	waitForEnd(t, filepath.Join(opts.Dir, "child"))
}

// waitForEnd waits until the process whose number stands in a file is gone; a zombie nobody waits for counts as gone.
func waitForEnd(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for syscall.Kill(pid, 0) == nil {
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err == nil && bytes.Contains(stat, []byte(") Z ")) {
			return
		}
		if t.Context().Err() != nil {
			t.Fatalf("process %d still runs", pid)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestCancelIsPassedOn(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	opts := options(t, "sh", "-c", "echo up >&2; exec sleep 60")
	opts.Stderr = writerFunc(func(p []byte) (int, error) {
		cancel(errors.New("interrupted"))
		return len(p), nil
	})
	_, err := Run(ctx, opts)
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Why != "interrupted" {
		t.Errorf("error %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// What TensorFlow and JAX log because of capture is kept in the log and not shown; everything else is, in whatever pieces it comes.
func TestUnloggedWriter(t *testing.T) {
	const log = "step 1\nI0000 00:00:1795463431.105613    5194 xla_compiler.cc:1265] XLA computation inputs:\n" +
		"2024-05-01 10:00:00.123456: I tensorflow/core/util/dump_graph.cc:245] Dumped Graph to /a\nI0000 00:00:1.1    1 service.cc:153] XLA service\n" +
		"TRACING CACHE MISS at a.py:3:1 (<module>):\n  never seen function:\n    f id=1 defined at a.py:1\nTRACING\n  12 %"
	const shown = "step 1\nI0000 00:00:1.1    1 service.cc:153] XLA service\nTRACING\n  12 %"
	for size := 1; size <= len(log); size++ {
		var out strings.Builder
		w := &unloggedWriter{to: &out}
		for piece := range slices.Chunk([]byte(log), size) {
			if _, err := w.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.flush(); err != nil || out.String() != shown {
			t.Fatalf("in pieces of %d: %q, %v", size, out.String(), err)
		}
	}
}

// A function that TensorFlow takes from its own cache is not dumped, although its graph is.
func TestRunFromTensorFlowsCache(t *testing.T) {
	opts := options(t, "sh", "-c", `mkdir -p "$TF_DUMP_GRAPH_PREFIX"; echo 'node { name: "x" op: "_Arg" }' > "$TF_DUMP_GRAPH_PREFIX/xla_compile_function_f.pbtxt"`)
	if _, err := Run(t.Context(), opts); !errors.Is(err, ErrFromCache) {
		t.Errorf("error %v", err)
	}
}

func TestVersionsOf(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3")
	}
	packages := t.TempDir()
	for name, content := range map[string]string{
		"jax-0.10.2.dist-info/METADATA":          "Name: jax\nVersion: 0.10.2\n",
		"torch_xla-2.9.0+cpu.dist-info/METADATA": "Name: torch_xla\nVersion: 2.9.0+cpu\n",
		"libtpu.egg-info/PKG-INFO":               "Name: libtpu\nVersion: 0.0.42.1\n",
		"jaxlib-0.9.dist-info/RECORD":            "",
		"jax_extra-1.0.dist-info/METADATA":       "Name: jax_extra\nVersion: 1.0\n",
	} {
		path := filepath.Join(packages, name)
		check(t, os.MkdirAll(filepath.Dir(path), 0o755))
		check(t, os.WriteFile(path, []byte(content), 0o644))
	}
	opts := Options{Argv: []string{"python3", "train.py"}}
	got, err := versionsOf(t.Context(), opts, append(os.Environ(), "PYTHONPATH="+packages+":/nowhere"))
	check(t, err)
	for name, want := range map[string]string{"jax": "0.10.2", "torch_xla": "2.9.0+cpu", "libtpu": "0.0.42.1"} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	if version := got["jaxlib"]; version == "0.9" {
		t.Error("a package that was removed has a version")
	}
}

// The command sees no token with which the job may write to the repository, in whatever way it is captured, unless the capture names it.
func TestCommandGetsNoTokens(t *testing.T) {
	opts := options(t, "sh", "-c", "python train.py && env >&2")
	path := opts.Env
	opts.Env = append(path, "GITHUB_TOKEN=g", "GH_TOKEN=", "XLAGATE_GITHUB_TOKEN=x", "ACTIONS_RUNTIME_TOKEN=r", "ACTIONS_ID_TOKEN_REQUEST_URL=u",
		"INPUT_GITHUB-TOKEN=i", "INPUT_MYTOKEN=m", "GITHUB_ENTERPRISE_TOKEN=e", "GH_ENTERPRISE_TOKEN=e", "CI_JOB_JWT_V2=w", "BUILDKITE_AGENT_ACCESS_TOKEN=b", "INPUT_CONFIG=c", "CI_JOB_TOKEN=j", "HF_TOKEN=h", "GITHUB_SHA=s", "GITHUB_TOKEN=")
	for _, tt := range []struct {
		keep      []string
		want, not string
	}{
		{nil, "HF_TOKEN=h INPUT_CONFIG=c GITHUB_SHA=s", "GITHUB_TOKEN= GH_TOKEN= ACTIONS_ INPUT_GITHUB INPUT_MYTOKEN GITHUB_E GH_E CI_JOB BUILDKITE XLAGATE_GITHUB"},
		{[]string{"GITHUB_TOKEN", "CI_JOB_TOKEN"}, "GITHUB_TOKEN=g CI_JOB_TOKEN=j", "XLAGATE_GITHUB ACTIONS_"},
	} {
		var said strings.Builder
		opts.Keep, opts.Stderr = tt.keep, &said
		out, err := Run(t.Context(), opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range strings.Fields(tt.want) {
			if !strings.Contains(said.String(), "\n"+text+"\n") {
				t.Errorf("kept %q: %s is not in the environment\n%s", tt.keep, text, said.String())
			}
		}
		for _, text := range strings.Fields(tt.not) {
			if strings.Contains(said.String(), "\n"+text) {
				t.Errorf("kept %q: %s… is in the environment\n%s", tt.keep, text, said.String())
			}
		}
		if len(out.Notes) != 1 || !strings.Contains(out.Notes[0], "ACTIONS_RUNTIME_TOKEN") || !strings.Contains(out.Notes[0], "capture: { env: { ACTIONS_ID_TOKEN_REQUEST_URL: '' } }") {
			t.Errorf("notes %q, want one that names what was removed", out.Notes)
		}
	}
}
