package gate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/rules"
)

// demanding asks for as little as there can be of everything, beside the baseline.
const demanding = `version: 1
extends: [recommended]
rules:
  - { rule: max-kernels, max: 0 }
  - { rule: max-temp-bytes, max: 0KiB }
  - { rule: no-recompilation, max_variants: 1 }
  - { rule: max-instructions, min: 100000 }
  - { rule: required-fusions, fusions: [{ name: none, contains: [fft, rng-bit-generator] }] }
  - { rule: no-host-callback, level: warning }
`

// lookedAt runs the gate over a dump in a folder with a configuration.
func lookedAt(t *testing.T, dir, dump string) (Options, *result.Result) {
	t.Helper()
	cfg, err := config.Load(rules.All, filepath.Join(dir, config.FileName), config.FileName)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Request: Request{Config: cfg, Dumps: []string{dump}}, Environment: Environment{Dir: dir}}
	r, err := Check(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return o, r
}

// accepted accepts in a folder what the dump holds: all, or findings by their ids.
func accepted(t *testing.T, o Options, ids ...string) *Accepted {
	t.Helper()
	o.Config, _ = config.Load(rules.All, o.Config.Path, config.FileName)
	done, err := Accept(t.Context(), o, AcceptOptions{Only: ids, Reason: "intended"})
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// What the finding says is to be typed is all there is to do: of everything that is accepted by its id just that is found again for
// which the finding named another place, and it is found at that place.
func TestAcceptingSettlesWhatItSays(t *testing.T) {
	pairs, err := filepath.Glob("../../testdata/*-*/after.tar.xz")
	if err != nil || len(pairs) < 10 {
		t.Fatalf("%d pairs, %v", len(pairs), err)
	}
	for _, after := range pairs {
		after, _ := filepath.Abs(after)
		t.Run(filepath.Base(filepath.Dir(after)), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, config.FileName), []byte(demanding), 0o600); err != nil {
				t.Fatal(err)
			}
			o, _ := lookedAt(t, dir, filepath.Join(filepath.Dir(after), "before.tar.xz"))
			accepted(t, o)
			o, first := lookedAt(t, dir, after)
			var ids []string
			bounds := map[string]bool{}
			for _, f := range first.Findings {
				if f.Bound != nil {
					bounds[f.Bound.Place] = true
				}
			}
			for _, c := range first.Changes {
				if len(c.Findings) > 0 {
					ids = append(ids, c.ID)
				}
			}
			done := accepted(t, o, ids...)
			_, again := lookedAt(t, dir, after)
			for _, f := range again.Findings {
				if f.Bound == nil || !bounds[f.Bound.Place] {
					t.Fatalf("%s was accepted and is found again: %s (%+v)", f.Rule, f.Message, f.Bound)
				}
				if !slices.ContainsFunc(done.Unsettled, func(u Unsettled) bool { return u.Place == f.Bound.Place && !u.Written }) {
					t.Errorf("%s remains at %s, and accept did not say so: %+v", f.Rule, f.Bound.Place, done.Unsettled)
				}
			}
			overridden(t, dir, after, again)
			if len(again.Findings) == 0 {
				t.Error("a fusion that cannot be is not missed")
			}
		})
	}
}

// overridden pastes the entries that a result suggests into the configuration. Nothing is found then that a pack forbids.
func overridden(t *testing.T, dir, dump string, r *result.Result) {
	t.Helper()
	text := demanding
	for _, c := range r.Changes {
		for _, entry := range c.Overrides {
			text += "  " + entry + "\n"
		}
	}
	if text == demanding {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, config.FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, again := lookedAt(t, dir, dump)
	for _, c := range again.Changes {
		if len(c.Overrides) > 0 {
			t.Errorf("%s is forbidden although the configuration has %q", c.Title, c.Overrides)
		}
	}
}

// A helper that the configuration includes is one program of those that are accepted.
func TestAcceptingIncludedHelpers(t *testing.T) {
	dir := t.TempDir()
	text := "version: 1\nextends: [recommended]\ntargets:\n  - { name: eager, programs: { include: [\"*\"] } }\n"
	if err := os.WriteFile(filepath.Join(dir, config.FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	dump, err := filepath.Abs("../../testdata/recompile-eager_helpers/dump.tar.xz")
	if err != nil {
		t.Fatal(err)
	}
	o, first := lookedAt(t, dir, dump)
	if helpers := len(first.Targets[0].Programs) - 1; helpers < 2 {
		t.Fatalf("%d helpers", helpers)
	}
	done := accepted(t, o)
	if len(done.Written) != 2*len(first.Targets[0].Programs)+1 || len(done.Unsettled) > 0 {
		t.Errorf("%d programs, %d files, remains %+v", len(first.Targets[0].Programs), len(done.Written), done.Unsettled)
	}
}

// An equal is set to the number that all compilations came to. Where these came to several, none lets all of them pass, and it is left.
func TestAcceptingSetsAnEqualThatFitsAll(t *testing.T) {
	dir := t.TempDir()
	text := "version: 1\nrules:\n  - { rule: max-kernels, equal: 28 }\n  - { rule: max-temp-bytes, equal: 1 }\n"
	file := filepath.Join(dir, config.FileName)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	dump, err := filepath.Abs("../../examples/quickstart/regressed")
	if err != nil {
		t.Fatal(err)
	}
	o, _ := lookedAt(t, dir, dump)
	accepted(t, o)
	o, first := lookedAt(t, dir, dump)
	var ids, asked []string
	for _, f := range first.Findings {
		ids, asked = append(ids, f.ID), append(asked, strings.Join(append([]string{f.Rule}, changeOf(t, first, &f).Configured...), " "))
	}
	if said := strings.Join(asked, ", "); said != "max-kernels, max-kernels, max-temp-bytes xlagate.yaml:4:5, max-temp-bytes xlagate.yaml:4:5" {
		t.Errorf("asked at %s", said)
	}
	done := accepted(t, o, ids...)
	written, err := os.ReadFile(file)
	if want := strings.Replace(text, "28", "30", 1); err != nil || string(written) != want {
		t.Errorf("%v: wrote\n%swant\n%s", err, written, want)
	}
	if len(done.Unsettled) != 1 || done.Unsettled[0].Place != "xlagate.yaml:4:5" || done.Unsettled[0].Written {
		t.Errorf("remains %+v", done.Unsettled)
	}
}

// What an edit breaks in every compilation is accepted with the edit, not with one more compilation.
func TestAcceptingARecompilationBesideAnEdit(t *testing.T) {
	dir := t.TempDir()
	text := "version: 1\nrules:\n  - { rule: max-kernels, max: 4, max_increase: 0 }\n  - { rule: no-recompilation, max_variants: 1 }\n  - { rule: max-step-time, max: 20us }\n"
	file := filepath.Join(dir, config.FileName)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	pair, err := filepath.Abs("../../testdata/cases/cpu-last_batch")
	if err != nil {
		t.Fatal(err)
	}
	o, _ := lookedAt(t, dir, filepath.Join(pair, "before.tar.xz"))
	accepted(t, o)
	o, first := lookedAt(t, dir, filepath.Join(pair, "after.tar.xz"))
	byKind := map[string]string{}
	for _, c := range first.Open() {
		byKind[c.Kind] = c.ID
	}
	for _, step := range []struct{ accept, remains, writes string }{
		{byKind["arguments"], "", strings.Replace(text, "max_variants: 1", "max_variants: 2", 1)},
		{byKind["code"], "", strings.NewReplacer("max_variants: 1", "max_variants: 2", "max: 4", "max: 6", "20us", "168.53us").Replace(text)},
	} {
		done := accepted(t, o, step.accept)
		var remains []string
		for _, u := range done.Unsettled {
			if remains = append(remains, u.Place+" "+u.Rule); u.Written {
				t.Errorf("%s: its id settles it", u.Rule)
			}
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != step.writes || strings.Join(remains, ", ") != step.remains {
			t.Errorf("%v: remains %q, wrote\n%s", err, remains, got)
		}
	}
	if _, last := lookedAt(t, dir, filepath.Join(pair, "after.tar.xz")); last.ExitCode != ExitPass {
		t.Errorf("exit %d: %+v", last.ExitCode, last.Findings)
	}
}
