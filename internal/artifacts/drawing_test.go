package artifacts

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/fuzztest"
	"github.com/xlagate/xlagate/internal/testfile"
)

func sample(t testing.TB, name string) []byte { return testfile.Unpack(t, "testdata/"+name+".gz") }

func TestRead(t *testing.T) {
	for name, want := range map[string]struct {
		computation          string
		nodes, fused, called int
	}{
		"jax-0.10.2.dot":  {"main.9", 61, 10, 5},
		"jax-0.10.2.html": {"main.9", 61, 10, 5},
		"tf-2.3.html":     {"a_inference_cam_17__XlaMustCompile_true_config_proto___n_007_n_003CPU_020_001_n_007_n_003GPU_020_0002_002J_0008_001__executor_type____.122", 59, 5, 3},
		"tpu-v5e.dot":     {"main.16", 511, 31, 8},
	} {
		d, err := ReadDrawing(sample(t, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		fused := 0
		for _, g := range d.Groups {
			if g.Fusion {
				fused++
			}
		}
		if d.Computation != want.computation || len(d.Nodes) != want.nodes || fused != want.fused || len(d.Calls) != want.called {
			t.Errorf("%s: %q, %d nodes, %d fusions, %d calls", name, d.Computation, len(d.Nodes), fused, len(d.Calls))
		}
		for _, n := range d.Nodes {
			if n.Opcode == "" {
				t.Errorf("%s: what is %q?", name, n.Name)
			}
		}
	}
}

func TestNode(t *testing.T) {
	for label, want := range map[string]Node{
		`<b>Parameter 0</b><br/>f32[64,128]{1,0}`:                                          {Name: "Parameter 0", Opcode: "parameter"},
		`<b>dot.2</b><br/>lhs_contracting_dims={0}<br/>f32[128,10]{1,0}`:                   {Name: "dot.2", Opcode: "dot"},
		`<b>sin.2</b><br/>sine<br/>f32[64,32]{1,0}`:                                        {Name: "sin.2", Opcode: "sine"},
		`<b>reduce-window.3</b><br/>f32[]`:                                                 {Name: "reduce-window.3", Opcode: "reduce-window"},
		`<b>loop_add_fusion</b><br/>fusion:kLoop<br/>f32[8]`:                               {Name: "loop_add_fusion", Opcode: "fusion", Kind: "kLoop"},
		`<b>fusion:kInput</b><br/>reduce_fusion<br/>f32[8]`:                                {Name: "fusion:kInput", Opcode: "fusion", Kind: "kInput"},
		`<b>custom-call.1</b><br/>custom_call_target=&quot;ConcatBitcast&quot;<br/>f32[8]`: {Name: "custom-call.1", Opcode: "custom-call", Target: "ConcatBitcast"},
		`<b>reduce_sum.6</b><br/>reduce<br/>Subcomputation: <b>add</b><br/>f32[128]`:       {Name: "reduce_sum.6", Opcode: "reduce", Inline: true},
		`<b>what.is.this</b><br/>f32[8]`:                                                   {Name: "what.is.this"},
		`<b>a&lt;b&gt;&amp;&quot;c</b><br/>add<br/>f32[8]`:                                 {Name: `a<b>&"c`, Opcode: "add"},
	} {
		if got := newNode("", label, 0); got != want {
			t.Errorf("%s: %+v", label, got)
		}
	}
}

func TestDamaged(t *testing.T) {
	dot := sample(t, "jax-0.10.2.dot")
	page := sample(t, "jax-0.10.2.html")
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":       {nil, "holds no graph"},
		"garbage":     {[]byte("\x00\x01"), "holds no graph"},
		"page":        {[]byte("<!DOCTYPE html><html></html>"), "holds no graph"},
		"cut":         {dot[:len(dot)/2], "cut off"},
		"cut at line": {dot[:bytes.LastIndexByte(dot[:len(dot)-3], '\n')], "cut off"},
		"cut page":    {append(page[:len(page)/2:len(page)/2], `"`...), "unpack"},
		"no nodes":    {[]byte("digraph G {\n}\n"), "no instruction"},
		"odd frame":   {regexp.MustCompile(`ltail="[^"]*"`).ReplaceAll(dot, []byte("ltail=\"a\xe8\x1b[2J\"")), `leaves "a\xe8\x1b[2J", which`},
	} {
		if _, err := ReadDrawing(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDrawing(f *testing.F) {
	var seeds [][]byte
	for _, name := range []string{"jax-0.10.2.dot", "jax-0.10.2.html", "tf-2.3.html"} {
		seeds = append(seeds, sample(f, name))
	}
	fuzztest.Run(f, fuzztest.Text, func(_ *testing.T, data []byte) error {
		d, err := ReadDrawing(data)
		if err == nil {
			for _, c := range d.Calls {
				_, _ = d.Nodes[c.Node], d.Groups[c.Group]
			}
		}
		return err
	}, seeds...)
}
