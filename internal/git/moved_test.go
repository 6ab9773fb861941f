package git

import (
	"fmt"
	"strings"
	"testing"
)

const twoFunctions = `@jit
def norm(x):
    # a note
    y = (x - x.mean())
    return y / x.std()


def block(p, x):
    h = norm(x @ p.w)

    return h + x
`

// A function that moves to another place or file is not edited, unless a line of it is.
func TestMovedFunctions(t *testing.T) {
	const rest = "import jax\n\n\ndef loss(x):\n    return block(0, x).sum()\n"
	for what, c := range map[string]struct {
		before, after map[string]string
		edited        string
	}{
		"to a new file": {
			map[string]string{"m.py": twoFunctions + "\n\n" + rest},
			map[string]string{"m.py": "from n import block\n\n\n" + rest, "n.py": "import jax\n\n\n" + twoFunctions}, "",
		},
		"to a file that is there": {
			map[string]string{"m.py": twoFunctions + "\n\n" + rest, "n.py": "k = 1\n"},
			map[string]string{"m.py": rest, "n.py": "k = 1\n\n\n" + twoFunctions}, "",
		},
		"into a class": {
			map[string]string{"m.py": twoFunctions + "\n\n" + rest},
			map[string]string{"m.py": rest + "\n\nclass Model:\n    k = 1\n\n    " + strings.ReplaceAll(strings.TrimSpace(twoFunctions), "\n", "\n    ") + "\n"}, "m.py:8 m.py:9",
		},
		"with another line": {
			map[string]string{"m.py": twoFunctions + "\n\n" + rest},
			map[string]string{"m.py": rest, "n.py": strings.Replace(twoFunctions, "h + x", "h - x", 1)}, "n.py:8 n.py:9 n.py:11",
		},
		"twice": {
			map[string]string{"m.py": twoFunctions},
			map[string]string{"m.py": twoFunctions, "n.py": twoFunctions}, "n.py:1 n.py:2 n.py:3 n.py:4 n.py:5 n.py:8 n.py:9 n.py:11",
		},
	} {
		repository := newCheckout(t, c.before)
		for name, text := range c.after {
			repository.write(name, text)
		}
		e, got := repository.since(""), ""
		for _, name := range []string{"m.py", "n.py"} {
			for i, line := range strings.Split(c.after[name], "\n") {
				if h, hit := e.At(name, i+1); hit && h.Code && h.holds(i+1) && line != "" {
					got += fmt.Sprintf(" %s:%d", name, i+1)
				}
			}
		}
		expect(t, what, strings.TrimSpace(got), c.edited)
	}
}
