package hlo

import "testing"

// Instructions with equal metadata have one MetadataID, whatever their scheduling names, and others have different ones.
func TestMetadataIDs(t *testing.T) {
	for _, name := range []string{"pairs/gpu_shardmap.txt", "pairs/gpu_shardmap.hlo.pb", "pairs/gpu_pallas.txt", "pairs/cpu_mesh.hlo.pb"} {
		m, err := Parse(readFile(t, name), name)
		if err != nil {
			t.Fatal(err)
		}
		numbers := map[Metadata]MetadataID{}
		for i := range m.Instrs {
			md, id := m.Metadata(InstrID(i)), m.MetadataID(InstrID(i))
			if md == (Metadata{}) {
				continue // none, or nothing but a scheduling name
			}
			if first, known := numbers[md]; known && first != id {
				t.Errorf("%s: %s has the metadata %d, another that says the same %d", name, m.InstrName(InstrID(i)), id, first)
			}
			numbers[md] = id
		}
		if len(numbers) < 2 || len(numbers) == len(m.Instrs) {
			t.Errorf("%s: %d instructions have %d numbers", name, len(m.Instrs), len(numbers))
		}
		for md, id := range numbers {
			if again := m.MetadataByID(id); again != md {
				t.Errorf("%s: metadata %d is %v and %v", name, id, md, again)
			}
		}
	}
}
