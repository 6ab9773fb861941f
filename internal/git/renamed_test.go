package git

import (
	"strings"
	"testing"
)

// An edit of a name, a comment, an annotation or a layout is none of what the model computes.
func TestRenames(t *testing.T) {
	const source = `import jax

class Block:
    def __init__(self, width):
        self.gate = width

    def __call__(self, x):
        h = jnp.tril(x) * self.gate
        return h

def loss(p, x,
         y):
    out = Block(3)(x)
    for q, r in p:
        out = out + q * r
    return out.sum()
`
	for what, c := range map[string]struct {
		replace []string // what, by what
		edited  bool
	}{
		"a variable":             {[]string{"out", "result"}, false},
		"a field":                {[]string{"self.gate", "self.w1"}, false},
		"a class":                {[]string{"Block", "Layer"}, false},
		"a parameter":            {[]string{"def loss(p, x", "def loss(weights, x", "in p:", "in weights:"}, false},
		"variables of a loop":    {[]string{"q, r in", "a, b in", "q * r", "a * b"}, false},
		"two names are swapped":  {[]string{"q, r in", "r, q in"}, true},
		"annotations":            {[]string{"def loss(p, x,", "def loss(p: dict[str, Array], x: Array = None,", "y):", "y: int) -> Array:"}, true},
		"annotations alone":      {[]string{"def loss(p, x,", "def loss(p: dict[str, Array], x: Array,", "y):", "y: int) -> Array:"}, false},
		"a text that documents":  {[]string{"    out = Block", "    \"\"\"The loss.\n\n    p: weights\n    \"\"\"\n    out = Block"}, false},
		"a layout":               {[]string{"out = Block(3)(x)", "out = Block(\n        3,\n    )(x)  # of all"}, false},
		"a function of a module": {[]string{"jnp.tril", "jnp.triu"}, true},
		"a variable, not all":    {[]string{"out = Block", "y = Block"}, true},
		"a number":               {[]string{"Block(3)", "Block(4)"}, true},
		"an operation":           {[]string{"q * r", "q + r"}, true},
		"a name that there was":  {[]string{"out", "y"}, true},
		"a name and a call":      {[]string{"out.sum()", "result.mean()", "out", "result"}, true},
	} {
		repository := newCheckout(t, map[string]string{"m.py": source})
		text := source
		for i := 0; i < len(c.replace); i += 2 {
			text = strings.ReplaceAll(text, c.replace[i], c.replace[i+1])
		}
		repository.write("m.py", text)
		edits, edited := repository.since(""), false
		for _, h := range edits.Hunks() {
			_, hit := edits.At("m.py", h.First)
			edited = edited || h.Code && hit
		}
		if edited != c.edited {
			t.Errorf("%s: edited %v, wanted %v: %+v", what, edited, c.edited, edits.Hunks())
		}
	}
}
