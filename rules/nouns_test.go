package rules

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/phrase"
)

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
