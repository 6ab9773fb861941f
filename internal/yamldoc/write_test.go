package yamldoc

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// randomText is a text of parts that matter to YAML, and sometimes quoted.
func randomText(r *rand.Rand) *Node {
	parts := []string{"a", "jit(f)", " ", ":", ": ", " #", "#", "-", "- ", "---", "...", "?", ",", "[", "]", "{", "}", "'", `"`, `\`, "…", "é", "1", ".5", "0x1f", "true", "No", "~", "null",
		"2026-11-25", "<<", "=", "&", "*", "!", "|", ">", "%", "@", "`", "\n", "\t", "\u00a0", "\ufeff", "日", "🙂", "1_000", "12:30", ".inf", "0o7", "e", "/"}
	var b strings.Builder
	for range r.IntN(4) {
		b.WriteString(parts[r.IntN(len(parts))])
	}
	return text(b.String())
}

func randomNode(r *rand.Rand, depth int) *Node {
	n := &Node{Style: FlowStyle * Style(r.IntN(2))}
	switch kind := r.IntN(4); {
	case kind == 0 && depth < 4:
		n.Kind, n.Tag = Sequence, "!!seq"
		for range r.IntN(4) {
			n.Content = append(n.Content, randomNode(r, depth+1))
		}
	case kind == 1 && depth < 4 || depth == 0:
		n.Kind, n.Tag = Mapping, "!!map"
		for range r.IntN(4) {
			n.Content = append(n.Content, randomText(r), randomNode(r, depth+1))
		}
	case kind == 2:
		return Of([]any{1, 2.5, true, nil, 1e21, -1e-9, 0.0}[r.IntN(7)])
	default:
		return randomText(r)
	}
	return n
}

// Every document is written as the library writes it.
func TestFormat(t *testing.T) {
	r, byItself := rand.New(rand.NewPCG(1, 2)), 0
	for range 100_000 {
		root := randomNode(r, 0)
		root.Style = 0
		if len(root.Content) == 0 {
			continue
		}
		want, err := byLibrary(root)
		if err != nil {
			continue // the library refuses it
		}
		got, err := Format(root)
		if err != nil || string(got) != string(want) {
			t.Fatalf("%v\ngot:\n%s\nwant:\n%s", err, got, want)
		}
		w := writer{}
		if w.block(root, 0); !w.refused {
			byItself++
		}
	}
	if byItself < 10_000 {
		t.Errorf("only %d documents without the library", byItself)
	}
}
