package report

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/xlagate/xlagate/internal/phrase"
)

// maxSignature bounds the arguments that are shown beside a program's name.
const maxSignature = 48

// shortSignature keeps the arguments of a signature that fit into n runes, and counts the others.
func shortSignature(signature string, n int) string {
	if utf8.RuneCountInString(signature) <= n {
		return signature
	}
	arguments := splitArguments(strings.TrimSuffix(strings.TrimPrefix(signature, "("), ")"))
	kept, used := 0, 2
	for kept < len(arguments) {
		used += utf8.RuneCountInString(arguments[kept]) + 2
		if used > n-10 {
			break
		}
		kept++
	}
	left := phrase.Number(float64(len(arguments)-kept)) + " more"
	if kept == 0 {
		return "(" + phrase.Some(len(arguments), "argument") + ")"
	}
	return "(" + strings.Join(arguments[:kept], ", ") + ", … " + left + ")"
}

// distinct shortens the signatures of a program's variants to what tells them apart. A single one is only shortened.
func distinct(signatures []string, n int) []string {
	counts := map[string]int{}
	split := make([][]string, len(signatures))
	for i, s := range signatures {
		split[i] = splitArguments(strings.TrimSuffix(strings.TrimPrefix(s, "("), ")"))
		for _, a := range split[i] {
			counts[a]++
		}
	}
	out := make([]string, len(signatures))
	for i, arguments := range split {
		var telling []string
		for _, a := range arguments {
			if counts[a] < len(signatures) {
				telling = append(telling, a)
			}
		}
		same := len(arguments) - len(telling)
		if len(signatures) < 2 || len(telling) == 0 || same < 2 {
			out[i] = shortSignature(signatures[i], n)
			continue
		}
		short := strings.TrimSuffix(shortSignature("("+strings.Join(telling, ", ")+")", n), ")")
		out[i] = short + ", " + phrase.Number(float64(same)) + " the same)"
	}
	return out
}

// splitArguments splits at the commas between arguments, not at those inside shapes and names.
func splitArguments(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 && i+1 < len(s) && s[i+1] == ' ' {
				out = append(out, s[start:i])
				start = i + 2
			}
		}
	}
	return append(out, s[start:])
}

func sortedKeys[K ~string, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
