package facts

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

// What one sharding is called by its axes and in tiles. Those of JAX 0.10.2 and 0.12.0.1 for the same arguments are among them; the others
// follow XLA's rule that axes which stay neighbours are one.
var shardingSpellings = []struct{ named, tiles, spec string }{
	{"{mesh['data'=2,'model'=2], [{'data'}, {}]}", "{devices=[2,1,2]<=[4] last_tile_dim_replicate}", "P('data', None)"},
	{"{mesh['data'=2,'model'=2], [{}, {'model'}]}", "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}", "P(None, 'model')"},
	{"{mesh['data'=2,'model'=2], [{'model'}, {}]}", "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}", "P('model', None)"},
	{"{mesh['x'=8], [{'x'}, {}]}", "{devices=[8,1]<=[8]}", "P('x', None)"},
	{"{mesh['a'=2,'b'=4], [{'a', 'b'}, {}]}", "{devices=[8,1]<=[8]}", "P(('a', 'b'), None)"},
	{"{mesh['a'=2,'b'=4], [{'b', 'a'}]}", "{devices=[8]<=[2,4]T(1,0)}", "P(('b', 'a'))"},
	{"{mesh['a'=2,'b'=3,'c'=5], [{'c'}, {'a'}, {'b'}]}", "{devices=[5,2,3]<=[6,5]T(1,0)}", "P('c', 'a', 'b')"},
	{"{mesh['a'=2,'one'=1,'b'=4], [{'a'}, {'b'}]}", "{devices=[2,4]<=[8]}", "P('a', 'b')"},
	{"{mesh['a'=2,'b'=4], [{'a', ?}, {?}], replicated={'b'}}", "{devices=[2,1,4]<=[8] last_tile_dim_replicate}", "P('a', None)"},
	{"{mesh['data'=4], [{}, {}]}", "{replicated}", ""},
	{"{mesh['data'=4,'model'=1], [{}, {'model'}]}", "{replicated}", "P(None, 'model')"},
	{"{mesh['x'=1], [{'x'}]}", "{replicated}", "P('x')"},
	{"{mesh['data'=4], replicated}", "{replicated}", ""},
	{"{mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)), [{}]}", "{replicated}", ""},
	{"{maximal_mesh[device_id=3]}", "{maximal device=3}", ""},
	// What tiles do not say stays as it is.
	{"{mesh['a'=4], [{'a':(1)2}]}", "{mesh['a'=4], [{'a':(1)2}]}", "P('a':(1)2)"},
	{"{mesh['a'=2,'b'=2], [{'a'}], unreduced={'b'}}", "{mesh['a'=2,'b'=2], [{'a'}], unreduced={'b'}}", "P('a')"},
	{"{mesh['a'=2,'b'=2,'c'=2], [{'a'}], replicated={'b'}, unreduced={'c'}}", "{mesh['a'=2,'b'=2,'c'=2], [{'a'}], replicated={'b'}, unreduced={'c'}}", "P('a')"},
	{"{mesh['a'=2], [{}], unreduced={'a'}}", "{mesh['a'=2], [{}], unreduced={'a'}}", ""},
	{"{mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)), [{'a'}]}", "{mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)), [{'a'}]}", "P('a')"},
	{"{devices=[8,1]<=[8]}", "{devices=[8,1]<=[8]}", ""},
	{"{mesh['a'=x], [{'a'}]}", "{mesh['a'=x], [{'a'}]}", ""},
	{"{mesh[", "{mesh[", ""},
	{"", "", ""},
}

func TestInTiles(t *testing.T) {
	for _, s := range shardingSpellings {
		if tiles, spec := InTiles(s.named); tiles != s.tiles || spec != s.spec {
			t.Errorf("%s is %s, %s; wanted %s, %s", s.named, tiles, spec, s.tiles, s.spec)
		}
	}
}

// One program as two versions of JAX hand it over: shardings in tiles with the model's words beside them, and by the axes of the mesh alone.
func TestShardingsOfTwoVersions(t *testing.T) {
	dumps := filepath.Join("..", "..", "testdata")
	tiles := measuredDump(t, filepath.Join(dumps, "cpu-sharding_allgather", "before.tar.xz")).Programs[0].Variants[0]
	named := measuredDump(t, filepath.Join(dumps, "dumps", "jax-0.12.0.1.tar.xz")).Programs[0].Variants[0]
	for i := range tiles.Params {
		if a, b := tiles.Params[i], named.Params[i]; a.Sharding != b.Sharding || a.Spec != b.Spec || a.Spec == "" {
			t.Errorf("%s is sharded %s %s, and %s %s", a.Name, a.Sharding, a.Spec, b.Sharding, b.Spec)
		}
	}
	if a, b := axesIn(tiles), axesIn(named); !slices.Equal(a, b) || len(a) != 2 {
		t.Errorf("the collectives run over %v, and %v", a, b)
	}
}

func axesIn(v *Variant) []string {
	var axes []string
	for i := range v.Kernels {
		if k := &v.Kernels[i]; k.Class == ClassCollective {
			axes = append(axes, k.Axes)
		}
	}
	return axes
}

// A module's mesh stands in its header or in its shardings; of several meshes none is taken, as their axes may have the same names.
func TestMeshOf(t *testing.T) {
	two := []hlo.MeshAxis{{Name: "a", Size: 2}, {Name: "b", Size: 4}}
	for _, c := range []struct {
		what, attributes, sharding, other string
		want                              []hlo.MeshAxis
	}{
		{"in the header", `, frontend_attributes={xla.sdy.meshes="{mesh = #sdy.mesh<[\"a\"=2, \"b\"=4]>}"}`, "", "", two},
		{"several in the header", `, frontend_attributes={xla.sdy.meshes="{m = #sdy.mesh<[\"a\"=2]>, n = #sdy.mesh<[\"a\"=4]>}"}`, "", "", nil},
		{"one of another form", `, frontend_attributes={xla.sdy.meshes="{mesh = 3}"}`, "", "", nil},
		{"in a sharding", "", "{mesh['a'=2,'b'=4], [{'a'}]}", "", two},
		{"in two shardings", "", "{mesh['a'=2,'b'=4], [{'a'}]}", "{mesh['a'=2,'b'=4], [{'b'}]}", two},
		{"in a tuple's sharding", "", "{{mesh['a'=2,'b'=4], [{'a'}]}, {replicated}}", "", two},
		{"two in shardings", "", "{mesh['a'=2,'b'=4], [{'a'}]}", "{mesh['a'=8], [{'a'}]}", nil},
		{"shardings without names", "", "{devices=[8]<=[8]}", "{replicated}", nil},
	} {
		sharded := func(sharding string) string {
			if sharding == "" {
				return ""
			}
			return ", sharding=" + sharding
		}
		m, err := hlo.ParseText([]byte("HloModule jit_f"+c.attributes+"\n\nENTRY %e {\n  %p = f32[8] parameter(0)"+sharded(c.sharding)+
			"\n  ROOT %q = f32[8] negate(%p)"+sharded(c.other)+"\n}\n"), "m")
		if err != nil {
			t.Fatal(err)
		}
		if got := meshOf(m); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, wanted %v", c.what, got, c.want)
		}
	}
}

// A value is split where each device holds a part of a dimension; a piece of another kind cannot be compared.
func TestSplitOf(t *testing.T) {
	shape := func(t hlo.Type, dims ...int64) *hlo.Shape { return &hlo.Shape{Type: t, Dims: dims} }
	for _, c := range []struct {
		whole, piece *hlo.Shape
		want         string
		ok           bool
	}{
		{shape(hlo.F32, 8, 4), shape(hlo.F32, 8, 4), "", true},
		{shape(hlo.F32, 8, 4), shape(hlo.F32, 2, 4), "[4,1]", true},
		{shape(hlo.F32, 7, 4), shape(hlo.F32, 2, 2), "[4,2]", true},
		{shape(hlo.F32, 8), shape(hlo.F32, 16), "", false},
		{shape(hlo.F32, 8), shape(hlo.F32, 0), "", false},
		{shape(hlo.F32, 8), shape(hlo.BF16, 8), "", false},
		{shape(hlo.F32, 8), shape(hlo.F32, 8, 1), "", false},
		{shape(hlo.Tuple), shape(hlo.Tuple), "", false},
	} {
		split, ok := splitOf(c.whole, c.piece)
		if got := splitText(split); ok != c.ok || ok && got != c.want {
			t.Errorf("%v of %v: %q, %v; wanted %q, %v", c.piece.Dims, c.whole.Dims, got, ok, c.want, c.ok)
		}
	}
}
