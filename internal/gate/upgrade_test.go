package gate

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// made is the options for a dump of the train step that one version of JAX made.
func made(t *testing.T, o Options, name string) Options {
	t.Helper()
	return packed(t, o, "mlp-jax-"+name)
}

// packed is the options for a dump in testdata.
func packed(t *testing.T, o Options, name string) Options {
	t.Helper()
	path, err := filepath.Abs("testdata/" + name + ".tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	o.Dumps = []string{path}
	return o
}

func upgrades(r *result.Result) []string {
	var said []string
	for _, n := range r.Notes {
		if n.Kind == "upgrade" {
			said = append(said, n.Message+" | "+n.Fix)
		}
	}
	return said
}

func TestUpgradeIsReportedNotFailed(t *testing.T) {
	o := made(t, options(t, recommended), "0.10.2")
	accept(t, o, AcceptOptions{Reason: "start"})
	r := check(t, made(t, o, "0.4.30"))
	said := upgrades(r)
	if r.ExitCode != ExitPass || len(r.Findings) > 0 || len(said) < 2 {
		t.Fatalf("exit %d, findings %+v, said %q", r.ExitCode, r.Findings, said)
	}
	for _, words := range []string{"jax 0.10.2 → 0.4.30", "xlagate accept --baseline .xlagate.next", "--against"} {
		if !strings.Contains(said[0], words) {
			t.Errorf("%q does not say %q", said[0], words)
		}
	}
}

func TestUpgradeLeavesLimitsAlone(t *testing.T) {
	o := made(t, options(t, "version: 1\nrules:\n  - {rule: max-kernels, max: 5}\n"), "0.4.30")
	accept(t, o, AcceptOptions{Reason: "start"})
	if r := check(t, made(t, o, "0.10.2")); r.ExitCode != ExitFindings {
		t.Errorf("a limit that needs no baseline: exit %d", r.ExitCode)
	}
}

func TestUnknownToolchainIsNoUpgrade(t *testing.T) {
	for _, pair := range [][2]string{{"0.10.2", "0.4.30-untold"}, {"0.10.2-untold", "0.4.30"}, {"0.10.2-untold", "0.4.30-untold"}} {
		o := made(t, options(t, recommended), pair[0])
		accept(t, o, AcceptOptions{Reason: "start"})
		r := check(t, made(t, o, pair[1]))
		if said := upgrades(r); r.ExitCode != ExitFindings || len(said) > 0 {
			t.Errorf("%v: exit %d, %q", pair, r.ExitCode, said)
		}
	}
}

// The cache of a decoder comes back wider than it went in, and so it is not updated in place any more: no compiler's doing, whatever else a
// new one does.
func TestWhatTheModelAsksForIsHeldAcrossAnUpgrade(t *testing.T) {
	o := packed(t, options(t, recommended), "decode-jax-0.4.30")
	accept(t, o, AcceptOptions{Reason: "start"})
	if r := check(t, packed(t, o, "decode-jax-0.6.2")); r.ExitCode != ExitPass || len(upgrades(r)) < 2 {
		t.Errorf("the same source: exit %d, findings %+v, said %q", r.ExitCode, r.Findings, upgrades(r))
	}
	r := check(t, packed(t, o, "decode-jax-0.6.2-widened"))
	if r.ExitCode != ExitFindings || len(r.Findings) != 1 || r.Findings[0].Rule != "donation-kept" || changeOf(t, r, &r.Findings[0]).Source.Line != 61 || len(upgrades(r)) < 2 {
		t.Errorf("widened: exit %d, findings %+v, said %q", r.ExitCode, r.Findings, upgrades(r))
	}
}

// How large results are depends on the device, where they are padded to its tiles, and on the compiler, which lays them out.
func TestExplained(t *testing.T) {
	tpu := func(device, jax string) facts.Toolchain {
		return facts.Toolchain{Framework: "jax", Backend: "tpu", Device: device, Versions: map[string]string{"jax": jax}}
	}
	for _, c := range []struct {
		rule       string
		old, fresh facts.Toolchain
		want       bool
	}{
		{"donation-kept", tpu("v5e", "0.9.2"), tpu("v5e", "0.10.2"), false},
		{"donation-kept", tpu("v5e", "0.10.2"), tpu("v6e", "0.10.2"), true},
		{"donation-kept", tpu("v5e", "0.9.2"), facts.Toolchain{Framework: "jax", Backend: "gpu"}, true},
		{"max-output-bytes", tpu("v5e", "0.9.2"), tpu("v5e", "0.10.2"), true},
		{"max-output-bytes", tpu("v5e", "0.9.2"), tpu("v5e", "0.9.2"), false},
	} {
		l := &measuredTarget{base: &facts.Report{Toolchain: c.old}, report: &facts.Report{Toolchain: c.fresh}}
		if got := l.explained(&result.Finding{Rule: c.rule, Program: "f"}); got != c.want {
			t.Errorf("%s, %+v and %+v: explained: %t", c.rule, c.old, c.fresh, got)
		}
	}
}

// XLA did not dump its flags before JAX 0.6: none that JAX always sets has been set since.
func TestFlagsThatWereNotDumped(t *testing.T) {
	o := packed(t, options(t, "version: 1\nextends: [strict]\n"), "decode-jax-0.4.30")
	accept(t, o, AcceptOptions{Reason: "start"})
	r := check(t, packed(t, o, "decode-jax-0.6.2"))
	if slices.ContainsFunc(r.Findings, func(f result.Finding) bool { return f.Rule == "flags" }) ||
		!slices.ContainsFunc(r.Targets[0].NotCovered, func(s string) bool { return strings.HasPrefix(s, "flags (") }) {
		t.Errorf("findings %+v, not covered %q", r.Findings, r.Targets[0].NotCovered)
	}
	if said := strings.Join(upgrades(r), "\n"); strings.Contains(said, "was unset") {
		t.Errorf("a flag that was not dumped is called unset: %s", said)
	}
}

// What no one told is neither as required nor as before.
func TestFlagsThatNobodyTells(t *testing.T) {
	for rule, pair := range map[string][2]string{
		"{rule: flags, forbid: [xla_disable_hlo_passes]}": {"decode-jax-0.4.30", "decode-jax-0.4.30"},
		"{rule: flags}":                       {"decode-jax-0.6.2", "decode-jax-0.4.30"},
		"{rule: flags, allow: [xla_dump_to]}": {"decode-jax-0.4.30", "decode-jax-0.6.2"},
	} {
		o := packed(t, options(t, "version: 1\nrules:\n  - "+rule+"\n"), pair[0])
		accept(t, o, AcceptOptions{Reason: "start"})
		if r := check(t, packed(t, o, pair[1])); r.ExitCode != ExitIncomplete || len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Message, "flags could not") {
			t.Errorf("%s: exit %d, %+v", rule, r.ExitCode, r.Problems)
		}
	}
}

// A dump of the base branch that the new toolchain made tells the pull request's part from the compiler's.
func TestAgainstTheNewToolchain(t *testing.T) {
	o := made(t, options(t, recommended), "0.4.30")
	accept(t, o, AcceptOptions{Reason: "start"})
	o = made(t, o, "0.10.2")
	o.Against = o.Dumps[0]
	if r := check(t, o); r.ExitCode != ExitPass || len(upgrades(r)) > 0 {
		t.Errorf("against the same toolchain: exit %d, %q", r.ExitCode, upgrades(r))
	}
}

func TestMismatch(t *testing.T) {
	jax := func(version, backend, device string) facts.Toolchain {
		return facts.Toolchain{Framework: "jax", Versions: map[string]string{"jax": version}, Backend: backend, Device: device}
	}
	for _, c := range []struct {
		old, fresh facts.Toolchain
		want       string
	}{
		{jax("0.10.2", "cpu", ""), jax("0.10.2", "cpu", ""), ""},
		{jax("0.9.0", "cpu", ""), jax("0.10.2", "cpu", ""), "jax 0.9.0 → 0.10.2"},
		{jax("0.10.2", "gpu", "sm_9.0"), jax("0.10.2", "gpu", "sm_10.0"), "device sm_9.0 → sm_10.0"},
		{jax("0.10.2", "gpu", ""), jax("0.10.2", "gpu", "sm_10.0"), ""},
		{facts.Toolchain{}, jax("0.10.2", "gpu", "sm_10.0"), ""},
		{jax("0.10.2", "gpu", ""), facts.Toolchain{Versions: map[string]string{"tensorflow": "2.21"}}, ""},
	} {
		if got := mismatch(c.old, c.fresh); got != c.want {
			t.Errorf("%+v against %+v: %q, wanted %q", c.old, c.fresh, got, c.want)
		}
	}
}
