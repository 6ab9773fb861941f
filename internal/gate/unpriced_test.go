package gate

import (
	"path/filepath"
	"strings"
	"testing"
)

// text is the options for a program that `compiled.as_text()` printed.
func text(t *testing.T, o Options, name string) Options {
	t.Helper()
	path, err := filepath.Abs("testdata/as_text-" + name + ".hlo")
	if err != nil {
		t.Fatal(err)
	}
	o.Dumps = []string{path}
	return o
}

// A step without a price cannot be judged, whoever names the rule; the problem says what to write, and accepting says it before.
func TestStepWithoutPrice(t *testing.T) {
	o := options(t, recommended)
	var left []string
	accept(t, text(t, o, "mean"), AcceptOptions{Reason: "start", Before: func(planned *Accepted) {
		for _, p := range planned.Unjudged {
			left = append(left, p.Message)
		}
	}})
	r := check(t, text(t, o, "sorted"))
	if r.ExitCode != ExitIncomplete || len(r.Problems) != 1 {
		t.Fatalf("exit %d, problems %+v", r.ExitCode, r.Problems)
	}
	p := r.Problems[0]
	if p.Rule != "max-step-time" || !strings.Contains(p.Message, "the dump does not say which device it was compiled for") || !strings.Contains(p.Fix, "device: ") {
		t.Errorf("%+v", p)
	}
	if len(left) != 1 || left[0] != p.Message {
		t.Errorf("accepting leaves %q, wanted %q", left, p.Message)
	}
}

// The device of the configuration prices a dump that names none. The margins of a TPU were not measured, so they are wide: that is a warning.
func TestDeviceOfADumpThatNamesNone(t *testing.T) {
	for device, exit := range map[string]int{"h100-sxm": ExitFindings, "cpu": ExitFindings, "tpu-v5e": ExitPass} {
		o := options(t, "version: 1\nextends: [recommended]\ntargets:\n  - { name: f, dump: x, device: "+device+" }\n")
		accept(t, text(t, o, "mean"), AcceptOptions{Reason: "start"})
		if r := check(t, text(t, o, "mean")); r.ExitCode != ExitPass || r.Targets[0].Device != device {
			t.Errorf("%s, the same: exit %d on %q, problems %+v", device, r.ExitCode, r.Targets[0].Device, r.Problems)
		}
		if r := check(t, text(t, o, "sorted")); r.ExitCode != exit || len(r.Findings) != 1 || r.Findings[0].Rule != "max-step-time" {
			t.Errorf("%s, sorted: exit %d, findings %+v", device, r.ExitCode, r.Findings)
		}
	}
}
