package rules

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

// Every option says which of two values asks for more, or that neither does.
func TestEveryOptionHasASense(t *testing.T) {
	var walk func(where string, list []rule.Option)
	walk = func(where string, list []rule.Option) {
		for _, o := range list {
			if o.Sense == rule.Unsaid {
				t.Errorf("%s %s does not say which of two values asks for more", where, o.Key)
			}
			walk(where+" "+o.Key, o.Fields)
		}
	}
	for _, r := range All.Rules {
		walk(r.ID, r.Keys())
	}
}

// One thing that a rule counts is one: "1 argument updated in place".
func TestNounsOfOneThing(t *testing.T) {
	for _, r := range All.Rules {
		if r.Budget == nil || r.Budget.Unit != "" {
			continue
		}
		noun := r.Budget.Noun
		if one := phrase.Counted(1, "", noun); one == "1 "+noun {
			t.Errorf("%s says %q", r.ID, one)
		}
		for _, verb := range []string{" are ", " have ", " run ", " fall "} {
			if strings.Contains(noun, verb) {
				t.Errorf("%s counts %q: of one of them that is wrong", r.ID, noun)
			}
		}
	}
}
