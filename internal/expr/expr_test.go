package expr

import (
	"strings"
	"testing"
)

func TestAssertIsCheckedWhenItIsRead(t *testing.T) {
	for text, want := range map[string]string{
		"facts.kernels.total <= base.kernels.total + 2":    "",
		"facts.fusions.total >= 0.8 * facts.kernels.total": "",
		"facts.collectives[\"all-gather\"].count == 0":     "",
		"facts.kernels.total <=":                           "column 23",
		"facts.kernels.total + 1":                          "expected a comparison",
		"facts.kernel.total < 3":                           "no fact is called facts.kernel; did you mean \"kernels\"?; the groups are ",
		"fact.kernels.total < 3":                           "undeclared reference to 'fact'",
		"\"12\" == \"12\" && facts.kernels.total2 < 3":     "",
	} {
		_, err := Compile(text)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, wanted %q", text, err, want)
		}
	}
}
