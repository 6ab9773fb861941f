package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/match"
)

// meant suggests the word that was meant: types are called otherwise in HLO than in NumPy.
func meant(word string, known []string) string {
	if name := typeInHLO(word); name != "" && slices.Contains(known, name) {
		return fmt.Sprintf("; HLO calls it %s", name)
	}
	return match.DidYouMean(word, known)
}

// typeInHLO is what HLO calls a type of NumPy: f32 for float32.
func typeInHLO(word string) string {
	word = strings.ToLower(word)
	for _, t := range []struct{ numpy, hlo string }{{"bfloat", "bf"}, {"float", "f"}, {"complex", "c"}, {"uint", "u"}, {"int", "s"}} {
		if bits, ok := strings.CutPrefix(word, t.numpy); ok {
			return t.hlo + strings.TrimLeft(bits, "_")
		}
	}
	if word == "bool" {
		return "pred"
	}
	return ""
}

// slips say what usually stands behind a complaint of the YAML reader.
var slips = []struct{ said, hint string }{
	{"did not find expected ',' or '}'", "a text that holds brackets, braces or a comma has to stand in quotes, and every { needs its }"},
	{"did not find expected ',' or ']'", "a text that holds brackets, braces or a comma has to stand in quotes, and every [ needs its ]"},
	{"cannot start any token", "YAML is indented with spaces, not with tabs; a text that starts with @, %, ` or a tab has to stand in quotes"},
	{"mapping values are not allowed", "is the line indented too far, or does a text that holds a colon stand without quotes?"},
	{"did not find expected key", "is the line indented like those beside it?"},
	{"did not find expected <document start>", "all before it is one mapping in braces; is its } set too early?"},
	{"could not find expected ':'", "is a colon missing, or a quote?"},
	{"found unexpected end of stream", "a quote is not closed"},
}

// withHint adds to a complaint of the YAML reader what usually stands behind it.
func withHint(message string) string {
	for _, s := range slips {
		if strings.Contains(message, s.said) {
			return message + "; " + s.hint
		}
	}
	return message
}
