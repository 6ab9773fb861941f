package gate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
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

// sure are the recommended rules, with growth that the error of the price may explain as an error.
const sure = recommended + "rules: [{ rule: max-step-time, max_increase: 0.1%, unsure: error }]\n"

// What grew under another toolchain fails as it would under the same one, and one command accepts it.
func TestUpgradeIsJudgedLikeAnyChange(t *testing.T) {
	o := made(t, options(t, sure), "0.10.2")
	unedited := edits(t, "scripts/models.py", 99)
	o.Edits = func() (*git.Edits, string) { return unedited, "" }
	accept(t, o, AcceptOptions{Reason: "start"})
	o = made(t, o, "0.4.30")
	r := check(t, o)
	said := upgrades(r)
	if r.ExitCode != ExitFindings || len(said) != 1 || !strings.Contains(said[0], "jax 0.10.2 → 0.4.30") || !strings.Contains(said[0], "| xlagate accept --reason \"jax 0.10.2 → 0.4.30") {
		t.Fatalf("exit %d, findings %+v, said %q", r.ExitCode, r.Findings, said)
	}
	failing := r.Open()
	if len(failing) == 0 || failing[0].Kind != changes.KindToolchain || !strings.Contains(failing[0].Title, "jax 0.10.2 → 0.4.30") {
		t.Errorf("changes %+v", failing)
	}
	accept(t, o, AcceptOptions{Reason: "jax 0.4.30"})
	if r := check(t, o); r.ExitCode != ExitPass || len(upgrades(r)) > 0 {
		t.Errorf("after it was accepted: exit %d, %q", r.ExitCode, upgrades(r))
	}
}

// The same program under another version passes, with a note.
func TestUpgradeWithoutGrowthPasses(t *testing.T) {
	o := packed(t, options(t, recommended), "decode-jax-0.6.2")
	accept(t, o, AcceptOptions{Reason: "start"})
	set, err := accepted(os.DirFS(filepath.Join(filepath.Dir(o.Config.Path), ".xlagate")), "default", false)
	if err != nil {
		t.Fatal(err)
	}
	l := &measuredTarget{set: set, base: set.Report(), report: set.Report()}
	l.report.Toolchain.Versions = map[string]string{"jax": "0.6.3"}
	l.compare(nil)
	r := &result.Result{}
	if noteUpgrade(r, l); len(r.Notes) != 1 || !strings.Contains(r.Notes[0].Message, "jax 0.6.2 → 0.6.3") {
		t.Errorf("%+v", r.Notes)
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
		o := made(t, options(t, sure), pair[0])
		accept(t, o, AcceptOptions{Reason: "start"})
		r := check(t, made(t, o, pair[1]))
		if said := upgrades(r); r.ExitCode != ExitFindings || len(said) > 0 {
			t.Errorf("%v: exit %d, %q", pair, r.ExitCode, said)
		}
	}
}

// The cache of a decoder comes back wider than it went in, and so it is not updated in place any more, whatever else the compiler does.
func TestGuaranteesAreHeldAcrossAnUpgrade(t *testing.T) {
	o := packed(t, options(t, recommended), "decode-jax-0.4.30")
	accept(t, o, AcceptOptions{Reason: "start"})
	r := check(t, packed(t, o, "decode-jax-0.6.2-widened"))
	at := slices.IndexFunc(r.Findings, func(f result.Finding) bool { return f.Rule == "donation-kept" })
	if r.ExitCode != ExitFindings || at < 0 || changeOf(t, r, &r.Findings[at]).Source.Line != 61 || len(upgrades(r)) != 1 {
		t.Errorf("exit %d, findings %+v, said %q", r.ExitCode, r.Findings, upgrades(r))
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
