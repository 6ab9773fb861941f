package gate

import "testing"

// withTargets is a configuration that looks at these targets.
func withTargets(entries ...string) string {
	text := withRules() + "targets:\n"
	for _, e := range entries {
		text += "  - " + e + "\n"
	}
	return text
}

func TestTargetsComeAndGo(t *testing.T) {
	a, b := "{name: a, dump: x}", "{name: b, dump: y}"
	if got := told(t, withTargets(a), withTargets(b, a)); got != "stricter b: a new target" {
		t.Errorf("a target is new: %s", got)
	}
	if got := told(t, withTargets(a, b), withTargets(b, a)); got != "" {
		t.Errorf("another order is told of: %s", got)
	}
	if got := told(t, withTargets(a), withTargets("{name: c, dump: x}")); got != "looser a: the target is no longer checked\nstricter c: a new target" {
		t.Errorf("a target has another name: %s", got)
	}
}

// To check less is looser; no list of programs means all of them.
func TestProgramsOfATarget(t *testing.T) {
	for _, c := range []struct{ old, fresh, want string }{
		{"", "include: [f]", "looser a: programs.include: none → f"},
		{"include: [f]", "", "stricter a: programs.include: f → none"},
		{"include: [f]", "include: [f, g]", "stricter a: programs.include: f → f, g"},
		{"include: [f, g]", "include: [g]", "looser a: programs.include: f, g → g"},
		{"include: [f]", "include: [g]", "looser a: programs.include: f → g"},
		{"", "exclude: [f]", "looser a: programs.exclude: none → f"},
		{"exclude: [f]", "", "stricter a: programs.exclude: f → none"},
		{"exclude: [f, g]", "exclude: [g]", "stricter a: programs.exclude: f, g → g"},
		{"exclude: [f]", "exclude: [g]", "looser a: programs.exclude: f → g"},
	} {
		old, fresh := "{name: a, dump: x, programs: {"+c.old+"}}", "{name: a, dump: x, programs: {"+c.fresh+"}}"
		if got := told(t, withTargets(old), withTargets(fresh)); got != c.want {
			t.Errorf("%q became %q: %s, wanted %s", c.old, c.fresh, got, c.want)
		}
	}
}

// A log that is read no longer tells of no recompilation; another one is both.
func TestLogsOfATarget(t *testing.T) {
	for _, c := range []struct{ old, fresh, want string }{
		{"log: [a.log]", "", "looser a: log: a.log → none"},
		{"", "log: [a.log]", "stricter a: log: none → a.log"},
		{"log: [a.log, b.log]", "log: [b.log]", "looser a: log: a.log, b.log → b.log"},
		{"log: [a.log]", "log: [b.log]", "looser a: log: a.log → b.log"},
	} {
		if got := told(t, withTargets("{name: a, dump: x, "+c.old+"}"), withTargets("{name: a, dump: x, "+c.fresh+"}")); got != c.want {
			t.Errorf("%s became %s: %s, wanted %s", c.old, c.fresh, got, c.want)
		}
	}
}

func TestSamplesOfATarget(t *testing.T) {
	got := told(t, withTargets("{name: a, dump: x, samples: 3}"), withTargets("{name: a, dump: x}"))
	if got != "changed a: samples 3 → 1" {
		t.Errorf("told: %s", got)
	}
}

// Prices are of a device: on a faster one everything is within its limits.
func TestDeviceOfATarget(t *testing.T) {
	got := told(t, withTargets("{name: a, dump: x, device: tpu-v2}"), withTargets("{name: a, dump: x, device: h100-sxm}"))
	if got != "changed a: device tpu-v2 → h100-sxm" {
		t.Errorf("told: %s", got)
	}
	if got := told(t, withTargets("{name: a, dump: x}"), withTargets("{name: a, dump: x, device: tpu-v2}")); got != "changed a: device that of the dump → tpu-v2" {
		t.Errorf("told: %s", got)
	}
}

// A target is told of under its own name where there are several.
func TestTheTargetThatChanged(t *testing.T) {
	a, b, c := "{name: a, dump: x}", "{name: b, dump: y, programs: {include: [f, g]}}", "{name: b, dump: y, programs: {include: [f]}}"
	if got := told(t, withTargets(a, b), withTargets(a, c)); got != "looser b: programs.include: f, g → f" {
		t.Errorf("told: %s", got)
	}
}
