package xlagate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/rules"
)

// every is a configuration with all packs.
func every(dump string) string {
	return fmt.Sprintf("version: 1\nextends: [%s]\ntargets: [{ name: model, dump: %q }]\n", strings.Join(rules.All.PackNames(), ", "), dump)
}

// gated is a folder with a configuration and its baseline.
type gated struct {
	*testing.T
	dir string
}

func (g gated) options(dump string) gate.Options {
	g.Helper()
	cfg, err := config.Load(rules.All, filepath.Join(g.dir, config.FileName), config.FileName)
	if err != nil {
		g.Fatal(err)
	}
	path, err := filepath.Abs(dump)
	if err != nil {
		g.Fatal(err)
	}
	return gate.Options{Request: gate.Request{Config: cfg, Dumps: []string{path}}, Environment: gate.Environment{Dir: g.dir, Now: time.Unix(0, 0)}, Run: gate.Run{Jobs: 1}}
}

func (g gated) check(dump string) *result.Result {
	g.Helper()
	r, err := gate.Check(g.Context(), g.options(dump))
	if err != nil {
		g.Fatal(err)
	}
	return r
}

func gatedBy(t *testing.T, text string) gated {
	t.Helper()
	g := gated{t, t.TempDir()}
	if err := os.WriteFile(filepath.Join(g.dir, config.FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return g
}

// settled holds a result to what accepting promises: nothing is found but what the configuration asks for whatever was accepted, as
// accept said, and everything is checked but what it named.
func settled(t *testing.T, name string, done *gate.Accepted, r *result.Result) {
	t.Helper()
	for _, f := range r.Findings {
		said := func(u gate.Unsettled) bool {
			return u.Rule == f.Rule && (u.Change == "" || f.Bound != nil && u.Place == f.Bound.Place)
		}
		if !slices.ContainsFunc(done.Unsettled, said) {
			t.Errorf("%s: %s: %s %s", name, f.Level, f.Rule, f.Message)
		}
	}
	for _, p := range r.Problems {
		said := func(u result.Problem) bool { return u.Message == p.Message }
		if !strings.HasSuffix(p.Message, "is not covered: no rule checked it") && !slices.ContainsFunc(done.Unjudged, said) {
			t.Errorf("%s: could not check: %s", name, p.Message)
		}
	}
}

// What was accepted passes, whatever it is: with every pack, and with what init proposes. What is not accepted does not.
func TestAcceptedPasses(t *testing.T) {
	for _, dump := range everyDump(t) {
		t.Run(dump, func(t *testing.T) {
			t.Parallel()
			r, err := facts.Measure(t.Context(), openedAt(t, dump), facts.Options{Jobs: 1})
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{"all packs": every(dump), "init": config.Propose(r, "model", dump, "")} {
				g := gatedBy(t, text)
				done, refused := gate.Accept(t.Context(), g.options(dump), gate.AcceptOptions{Reason: "start"})
				r := g.check(dump)
				switch {
				case refused == nil:
					settled(t, name, done, r)
				case !strings.HasPrefix(refused.Error(), "nothing was accepted: ") || r.ExitCode != gate.ExitIncomplete:
					t.Errorf("%s: exit %d, not accepted: %v", name, r.ExitCode, refused)
				}
			}
		})
	}
}

// What changed is accepted as a whole, from the dump or from the result of the check that failed, and passes then; whichever way it changed.
func TestChangeIsSettledByAccepting(t *testing.T) {
	afters, err := filepath.Glob("testdata/*/after.tar.xz")
	cases, casesErr := filepath.Glob("testdata/cases/*/after.tar.xz")
	if err != nil || casesErr != nil || len(afters) < 15 || len(cases) < 25 {
		t.Fatalf("%d and %d pairs, %v, %v", len(afters), len(cases), err, casesErr)
	}
	for _, after := range append(afters, cases...) {
		before := filepath.Join(filepath.Dir(after), "before.tar.xz")
		for i, sides := range [][2]string{{before, after}, {after, before}} {
			t.Run(sides[0]+" to "+sides[1], func(t *testing.T) {
				t.Parallel()
				g := gatedBy(t, every(before))
				if _, err := gate.Accept(t.Context(), g.options(sides[0]), gate.AcceptOptions{Reason: "start"}); err != nil {
					t.Fatal(err)
				}
				a := gate.AcceptOptions{Reason: "intended"}
				if r := g.check(sides[1]); i == 1 {
					a.From = r
				}
				done, err := gate.Accept(t.Context(), g.options(sides[1]), a)
				if err != nil {
					t.Fatal(err)
				}
				settled(t, "then", done, g.check(sides[1]))
				if again, err := gate.Accept(t.Context(), g.options(sides[1]), a); err != nil || len(again.Written) > 0 {
					t.Errorf("accepting once more writes %v, %v", again.Written, err)
				}
			})
		}
	}
}
