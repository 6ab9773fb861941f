package phrase

import "testing"

func TestDidYouMean(t *testing.T) {
	known := []string{"max-kernels", "max-copies", "required-fusions", "level"}
	for word, want := range map[string]string{
		"max-kernel":      `; did you mean "max-kernels"?`,
		"MAX-KERNELS":     `; did you mean "max-kernels"?`,
		"required-fusion": `; did you mean "required-fusions"?`,
		"levle":           `; did you mean "level"?`,
		"zzz":             "",
		"":                "",
	} {
		if got := DidYouMean(word, known); got != want {
			t.Errorf("%q: %q, wanted %q", word, got, want)
		}
	}
}
