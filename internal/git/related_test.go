package git

import (
	"strings"
	"testing"
)

// Hunks of one function are one edit if a name that comes or goes connects them, or if they replace the same.
func TestEditsOfAFunction(t *testing.T) {
	const source = `def block(p, x):
    h = x @ p.w1
    a = h + p.b1
    m = a.mean(-1)
    h = relu(a - m)
    g = sigmoid(x @ p.gate)
    return h * g

def loss(x):
    y = block(0, x)
    return y.sum()
`
	for what, c := range map[string]struct {
		replace []string // what, by what
		edits   int
	}{
		"two":                             {[]string{"h = x @ p.w1", "h = sort(x) @ p.w1", "x @ p.gate", "x @ p.gate @ p.gate"}, 2},
		"a name that is new":              {[]string{"h = x @ p.w1", "h = x @ p.w1\n    rank = sort(h)", "return h * g", "return h * g + rank"}, 1},
		"a name that goes":                {[]string{"    m = a.mean(-1)\n", "", "relu(a - m)", "relu(a)", "h = x @ p.w1", "h = sort(x) @ p.w1"}, 2},
		"a new parameter":                 {[]string{"def block(p, x):", "def block(p, x, mask):", "return h * g", "return h * g * mask"}, 1},
		"a name that both had":            {[]string{"a = h + p.b1", "a = sort(h) + p.b1", "return h * g", "a = tanh(h)\n    return a * g"}, 2},
		"a name that stays in between":    {[]string{"h = x @ p.w1", "h = x @ p.w1\n    h = sort(h)", "return h * g", "h = tanh(h)\n    return h * g"}, 2},
		"what nothing binds":              {[]string{"h = x @ p.w1", "h = jnp.sort(x) @ p.w1", "return h * g", "return jnp.tanh(h * g)"}, 2},
		"the same in two places":          {[]string{"h = x @ p.w1", "h = x @ p.w1.astype(bfloat16)", "x @ p.gate", "x @ p.gate.astype(bfloat16)"}, 1},
		"the same function in two places": {[]string{"relu(a - m)", "gelu(a - m)", "h * g", "gelu(h * g)"}, 2},
		"what moves":                      {[]string{"relu(a - m)", "a - m", "h * g", "relu(h) * g"}, 1},
		"two functions":                   {[]string{"h = x @ p.w1", "h = x @ p.w1.astype(bfloat16)", "y.sum()", "y.astype(bfloat16).sum()"}, 2},
		"a loop over what is new":         {[]string{"m = a.mean(-1)", "m = a.mean(-1)\n    for s in (1, 2):\n        a = a + s", "h * g", "h * g * s"}, 1},
	} {
		repository := newCheckout(t, map[string]string{"m.py": source})
		for i := 0; i < len(c.replace); i += 2 {
			repository.edit("m.py", c.replace[i], c.replace[i+1])
		}
		edits := map[int]bool{}
		for _, h := range repository.since("").Hunks() {
			edits[h.Edit] = true
		}
		if len(edits) != c.edits {
			t.Errorf("%s: %d edits, wanted %d", what, len(edits), c.edits)
		}
	}
}

// The same edit of equal lines is one, even if it only turns words around.
func TestEqualHunks(t *testing.T) {
	c := newCheckout(t, map[string]string{"m.py": "def f(x):\n    y = g(x.half() @ w)\n    y = h(y)\n    y = g(x.half() @ w)\n"})
	c.write("m.py", "def f(x):\n    y = g((x @ w).half())\n    y = h(y)\n    y = g((x @ w).half())\n")
	if hunks := c.since("").Hunks(); len(hunks) != 2 || hunks[0].Edit != hunks[1].Edit {
		t.Errorf("%+v", hunks)
	}
}

// Many hunks of one function are not compared with each other: they are one edit.
func TestManyHunks(t *testing.T) {
	var before, after strings.Builder
	for range maxRelated + 1 {
		before.WriteString("    x = f(x)\n    y = g(y)\n")
		after.WriteString("    x = -f(x)\n    y = g(y)\n")
	}
	c := newCheckout(t, map[string]string{"m.py": "def f():\n" + before.String()})
	c.edit("m.py", before.String(), after.String())
	hunks := c.since("").Hunks()
	for _, h := range hunks {
		if h.Edit != hunks[0].First {
			t.Fatalf("%d hunks: %+v", len(hunks), h)
		}
	}
}

// A line that only makes an argument of a call hands something over; the first line of code of an edit is no comment and no head of a class.
func TestWhatALineDoes(t *testing.T) {
	const source = "def main(step, params):\n    batch = ones(8)\n    return step(params, batch)\n"
	for added, c := range map[string]struct {
		hands, compiles bool
		first           int
	}{
		"    batch = next(train)":                            {true, false, 3},
		"    # the next batch\n\n    batch = next(train)":    {true, false, 5},
		"    step = partial(step, remat=False)":              {false, false, 3},
		"    update(remat=False)":                            {false, false, 3},
		"    step = jax.jit(step, static_argnums=1)":         {false, true, 3},
		"    class Options:\n        remat = False":          {false, false, 4},
		"    batch = next(train)\n    params = init(params)": {true, false, 3},
	} {
		repository := newCheckout(t, map[string]string{"m.py": source})
		repository.edit("m.py", "ones(8)\n", "ones(8)\n"+added+"\n")
		edits := repository.since("")
		hunks := edits.Hunks()
		h := hunks[0]
		if h.Hands("return step(params, batch)") != c.hands || h.Compiles() != c.compiles || edits.FirstCode(h) != c.first {
			t.Errorf("%q: hands %v, compiles %v, first %d", added, h.Hands("return step(params, batch)"), h.Compiles(), edits.FirstCode(h))
		}
	}
}

// An edit is known by the first of its lines that does more than to give a value another name.
func TestFirstCode(t *testing.T) {
	const source = "def main(step, params):\n    batch = ones(8).batch(4, drop_remainder=True)\n    return step(params, batch)\n"
	for is, want := range map[string]int{
		"    examples = ones(8)\n    batch = examples.batch(4)":                                    3,
		"    examples = ones(8).batch(4, drop_remainder=True)\n    check(examples)":                3,
		"    batch = ones(8).batch(4)\n    check(batch)":                                           2,
		"    examples = ones(8)":                                                                   2,
		"    examples = ones(16)\n    batch = examples.batch(4, drop_remainder=True)":              2,
		"    # all of them\n    examples = ones(8)\n    # in fours\n    batch = examples.batch(4)": 5,
	} {
		repository := newCheckout(t, map[string]string{"m.py": source})
		repository.edit("m.py", "    batch = ones(8).batch(4, drop_remainder=True)", is)
		edits := repository.since("")
		if got := edits.FirstCode(edits.Hunks()[0]); got != want {
			t.Errorf("%q is known by line %d, want %d", is, got, want)
		}
	}
}
