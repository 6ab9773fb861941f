package git

import (
	"fmt"
	"strings"
	"testing"
)

func TestScopes(t *testing.T) {
	const source = `1
import x  # |
class A(B):  #|A
    k = 1  #|A

    @property  #|A.f
    # a note|A.f
    @jax.checkpoint(  #|A.f
        policy=None)  #|A.f
    async def f(self, x,  #|A.f
    y):  #|A.f
        """A text
    def not_this(): |A.f
"""  #|A.f
        z = g("""
}""", '"', "'", [  # ((( |A.f
1])  #|A.f
        def inner():  #|A.f.<locals>.inner
            return {  #|A.f.<locals>.inner
    }  #|A.f.<locals>.inner
        return z + \
1  #|A.f
    class C:  #|A.C
	# an odd note|A.C
        x = 1  #|A.C
y = 2  #|
def last(): return 3  #|last
if y: #|
    y = ")" #|
def bad(x: #|bad
def good(): #|good
    pass #|good`
	lines := strings.Split(source, "\n")
	for i, s := range scopesOf(lines)[1:] {
		if _, want, told := strings.Cut(lines[i], "|"); told && s.String() != want {
			t.Errorf("line %d %q is in %q", i+1, lines[i], s)
		}
	}
}

// Lines that are gone belong to the function that they stood in.
// Jit makes a program anew, or with other static arguments, in a line that names it or stands above it.
func TestCompilesAnew(t *testing.T) {
	for _, c := range []struct {
		was, now string
		makes    bool
	}{
		{"f = jax.jit(step)\n", "f = jax.jit(step, static_argnames=('n',))\n", true},
		{"f = jax.jit(step, static_argnums=1)\n", "f = jax.jit(step, static_argnums=(1, 2))\n", true},
		{"f = jax.jit(step, static_argnums=1)\n", "f = jax.jit(step, static_argnums=(1,))\n", false},
		{"f = jax.jit(step)\n", "f = jax.jit(step, donate_argnums=1)\n", false},
		{"f = step\n", "f = jax.jit(step)\n", true},
		{"f = step\n", "g = jax.jit(other)\nf = step\n", false},
	} {
		r := newCheckout(t, map[string]string{"m.py": c.was + "f(1)\n"})
		r.edit("m.py", c.was, c.now)
		if h := r.since("").Hunks()[0]; h.CompilesAnew("step") != c.makes {
			t.Errorf("%q: %v", c.now, !c.makes)
		}
	}
}

func TestRemovedIn(t *testing.T) {
	for _, c := range []struct{ removed, now, want string }{
		{"@jax.jit\n", "", "m.py -12,1 +11,0 code in loss"},
		{"    y = x * 2\n", "", "m.py -14,1 +13,0 code in loss"},
		{"\ndef main():\n    print(loss(1))\n", "", "m.py -16,3 +15,0 code in main"},
		{"    return y\n", "", "m.py -15,1 +14,0 code in loss"},
		{"            x,\n", "", "m.py -9,1 +8,0 code in Block.__call__"},
		{"import jax\n", "", "m.py -1,1 +0,0"},
		{"import jax\n", "import jax\nf(3)\n", "m.py -1,0 +2,1 code"},
		{"    return y\n", "\n    # as it was\n    return -y\n", "m.py -15,1 +15,3 code in loss"},
		{"    y = x * 2\n", "    # nothing\n    y = x * 2\n", "m.py -13,0 +14,1 in loss"},
		{"@jax.jit\n", "@jax.jit\n@jax.checkpoint\n", "m.py -12,0 +13,1 code in loss"},
		{"import jax\n", "import jax\n\n\n@jax.jit\ndef half(\n    x,\n):\n    return x / 2\n", "m.py -2,0 +3,7 code new in half"},
		{"import jax\n", "import jax\n\n\ndef half(x):\n    return x / 2\n\n\nprint(half(1))\n", "m.py -2,0 +3,7 code in half"},
		{"import jax\n", "import jax\n\n\ndef loss(x):\n    return x\n", "m.py -2,0 +3,4 code in loss"}, // it is there already
		{"@jax.jit\n", "@jax.jit\ndef half(x):\n    return x\n\n", "m.py -12,0 +13,3 code in half"},     // loss has lost its decorator
	} {
		t.Run(fmt.Sprintf("%.12q", c.removed), func(t *testing.T) {
			r := newCheckout(t, map[string]string{"m.py": model})
			r.edit("m.py", c.removed, c.now)
			expect(t, "hunk", list(r.since("").Hunks()), c.want)
		})
	}
}
