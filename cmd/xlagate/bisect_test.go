package main

import (
	"strings"
	"testing"
)

func TestPinned(t *testing.T) {
	for _, tt := range []struct{ from, to, version, options string }{
		{"jax==0.9.2", "jax==0.10.2", "jax==7", ""},
		{"", "--pre --upgrade jax[tpu]", "--pre --upgrade jax[tpu]==7", "--pre"},
		{"Jax==0.9.2 flax==0.12", "--index-url https://example.invalid/simple/ flax==0.12 jax<0.11", "--index-url https://example.invalid/simple/ flax==0.12 jax==7", "--index-url https://example.invalid/simple/"},
		{"jax==0.9.2 jaxlib==0.9.2", "jax==0.10.2 jaxlib==0.10.2", "jax==7 jaxlib==7", ""},
		{"flax==0.12", "jax==0.10.2", "", ""},
		{"jax==0.9.2 flax==0.11", "jax==0.10.2 flax==0.12", "", ""},
		{"jax==0.9.2", "jax==0.9.2", "", ""},
		{"", "-rrequirements.txt", "", ""},
	} {
		p, err := pinnedIn(strings.Fields(tt.from), strings.Fields(tt.to))
		if (err != nil) != (tt.version == "") {
			t.Errorf("--from %s --to %s: %v", tt.from, tt.to, err)
		}
		if err != nil {
			continue
		}
		if got := strings.Join(p.version("7"), " "); got != tt.version {
			t.Errorf("--to %s with version 7 is %q, want %q", tt.to, got, tt.version)
		}
		if got := strings.Join(p.options(), " "); got != tt.options {
			t.Errorf("--to %s has the options %q, want %q", tt.to, got, tt.options)
		}
	}
}
