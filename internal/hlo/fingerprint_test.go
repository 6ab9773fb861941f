package hlo

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo/hlotest"
)

func TestTextAndProtoHaveOneFingerprint(t *testing.T) {
	for _, name := range pairs(t) {
		text, proto := readDump(t, "pairs/"+name+".txt"), readDump(t, "pairs/"+name+".hlo.pb")
		if got, want := proto.Fingerprint(), text.Fingerprint(); got != want {
			t.Errorf("%s: the proto has %s, the text %s", name, got, want)
		}
	}
}

func TestFingerprintIgnoresNamesAndOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range pairs(t) {
		src := string(readFile(t, "pairs/"+name+".txt"))
		if !strings.Contains(src, "ENTRY %") {
			continue // names without % cannot be told from opcodes
		}
		want := parse(t, src).Alike().Prints()
		for range 5 {
			shuffled := hlotest.Shuffle(src, random)
			if got := parse(t, shuffled).Alike().Prints(); got.Module != want.Module {
				t.Fatalf("%s: renamed and reordered it has %s, want %s:\n%s", name, got.Fingerprint(), want.Fingerprint(), shuffled)
			}
		}
	}
}

func parse(t testing.TB, src string) *Module {
	t.Helper()
	m, err := ParseText([]byte(src), "test.txt")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// edits are changes to real modules that are noise, and changes that are not.
var edits = []struct {
	what, file string
	replace    []string
	same       bool
}{
	{"nothing", "pairs/cpu_mesh", nil, true},
	{"channel ids", "pairs/gpu_shardmap", []string{"channel_id=1", "channel_id=7"}, true},
	{"groups as iota", "pairs/cpu_mesh", []string{"{{0,1,2,3},{4,5,6,7}}", "[2,4]<=[8]"}, true},
	{"groups as a mesh", "pairs/cpu_mesh", []string{"{{0,1,2,3},{4,5,6,7}}", "mesh['a'=2,'b'=4] {'b'}"}, true},
	{"a mesh as groups", "pairs/cpu_mesh", []string{"mesh['axis_0'=2,'axis_1'=1,'axis_2'=4] {'axis_0'}", "{{0,4},{1,5},{2,6},{3,7}}"}, true},
	{"groups in another order", "pairs/cpu_mesh", []string{"{{0,1,2,3},{4,5,6,7}}", "{{4,5,6,7},{0,1,2,3}}"}, true},
	{"other groups", "pairs/cpu_mesh", []string{"{{0,1,2,3},{4,5,6,7}}", "{{0,1},{2,3},{4,5},{6,7}}"}, false},
	{"devices in another order", "pairs/cpu_mesh", []string{"{{0,1,2,3},{4,5,6,7}}", "{{1,0,2,3},{4,5,6,7}}"}, false},
	{"sugar for an asynchronous operation", "pairs/gpu_shardmap", []string{
		"async-start(%bitcast.1.0), calls=%async_computation.1", "reduce-scatter-start(%bitcast.1.0), channel_id=1, " +
			"replica_groups={{0,1},{2,3}}, use_global_device_ids=true, dimensions={0}, to_apply=%region_1.0"}, true},
	{"a gather as async-start", "pairs/gpu_shardmap", []string{
		"(f32[128,256]{1,0}, f32[256,256]{1,0}) all-gather-start(%param.2), channel_id=1, replica_groups={{0,2},{1,3}}, " +
			"dimensions={0}, use_global_device_ids=true", "((f32[128,256]{1,0}), f32[256,256]{1,0}) async-start(%param.2), calls=%gather",
		"all-gather-done(", "async-done(",
		"ENTRY ", "%gather (p: f32[128,256]) -> f32[256,256] {\n  %p = f32[128,256]{1,0} parameter(0)\n  ROOT %g = f32[256,256]{1,0} " +
			"all-gather(%p), channel_id=9, replica_groups={{0,2},{1,3}}, dimensions={0}, use_global_device_ids=true\n}\n\nENTRY "}, true},
	{"one core", "fingerprint/tf218_parallel", []string{
		"call(arg1.2, arg0.1), to_apply=parallel_fusion.1", "fusion(arg1.2, arg0.1), kind=kLoop, calls=fused_computation.1.clone",
		"call(call.1, constant.13), to_apply=parallel_reduce-window",
		"reduce-window(call.1, constant.13), window={size=32x32 stride=32x32}, to_apply=Mean-reduction.15"}, true},
	{"eight cores", "fingerprint/tf218_parallel", []string{`partitions":["2"]`, `partitions":["8"]`}, true},
	{"another window", "fingerprint/tf218_parallel", []string{"stride=32x32", "stride=16x32"}, false},
	{"order of a backend_config", "pairs/gpu_shardmap", []string{
		`"is_sync":false,"is_pipelined":false`, `"is_pipelined":false,"is_sync":false`}, true},
	{"another backend_config", "pairs/gpu_shardmap", []string{`"is_sync":false`, `"is_sync":true`}, false},
	{"trip count", "cost/while.cpu", []string{`{"n":"10"}`, `{"n":"11"}`}, false},
	{"propagation of shardings", "pairs/cpu_mesh", []string{"to_output={true", "to_output={false"}, true},
	{"number of a callback", "pairs/cpu_callback", []string{"{index = 0 : ui64}", "{index = 5 : ui64}"}, true},
	{"path in a kernel", "pairs/gpu_pallas", []string{"/srv/mdl/h4/models.py", "/srv/mdl/h5/models.py"}, true},
	{"name of a kernel", "pairs/gpu_pallas", []string{"my_tanh_matmul", "my_sinh_matmul"}, true},
	{"what a kernel calls", "pairs/gpu_pallas", []string{"__nv_tanhf", "__nv_sinhf"}, false},
	{"grid of a kernel", "pairs/gpu_pallas", []string{"grid_x = 8", "grid_x = 4"}, false},
	{"a kernel that is broken", "pairs/tpu_pallas", []string{`"body":"TUzvUg`, `"body":"TUzvUgAB`}, false},
	{"a parallel constant", "pairs/cpu_while", []string{"constant(1)", "constant(3)"}, false},
	{"direction of a comparison", "pairs/cpu_while", []string{"direction=LT", "direction=LE"}, false},
	{"layout", "pairs/cpu_mesh", []string{"%dot.3 = f32[32,32]{1,0}", "%dot.3 = f32[32,32]{0,1}"}, false},
	{"order of operands", "pairs/cpu_mesh", []string{"%dot.3, %dot.4)", "%dot.4, %dot.3)"}, false},
	{"donation lost", "pairs/cpu_while", []string{"is_scheduled=true, ", "is_scheduled=true, input_output_alias={ {}: (0, {}, may-alias) }, "}, false},
}

func TestFingerprintSeesTheProgramOnly(t *testing.T) {
	for _, c := range edits {
		t.Run(c.what, func(t *testing.T) {
			before := string(readFile(t, c.file+".txt"))
			after := before
			for i := 0; i < len(c.replace); i += 2 {
				if !strings.Contains(after, c.replace[i]) {
					t.Fatalf("%s does not hold %s", c.file, c.replace[i])
				}
				after = strings.ReplaceAll(after, c.replace[i], c.replace[i+1])
			}
			if same := parse(t, before).Fingerprint() == parse(t, after).Fingerprint(); same != c.same {
				t.Errorf("the fingerprints are equal: %v, want %v", same, c.same)
			}
		})
	}
}

// An instruction that is there twice counts twice.
func TestFingerprintCountsWhatIsDoneTwice(t *testing.T) {
	const shared = `HloModule m

ENTRY %e (p: f32[4]) -> (f32[4], f32[4]) {
  %p = f32[4]{0} parameter(0)
  %a = f32[4]{0} tanh(%p)
  ROOT %r = (f32[4]{0}, f32[4]{0}) tuple(%a, %a)
}
`
	twice := strings.Replace(shared, "tanh(%p)\n", "tanh(%p)\n  %b = f32[4]{0} tanh(%p)\n", 1)
	dead := parse(t, twice).Fingerprint()
	twice = strings.Replace(twice, "(%a, %a)", "(%a, %b)", 1)
	if parse(t, shared).Fingerprint() == parse(t, twice).Fingerprint() {
		t.Error("an instruction that is done twice has no effect")
	}
	if parse(t, shared).Fingerprint() != dead {
		t.Error("an instruction that nothing uses has an effect")
	}
}

// A 64-bit scalar operand of a callback is an address, which differs from run to run; any other constant belongs to the model.
func TestFingerprintIgnoresAddresses(t *testing.T) {
	for _, c := range []struct {
		constant, other, target string
		same                    bool
	}{
		{"s64[] constant(140234)", "s64[] constant(7)", "xla_python_cpu_callback", true},
		{"u64[] constant(140234)", "u64[] constant(7)", "xla_python_cpu_callback", true},
		{"s32[] constant(140234)", "s32[] constant(7)", "xla_python_cpu_callback", false},
		{"f32[] constant(140234)", "f32[] constant(7)", "xla_python_cpu_callback", false},
		{"s64[1] constant({140234})", "s64[1] constant({7})", "xla_python_cpu_callback", false},
		{"s64[] constant(140234)", "s64[] constant(7)", "cholesky", false},
	} {
		source := "HloModule m\n\nENTRY e {\n  a = " + c.constant + "\n  ROOT r = f32[2] custom-call(a), custom_call_target=\"" + c.target + "\"\n}\n"
		if same := parse(t, source).Fingerprint() == parse(t, strings.Replace(source, c.constant, c.other, 1)).Fingerprint(); same != c.same {
			t.Errorf("%s and %s of %s are the same: %v", c.constant, c.other, c.target, same)
		}
	}
}

func TestFamilyIgnoresSizes(t *testing.T) {
	a, b := readDump(t, "fingerprint/batch1.txt"), readDump(t, "fingerprint/batch2.txt")
	p, q := a.Alike().Prints(), b.Alike().Prints()
	if p.Module == q.Module || slices.Equal(p.ops, q.ops) {
		t.Error("modules of other shapes have one fingerprint")
	}
	sameFamily := func(d, e digest) bool { return d.family == e.family }
	if !sameFamily(p.comp(a.Entry), q.comp(b.Entry)) || !slices.EqualFunc(p.ops, q.ops, sameFamily) {
		t.Error("modules that differ in sizes only are not of one family")
	}
}

// Baselines store the hashes, which must change only on purpose.
func TestFingerprintsStay(t *testing.T) {
	var got strings.Builder
	for _, name := range pairs(t) {
		m := readDump(t, "pairs/"+name+".hlo.pb")
		p := m.Alike().Prints()
		fmt.Fprintf(&got, "%s %s %016x\n", p.Fingerprint(), name, p.comp(m.Entry).family)
	}
	want, err := os.ReadFile("testdata/fingerprint/pairs.txt")
	if err != nil || got.String() != string(want) {
		t.Errorf("%v; the fingerprints are now\n%s", err, got.String())
	}
}

func TestPrintsOfAVeryDeepGraph(t *testing.T) {
	const depth = 100_000
	chain := func(links int) *Prints {
		var b strings.Builder
		b.WriteString("HloModule deep\n\nENTRY %e (p: f32[]) -> f32[] {\n  %v0 = f32[] parameter(0)\n")
		for i := 1; i < links; i++ {
			fmt.Fprintf(&b, "  %%v%d = f32[] add(%%v%d, %%v%d)\n", i, i-1, i-1)
		}
		fmt.Fprintf(&b, "  ROOT %%v%d = f32[] negate(%%v%d)\n}\n", links, links-1)
		return parse(t, b.String()).Alike().Prints()
	}
	p, longer := chain(depth), chain(depth+1)
	if p.Module == longer.Module || p.ops[1] != p.ops[depth-1] {
		t.Error("the prints of a chain are wrong")
	}
}

func TestExpandGroups(t *testing.T) {
	for _, c := range []struct{ spelling, want string }{
		{"{{0,1},{2,3}}", "[[0 1] [2 3]]"},
		{"{}", "[]"},
		{"[2,4]<=[8]", "[[0 1 2 3] [4 5 6 7]]"},
		{"[2,4]<=[4,2]T(1,0)", "[[0 2 4 6] [1 3 5 7]]"},
		{"[4,2]<=[2,2,2]T(1,0,2)", "[[0 1] [4 5] [2 3] [6 7]]"},
		{"mesh['a'=2,'b'=4] {'a'}", "[[0 4] [1 5] [2 6] [3 7]]"},
		{"mesh['a'=2,'b'=4] {'b'}", "[[0 1 2 3] [4 5 6 7]]"},
		{"mesh['a'=2,'b'=2] {'b','a'}", "[[0 2 1 3]]"},
		{"mesh[a=2,b=2] {a}", "[[0 2] [1 3]]"},
		{"mesh['a'=4] {'a':(1)2}", "[[0 2] [1 3]]"},
		{"mesh['a'=4] {'a':(2)2}", "[[0 1] [2 3]]"},
		{"mesh['a'=8] {'a':(2)2}", "[[0 2] [1 3] [4 6] [5 7]]"},
		{"mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)) {'a'}", "[[0 1] [2 3]]"},
		{"mesh['a'=2,'b'=2], device_ids=(3,2,1,0) {'b'}", "[[3 2] [1 0]]"},
		{"[2,4]<=[9]", "none"},
		{"[1,1048577]<=[1048577]", "none"},
		{"mesh['a'=2] {'b'}", "none"},
		{"mesh['a'=0] {'a'}", "none"},
		{"mesh['a'=4] {'a':(3)2}", "none"},
		{"mesh['a'=4] {'a','a'}", "none"},
		{"mesh['a'=4] {'a':(1)2,'a':(1)2}", "none"},
		{"mesh['a'=4] {'a':(1)2,'a':(2)2}", "[[0 1 2 3]]"},
		{"mesh['a'=4] {'a':(4294967296)4294967296}", "none"},
		{"{", "none"},
		{"[2,2]<=[2,2]T(1,1)", "none"},
		{"x", "none"},
	} {
		got := "none"
		if groups, ok := ReplicaGroups([]byte(c.spelling)); ok {
			got = fmt.Sprint(groups)
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.spelling, got, c.want)
		}
	}
}

func TestConfigDigest(t *testing.T) {
	for _, c := range []struct {
		a, b         string
		same, family bool
	}{
		{`{"a":1,"b":[2,3]}`, `{ "b" : [2, 3], "a" : 1 }`, true, true},
		{`{"a":{"x":1,"y":2}}`, `{"a":{"y":2,"x":1}}`, true, true},
		{`{"a":1}`, `{"a":2}`, false, true},
		{`{"a":"4"}`, `{"a":"8"}`, false, true},
		{`{"a":"EQ"}`, `{"a":"NE"}`, false, false},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, false, true},
		{`{"outer_dimension_partitions":["2"]}`, `{}`, true, true},
		{`{"a":{"algo_id":"3"}}`, `{"a":{"algo_id":"5"},"body":"x"}`, true, true},
		{`{uplo = 76 : ui8, mode = 65 : ui8}`, `{mode = 65 : ui8, uplo = 76 : ui8}`, true, true},
		{`{uplo = 76 : ui8}`, `{uplo = 85 : ui8}`, false, true},
		{`{ir = "a, b", grid_x = 8 : i32}`, `{grid_x = 8 : i32, ir = "c"}`, true, true},
		{`{"a":1`, `{"a":2`, false, false},
		{`opaque`, `opaque`, true, true},
		{`{state = 139961309515568 : i64, uplo = 76 : ui8}`, `{uplo = 76 : ui8, state = 94686351671088 : i64}`, true, true},
		{`{handle = "0x7f4b4822cf30"}`, `{handle = "0x558b435f0f30"}`, true, true},
		{`139961309515568`, `94686351671088`, true, true},
		{`{size = 1099511627775 : i64}`, `{size = 1099511627774 : i64}`, false, true},
		{`{seed = 1311768467463790320 : i64}`, `{seed = 1311768467463790321 : i64}`, false, true},
		{`{state = 139961309515568 : i64, n = 8 : i64}`, `{state = 139961309515568 : i64, n = 9 : i64}`, false, true},
	} {
		p := printer{}
		a, _ := p.config([]byte(c.a))
		b, _ := p.config([]byte(c.b))
		if (a == b) != c.same || (a.family == b.family) != c.family {
			t.Errorf("%s and %s: equal %v, of one family %v; want %v, %v", c.a, c.b, a == b, a.family == b.family, c.same, c.family)
		}
	}
}

func TestCanonicalLiteral(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"{nan, inf, -inf, -0, 1.4013e-45, 3.40282347e+38}", "{nan, inf, -inf, 0, 0, 3.40282347e+38}"},
		{"{ { -1e-40 }, { 1e-30 } }", "{ { 0 }, { 1e-30 } }"},
		{"1.17549435e-38", "1.17549435e-38"},
	} {
		if got := canonicalLiteral(F32, c.in); got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
	}
	if got := canonicalLiteral(C64, "(-0, -0.5)"); got != "(0, -0.5)" {
		t.Errorf("a complex number became %s", got)
	}
	if got := canonicalLiteral(F64, "1e-40"); got != "1e-40" {
		t.Errorf("a double became %s", got)
	}
}

func BenchmarkPrints(b *testing.B) {
	for _, file := range []string{"pairs/gpu_shardmap.txt", "pairs/gpu_shardmap.hlo.pb"} {
		b.Run(file, func(b *testing.B) {
			m := readDump(b, file)
			b.SetBytes(int64(len(m.src)))
			b.ReportAllocs()
			for b.Loop() {
				m.Alike().Prints()
			}
		})
	}
}
