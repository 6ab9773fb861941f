package hlo

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/xlagate/xlagate/bench/chain"
)

// anewProto reads a proto without comparing its computations.
func anewProto(src []byte, file string) (*Module, error) {
	r := newProtoReader(src, file)
	err := caught(func() {
		body, parts := r.findModule()
		r.m.Name = r.m.Text(parts.name)
		r.findSequences(parts.schedule)
		r.prepare(parts.computations)
		r.computations.reset(len(parts.computations))
		for _, c := range parts.computations {
			w := r.gather(c)
			r.anew(c, &w)
		}
		r.rest(body, &parts)
		r.m.finish()
	})
	if err != nil {
		return nil, err
	}
	return r.m, nil
}

// checkRepeats tells how many computations have their instructions in common.
func checkRepeats(t *testing.T, name string, src []byte) int {
	t.Helper()
	want, wantErr := anewProto(src, name)
	got, err := ParseProto(src, name)
	common, commonErr := Reader{Compact: true}.Proto(src, name)
	for _, err := range []error{err, commonErr} {
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Fatalf("%s: compared with others %v, read anew %v", name, err, wantErr)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: read otherwise when its computations are compared with others", name)
	}
	if got == nil {
		return 0
	}
	checkRun(t, name, common)
	return checkCompact(t, name, src, got)
}

// checkRun holds what runs by itself to having instructions of its own.
func checkRun(t *testing.T, name string, m *Module) {
	t.Helper()
	own := func(c CompID) {
		if m.Original(c) != c {
			t.Fatalf("%s: %s runs by itself, but has the instructions of %s", name, m.CompName(c), m.CompName(m.Original(c)))
		}
	}
	own(m.Entry)
	for i := range m.Instrs {
		for _, c := range m.Callees(InstrID(i)) {
			if !m.Instrs[i].Opcode.isOnePiece() {
				own(c)
			}
		}
	}
}

// thrice is a module that has its computations three times, under other names and ids, one copy behind the other. What the entry
// computation does is not of interest.
func thrice(t testing.TB, name string) []byte {
	t.Helper()
	src := readFile(t, "pairs/"+name+".hlo.pb")
	var b bytes.Buffer
	if _, err := chain.Write(&b, src, 3*int64(len(src))); err != nil {
		return src
	}
	return b.Bytes()
}

// A proto is the same, whether its computations are compared with those before them or not; and so is what is said of one that is
// damaged.
func TestProtoRepeats(t *testing.T) {
	found := 0
	for _, name := range pairs(t) {
		src := thrice(t, name)
		random := rand.New(rand.NewPCG(uint64(len(src)), 3))
		found += checkRepeats(t, name, src)
		for range min(20, 300_000/len(src)) {
			damaged := bytes.Clone(src)
			damaged[random.IntN(len(damaged))] = damaged[random.IntN(len(damaged))]
			checkRepeats(t, name, damaged)
		}
	}
	if found == 0 {
		t.Error("no computations have instructions in common")
	}
}

// Whichever byte of a repeated computation is another: it is read as what it then says.
func TestProtoRepeatsByteByByte(t *testing.T) {
	src := thrice(t, "cpu_bounded")
	m, err := Reader{Compact: true}.Proto(src, "thrice")
	if err != nil {
		t.Fatal(err)
	}
	for c := range m.Comps {
		if m.Original(CompID(c)) == CompID(c) {
			continue
		}
		for at := m.Comps[c].Source.Start - 3; at < m.Comps[c].Source.End; at++ {
			for _, other := range []byte{src[at] ^ 1, src[at] - 1, src[at] ^ 0x80} {
				damaged := bytes.Clone(src)
				damaged[at] = other
				checkRepeats(t, "thrice", damaged)
			}
		}
	}
}

// The same holds for a schedule, and for computations that call others; a few bytes stand for all.
func TestScheduledProtoRepeats(t *testing.T) {
	src := thrice(t, "cpu_callback")
	m, common := compact(t, src, Reader{})
	if common == 0 || !slices.ContainsFunc(m.Comps, func(c Computation) bool { return c.calls > 0 }) {
		t.Fatal("no computations that call others have instructions in common")
	}
	for at := 0; at < len(src); at += 7 {
		damaged := bytes.Clone(src)
		damaged[at] ^= 1
		checkRepeats(t, "thrice", damaged)
	}
}
