package logs

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFindFailure(t *testing.T) {
	for name, want := range map[string]string{
		"tf-failed-tf221":           "XLA cannot compile ReadFile at unc.py:5 in load: No registered 'ReadFile' OpKernel for XLA_CPU_JIT devices",
		"tf-failed-mirrored-tf221":  "InvalidArgumentError at mirror_in.py:12 in train_step: Trying to access resource Variable/1 (defined @ /srv/app/mirror_in.py:3) located in device /job:localhost/replica:0/task:0/device:CPU:1 from device /job:localhost/replica:0/task:0/device:CPU:0",
		"tf-failed-running-tf221":   "InvalidArgumentError at hvd.py:25 in train_step: Trying to access resource w/1 (defined @ /srv/app/hvd.py:4) located in device /job:localhost/replica:0/task:0/device:CPU:0 from device /job:localhost/replica:0/task:0/device:CPU:1",
		"jax-0.10.2-failed-tracing": "TracerBoolConversionError while JAX traces train_step at jaxfail.py:11: Attempted boolean conversion of traced array with shape bool[]",
		"python-failed-syntax":      "SyntaxError at model.py:2: invalid syntax",
		"torch-failed-shapes":       "RuntimeError at shape.py:4 in step: mm(): cannot matrix-multiply tensors f32[4,8] and f32[4,8]",
		"torch-failed-memory":       "RuntimeError at compile.py:13: Error preparing computation: Out of memory allocating 8796093022208 bytes",
		"jax-0.10.2-failed-carry":   "TypeError at carry.py:10 in total: scan body function carry input and carry output must have equal types, but they differ: The input carry component carry[0] has type bfloat16[] but the corresponding output carry component has type float32[], so the dtypes do not match",
		"jax-0.10.2-failed-shapes":  "TypeError at jaxfail2.py:3 in layer: dot_general requires contracting dimensions to have the same shape, got (4,) and (5,)",
	} {
		log := sample(t, name)
		f := FindFailure(log)
		if f == nil || f.String() != want || !strings.HasPrefix(strings.Split(string(log), "\n")[f.Line-1], traceback) {
			t.Fatalf("%s: %+v", name, f)
		}
		ranked := append([]byte("[rank1]: "), bytes.ReplaceAll(bytes.TrimSuffix(log, []byte("\n")), []byte("\n"), []byte("\n[rank1]: "))...)
		if again := FindFailure(ranked); again == nil || again.Where != f.Where || again.Text != f.Text {
			t.Errorf("%s, behind a prefix: %+v", name, again)
		}
		at := bytes.Index(log, []byte(traceback))
		for end := range log {
			if got := FindFailure(log[:end]); got != nil && end < at {
				t.Errorf("%s: %+v before its exception", name, got)
			}
		}
	}
	for name, want := range map[string][]string{
		"tf-several-tf221":   {"ValueError at shape.py:5 in bad: Dimensions must be equal, but are 8 and 3 for '{{node matmul}} = MatMul[T=DT_FLOAT, grad_a=false, grad_b=false, transpose_a=false, transpose_b=false](mul, ones)' with input shapes: [4,8], [3,3]", "XLA cannot compile AsString at several.py:8 in bad: No registered 'AsString' OpKernel for XLA_CPU_JIT devices"},
		"jax-0.10.2-several": {"TracerBoolConversionError while JAX traces bad at several.py:7: Attempted boolean conversion of traced array with shape bool[]"},
		"torch-several":      {"RuntimeError at several.py:7 in bad: mm(): cannot matrix-multiply tensors f32[4,8] and f32[3,3]"},
	} {
		var got []string
		for _, f := range FindFailures(sample(t, name)) {
			if f.Compiling || f.Op != "" {
				got = append(got, f.String())
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q\nwant %q", name, got, want)
		}
	}
	if f := FindFailure(sample(t, "jax-0.10.2-explain")); f != nil {
		t.Errorf("a log without an exception: %+v", f)
	}
}

// Each process has a prefix of its own.
func TestPrefixOfEachProcess(t *testing.T) {
	first := "[rank0]: Traceback (most recent call last):\n[rank0]:   File \"/srv/a.py\", line 3, in load\n[rank0]: KeyError: 'w'\n"
	second := strings.NewReplacer("rank0", "rank12", "line 3", "line 4").Replace(first)
	for _, before := range []string{"", "epoch 1\n", strings.Repeat("x", 2*maxPrefix) + "\n"} {
		var got []string
		for _, f := range FindFailures([]byte(before + first + before + second)) {
			got = append(got, f.String())
		}
		if want := []string{"KeyError at a.py:3 in load: 'w'", "KeyError at a.py:4 in load: 'w'"}; !slices.Equal(got, want) {
			t.Errorf("after %q: %q", before, got)
		}
	}
}

// A log may be one long line.
func TestTracebacksOfOneLine(t *testing.T) {
	log, start := bytes.Repeat([]byte(traceback), 20000), time.Now()
	if all := FindFailures(log); len(all) > 0 || time.Since(start) > 3*time.Second {
		t.Errorf("%d exceptions after %v", len(all), time.Since(start))
	}
}

// Only a compiler's message goes on in the next paragraph, if there is one.
func TestMessageThatEndsInAColon(t *testing.T) {
	const jax = "\n--------------------\nFor simplicity, JAX has removed its internal frames from the traceback of the following exception.\n"
	for rest, want := range map[string]string{
		"": "these differ:", "epoch 2 begins\n": "these differ:", "\n\n": "these differ:", jax: "these differ:",
		"\nThe sizes differ.\n" + jax: "these differ: The sizes differ",
	} {
		f := FindFailure([]byte(traceback + "\n  File \"/srv/a.py\", line 3, in load\nTypeError: these differ:\n" + rest))
		if f == nil || f.Text != want {
			t.Errorf("before %q: %+v", rest, f)
		}
	}
}
