package main

import (
	"context"
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/result"
)

// A stranger's result may name a rule file for a target that the base branch does not have: the base branch judges every target of it. Of a run that is
// trusted, each rule file judges its own.
func TestForgedRuleFile(t *testing.T) {
	r := &result.Result{Targets: []result.Target{{Name: "fine", RuleFile: "xlagate.yaml"}, {Name: "worse", RuleFile: "elsewhere/xlagate.yaml"}}}
	unread := errors.New("not read")
	for report, want := range map[bool][]string{true: {"fine", "worse"}, false: {"fine"}} {
		var asked []string
		read := func(_ context.Context, _ string, targets []string) (gate.Policy, gate.Policy, error) {
			asked = targets
			return gate.Policy{}, gate.Policy{}, unread
		}
		p := &post{report: report}
		if _, err := p.judgeBy(t.Context(), "xlagate.yaml", r, read); !errors.Is(err, unread) || !slices.Equal(asked, want) {
			t.Errorf("report %v: the targets %q are judged, want %q; %v", report, asked, want, err)
		}
	}
}

// A rule file that the job names is read, whatever a result says.
func TestForgedNameOfRuleFile(t *testing.T) {
	r := &result.Result{Targets: []result.Target{{RuleFile: "elsewhere/xlagate.yaml"}}}
	for _, c := range []struct {
		report bool
		args   []string
		want   string
	}{{false, nil, "elsewhere/xlagate.yaml"}, {false, []string{"--config", "ours.yaml"}, "ours.yaml"}, {true, []string{"--config", "ours.yaml"}, "ours.yaml"}} {
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		flags.Var(cli.NewStringSlice(), "config", "")
		if err := flags.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		p := &post{report: c.report}
		if got := p.ruleFilesOf(cli.NewContext(cli.NewApp(), flags, nil), r); !slices.Equal(got, []string{c.want}) {
			t.Errorf("report %v, %q: %q, want %s", c.report, c.args, got, c.want)
		}
	}
}

// A rule file outside of the checkout is not looked for in it.
func TestForgedPathOfRuleFile(t *testing.T) {
	p := &post{}
	p.env.Workspace = t.TempDir()
	for _, file := range []string{"../xlagate.yaml", "/etc/xlagate.yaml", ""} {
		if _, _, err := p.localPolicies(gate.Options{})(t.Context(), file, nil); err == nil || !strings.Contains(err.Error(), "is not in the checkout") {
			t.Errorf("%q: %v", file, err)
		}
	}
}
