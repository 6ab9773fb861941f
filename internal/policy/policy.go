// Package policy tells how a pull request changes what it is judged by: rules, waivers, targets and accepted facts. A change that
// makes the gate pass by asking for less is as much a change of the model as one of its source, and reviewers have to see it.
package policy

import (
	"io/fs"
	"sort"

	"github.com/xlagate/xlagate/internal/config"
)

// Policy is what a model is judged by at one revision.
type Policy struct {
	Name   string // of the revision, as people know it: "main@91ab03d"
	Config *config.Config
	Store  fs.FS // the baseline; nil when there is none
}

// Effect says which way a change goes.
type Effect string

// The effects of a change.
const (
	Looser   Effect = "looser"
	Stricter Effect = "stricter"
	Other    Effect = "changed"
)

// Change is one thing that differs between two policies.
type Change struct {
	File    string
	Effect  Effect
	Subject string // the rule, waiver, target or program
	Scope   string // the programs that a rule speaks of
	Text    string
}

// Compare tells what a pull request changes, looser things first. Both configurations must be there.
func Compare(base, head Policy) ([]Change, error) {
	var out []Change
	out = append(out, settings(base.Config, head.Config)...)
	out = append(out, targets(base.Config, head.Config)...)
	out = append(out, ruleChanges(base.Config.Rules, head.Config.Rules)...)
	out = append(out, waivers(base.Config.Waivers, head.Config.Waivers)...)
	for i := range out {
		out[i].File = config.FileName
	}
	accepted, err := baselines(base, head)
	if err != nil {
		return nil, err
	}
	out = append(out, accepted...)
	sort.SliceStable(out, func(i, j int) bool { return out[i].Effect == Looser && out[j].Effect != Looser })
	return out, nil
}

// strictness orders the values of fail_on.
var strictness = map[string]int{"never": 0, "error": 1, "warning": 2}

func settings(base, head *config.Config) []Change {
	var out []Change
	if base.FailOn != head.FailOn {
		out = append(out, Change{Effect: direction(strictness[base.FailOn], strictness[head.FailOn]), Subject: "fail_on", Text: base.FailOn + " → " + head.FailOn})
	}
	if base.Baseline != head.Baseline {
		out = append(out, Change{Effect: Other, Subject: "baseline", Text: base.Baseline + " → " + head.Baseline})
	}
	return out
}

// direction is the effect of a number whose growth is stricter.
func direction(base, head int) Effect {
	if head < base {
		return Looser
	}
	return Stricter
}
