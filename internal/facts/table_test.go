package facts

import (
	"testing"
)

// Every fact has one row of the table, with what docs/facts.md says of it, and every row that names another fact names one of the table.
func TestTable(t *testing.T) {
	for i := range Table {
		f := &Table[i]
		if f.Doc == "" || f.From == "" || rows[f.ID] != f {
			t.Errorf("%s has no text, no origin or a second row", f.ID)
		}
		if w := f.Weighted; w != "" && (rows[w] == nil || rows[w].Unit != f.Unit) {
			t.Errorf("%s names %s, which has no row or another unit", f.ID, w)
		}
	}
}

func TestFamilies(t *testing.T) {
	for _, c := range []struct {
		family Family
		id     ID
		member string
	}{
		{KernelKind, "kernels.loop", "loop"}, {KernelKind, "kernels.total", ""}, {KernelKind, "fusions.loop", ""}, {KernelKind, "kernels.", ""},
		{CollectiveCount, "collectives.all-gather.count", "all-gather"}, {CollectiveCount, "collectives.all-gather.bytes", ""},
		{CollectiveBytes, "collectives.all-gather.bytes", "all-gather"}, {CustomCall, "custom_calls.__onednn$matmul", "__onednn$matmul"},
		{MemorySpace, "memory.spaces.vmem", "vmem"}, {ProductType, "products.total", ""}, {Family(KernelsTotal), "kernels.total", ""},
	} {
		member, ok := c.family.Member(c.id)
		if member != c.member || ok != (c.member != "") {
			t.Errorf("%s of %s is %q, %v; wanted %q", c.family, c.id, member, ok, c.member)
		}
		if ok && c.family.Of(member) != c.id {
			t.Errorf("%s spells %s as %s", c.family, member, c.family.Of(member))
		}
	}
	for id, unit := range map[ID]string{"memory.spaces.hbm": "bytes", "collectives.all-gather.bytes": "bytes", "price.step_ns": "nanoseconds", "kernels.dot": "", "unknown": ""} {
		if got := About(id).Unit; got != unit {
			t.Errorf("%s is counted in %q, wanted %q", id, got, unit)
		}
	}
}
