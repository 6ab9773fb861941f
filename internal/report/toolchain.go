package report

import (
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// tools is a toolchain in a few words: "jax 0.10.2, H100". It is empty when nothing is known.
func tools(t result.Toolchain) string {
	var parts []string
	if t.Framework != "" {
		parts = append(parts, strings.TrimSpace(t.Framework+" "+t.Versions[t.Framework]))
	}
	for _, n := range sortedKeys(t.Versions) {
		if n != t.Framework && t.Versions[n] != t.Versions[t.Framework] {
			parts = append(parts, n+" "+t.Versions[n])
		}
	}
	switch {
	case t.Device != "":
		parts = append(parts, t.Device)
	case t.Backend != "":
		parts = append(parts, t.Backend)
	}
	return strings.Join(parts, ", ")
}

func toolsOf(t facts.Toolchain) string {
	return tools(result.Toolchain{Framework: t.Framework, Versions: t.Versions, Backend: t.Backend, Device: t.Device, Flags: t.Flags})
}
