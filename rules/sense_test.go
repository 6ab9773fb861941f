package rules

import (
	"testing"

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
	for _, r := range All() {
		walk(r.ID, r.Keys())
	}
}
