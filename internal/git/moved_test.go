package git

import (
	"fmt"
	"strings"
	"testing"
)

// A function that moves within a file or to another is not edited, but for what is not as it was.
func TestMovedFunctions(t *testing.T) {
	const (
		f    = "def f(x):\n    # twice\n    return x * 2\n\n\n"
		g    = "@jax.jit\ndef g(x):\n    y = x + 1\n    return y\n\n\n"
		long = "class A:\n    k = 1\n\n    def call(self, x):\n        return x\n\n\n"
		rest = "def rest(x):\n    return f(g(x))\n"
	)
	for what, c := range map[string]struct {
		was, now map[string]string
		hunks    string
	}{
		"down":                       {map[string]string{"m.py": f + g + rest}, map[string]string{"m.py": g + rest + "\n\n" + f}, ""},
		"with another line":          {map[string]string{"m.py": f + g + rest}, map[string]string{"m.py": g + rest + "\n\n" + strings.Replace(f, "x * 2", "x * 3", 1)}, "m.py -15,1 +13,1"},
		"beside one that is edited":  {map[string]string{"m.py": f + g + rest}, map[string]string{"m.py": rest + "\n\n" + f + strings.Replace(g, "x + 1", "x + 2", 1)}, "m.py -12,1 +12,1"},
		"without its decorator":      {map[string]string{"m.py": f + g + rest}, map[string]string{"m.py": rest + "\n\n" + f + g[9:]}, "m.py -10,1 +9,0"},
		"a method":                   {map[string]string{"m.py": "class A:\n    def f(x):\n        return x\n\n    def g(x):\n        return g\n"}, map[string]string{"m.py": "class A:\n    def g(x):\n        return g\n\n    def f(x):\n        return x\n"}, ""},
		"longer":                     {map[string]string{"m.py": f + g + rest}, map[string]string{"m.py": rest + "\n\n" + f + strings.Replace(g, "    return", "    y = y - 3\n    return", 1)}, "m.py -12,0 +13,1"},
		"shorter":                    {map[string]string{"m.py": f + g + rest}, map[string]string{"m.py": rest + "\n\n" + f + strings.Replace(g, "    y = x + 1\n", "", 1)}, "m.py -12,1 +11,0"},
		"a class with its methods":   {map[string]string{"m.py": long + f + g + rest}, map[string]string{"m.py": f + g + rest + "\n\n" + strings.Replace(long, "return x", "return -x", 1)}, "m.py -1,5 +0,0, m.py -18,0 +14,5, m.py -20,1 +20,1"},
		"to another file":            {map[string]string{"m.py": f + g + rest, "n.py": long}, map[string]string{"m.py": "from n import f\n\n\n" + g + rest, "n.py": long + f}, "m.py -1,3 +1,1, n.py -7,0 +8,5"},
		"out of a loop":              {map[string]string{"m.py": f + "def h(x):\n    for i in x:\n        y = i\n        y = -y\n    return y\n\n\n" + rest}, map[string]string{"m.py": "def h(x):\n    for i in x:\n        y = i\n    y = -y\n    return y\n\n\n" + rest + "\n\n" + f}, "m.py -6,1 +4,1"},
		"under a condition":          {map[string]string{"m.py": "if a:\n    def f(x):\n        return x\nelse:\n    b = 1\n    c = 1\n    d = 1\n"}, map[string]string{"m.py": "if a:\n    b = 1\n    c = 1\n    d = 1\nelse:\n    def f(x):\n        return x\n"}, "m.py -2,3 +1,0, m.py -7,0 +5,3"},
		"beside a name":              {map[string]string{"m.py": f + "K = 6\n\n\n" + g}, map[string]string{"m.py": "# a note\nK = 7\n\n\n" + g + f}, "m.py -1,3 +1,2"},
		"behind what wraps it":       {map[string]string{"m.py": f + "f = jax.vmap(f)\n" + g}, map[string]string{"m.py": "f = jax.vmap(f)\n" + g + f}, "m.py -1,5 +0,0, m.py -12,0 +8,5"},
		"behind its default":         {map[string]string{"m.py": "K = 1\n\n\ndef h(x, k=K):\n    return x\n\n\n" + g + "K = 2\n"}, map[string]string{"m.py": "K = 1\n\n\n" + g + "K = 2\n\n\ndef h(x, k=K):\n    return x\n"}, "m.py -4,4 +3,0, m.py -14,0 +11,4"},
		"behind an import of it":     {map[string]string{"m.py": f + "from n import f\n\n\n" + g}, map[string]string{"m.py": "from n import f\n\n\n" + g + f}, "m.py -1,5 +0,0, m.py -14,0 +10,5"},
		"behind what it takes":       {map[string]string{"m.py": "K = 1\n\n\ndef h(x, k=K):\n    return x\n\n\n" + g + "K += 2\n"}, map[string]string{"m.py": "K = 1\n\n\n" + g + "K += 2\n\n\ndef h(x, k=K):\n    return x\n"}, "m.py -4,4 +3,0, m.py -14,0 +11,4"},
		"behind its decorator":       {map[string]string{"m.py": "@deco\n" + f + "def deco(f):\n    q = 1\n    r = 2\n    return f\n\n\n" + rest}, map[string]string{"m.py": "def deco(f):\n    q = 1\n    r = 2\n    return f\n\n\n" + rest + "\n\n@deco\n" + f}, "m.py -1,6 +0,0, m.py -14,0 +9,8"},
		"behind a name of its class": {map[string]string{"m.py": "class A:\n    def f(self, k=K):\n        a = 1\n        return a\n\n    K = 2\n\n    def g(self):\n        a = 2\n        b = 2\n        return b\n"}, map[string]string{"m.py": "class A:\n    K = 2\n\n    def g(self):\n        a = 2\n        b = 2\n        return b\n\n    def f(self, k=K):\n        a = 1\n        return a\n"}, "m.py -2,4 +1,0, m.py -11,0 +8,4"},
		"behind another decorated":   {map[string]string{"m.py": g + "@jax.jit\n" + f + rest}, map[string]string{"m.py": "@jax.jit\n" + f + rest + "\n\n" + g}, ""},
		"two of a name":              {map[string]string{"m.py": f + g + f}, map[string]string{"m.py": g + f + f}, "m.py -1,5 +0,0, m.py -16,0 +12,5"},
		"to another class":           {map[string]string{"m.py": "class A:\n    def f(x):\n        return x\n\n\nclass B:\n    k = 1\n"}, map[string]string{"m.py": "class A:\n    k = 2\n\n\nclass B:\n    k = 1\n\n    def f(x):\n        return x\n"}, "m.py -2,2 +2,1, m.py -7,0 +7,3"},
	} {
		r := newCheckout(t, c.was)
		for name := range c.was {
			r.write(name, "")
		}
		for name, text := range c.now {
			r.write(name, text)
		}
		var got []string
		for _, h := range r.since("").Hunks() {
			if h.Code {
				got = append(got, fmt.Sprintf("%s -%d,%d +%d,%d", h.File, h.OldFirst, h.OldLines, h.First, h.Lines))
			}
		}
		if s := strings.Join(got, ", "); s != c.hunks {
			t.Errorf("%s: %s", what, s)
		}
	}
}
