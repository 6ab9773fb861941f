package facts

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

// What JAX 0.10.2 lowers, cut down. The module is loaded from another folder by the other process, and its lines are numbered anew.
const lowered = `#loc1 = loc("p['w']")
module @jit_step {
  func.func public @main(%arg0: tensor<8xf32> loc("p['w']")) -> (tensor<8xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.custom_call @CustomSPMDPartitioning(%arg0) {backend_config = "140512"} : (tensor<8xf32>) -> tensor<8xf32> loc(#loc4)
    return %0 : tensor<8xf32> loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc2 = loc("/a/model.py":9:15 to :88)
#loc3 = loc(callsite(#loc2 at #loc))
#loc4 = loc("jit(step)/call"(#loc3))
`

func TestKeyInputDiffers(t *testing.T) {
	at := hlo.Location{File: "model.py", Line: 9}
	for _, c := range []struct {
		old, new     string
		first, other string
		source       hlo.Location
	}{
		{"/a/", "/b/c/", "", "", hlo.Location{}},
		{"p['w']", "p['v']", "", "", hlo.Location{}}, // the name of an argument is a location
		{"jit(step)/call", "jit(step)/<Table at 0x7f>/call", "", "", hlo.Location{}},
		{"140512", "139876", `backend_config = "140512"`, `backend_config = "139876"`, at},
		{`"140512"`, `"140512", has_side_effect = true`, "}", ",", at},
		{`"result"`, `"result['a']"`, `jax.result_info = "result"`, `jax.result_info = "result['a']"`, hlo.Location{}},
		{"    return", "    %1 = stablehlo.negate %0 : tensor<8xf32>\n    return", "return", "%1", hlo.Location{}},
	} {
		a, b := &keyInput{lowered, "", "/a/"}, &keyInput{strings.ReplaceAll(lowered, c.old, c.new), "", ""}
		d := a.differs(b)
		if c.first == "" {
			if d != nil {
				t.Errorf("%s instead of %s: differs in %+v", c.new, c.old, d)
			}
			continue
		}
		if d == nil || d.First != c.first || d.Other != c.other || d.Source != c.source || strings.Contains(d.Lines[0], "loc(") {
			t.Errorf("%s instead of %s: %+v, wanted %s and %s at %v", c.new, c.old, d, c.first, c.other, c.source)
		}
	}
	options := &keyInput{lowered, "debug_options {\n  xla_dump_to: \"/a\"\n  xla_gpu_per_fusion_autotune_cache_dir: \"\"\n}\n", ""}
	if d := options.differs(&keyInput{lowered, strings.ReplaceAll(options.options, "/a", "/b"), ""}); d != nil {
		t.Errorf("another dump folder: %+v", d)
	}
	if d := options.differs(&keyInput{lowered, strings.ReplaceAll(options.options, `""`, `"/b/autotune"`), ""}); d == nil || d.Other != `xla_gpu_per_fusion_autotune_cache_dir: "/b/autotune"` {
		t.Errorf("another cache folder: %+v", d)
	}
}

// Of a long word, what differs is shown.
func TestLongWordsAreCut(t *testing.T) {
	one, other := differingWords(`body = "`+strings.Repeat("a", 5000)+`x`+strings.Repeat("b", 5000)+`"`, `body = "`+strings.Repeat("a", 5000)+`y"`)
	if len(one) > 200 || !strings.Contains(one, "axb") || !strings.HasPrefix(one, `body = "aaa`) || !strings.HasSuffix(other, `ay"`) {
		t.Errorf("%s\n%s", one, other)
	}
}

// The body of a kernel names the file that it is from.
func TestPathInAKernelsBody(t *testing.T) {
	config := func(folder string) string {
		body := base64.StdEncoding.EncodeToString([]byte("MLIR\x00kernel\x00/" + folder + "/model.py\x00value\x00"))
		return `%0 = stablehlo.custom_call @tpu_custom_call(%arg0) {backend_config = "{\22body\22: \22` + body + `\22}"}`
	}
	one, other := differingWords(config("home/a"), config("srv/app"))
	if one != "backend_config = …/home/a/model.py" || other != "backend_config = …/srv/app/model.py" {
		t.Errorf("%s\n%s", one, other)
	}
}

// A cut-off module may refer in a circle.
func TestLocateInACircle(t *testing.T) {
	in := &keyInput{module: "\n#loc1 = loc(#loc2)\n#loc2 = loc(#loc1)\n"}
	if at := in.locate("%0 = add loc(#loc1)"); at != (hlo.Location{}) {
		t.Errorf("found %v", at)
	}
}
