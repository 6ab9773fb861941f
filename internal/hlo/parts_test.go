package hlo

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/xlagate/xlagate/bench/chain"
)

// inParts reads in many parts, all at once.
func inParts() Reader {
	return Reader{Hands: 8, partSize: 500, Share: func(n int, do func(int)) error {
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() { do(i) })
		}
		all.Wait()
		return nil
	}}
}

// A module is the same, whether it is read in one piece or in parts; and so is what is said of one that is damaged.
func TestParts(t *testing.T) {
	names := append(fixtures(t, "text/*/*.txt"), fixtures(t, "text/styles/*/*.txt")...)
	for _, name := range names {
		checkParts(t, name, readFile(t, name+".txt"), ParseText, inParts().Text)
	}
	for _, name := range pairs(t) {
		checkParts(t, name, readFile(t, "pairs/"+name+".hlo.pb"), ParseProto, inParts().Proto)
	}
}

// What can be read in parts is not read in one piece after all.
func TestPartsAreJoined(t *testing.T) {
	joined := 0
	for _, name := range fixtures(t, "text/real/*.txt") {
		m, err := inParts().textParts(readFile(t, name+".txt"), name)
		if m == nil || err != nil {
			t.Fatalf("%s is read in one piece: %v", name, err)
		}
		if len(m.Comps) > 1 {
			joined++
		}
	}
	if joined < 10 {
		t.Errorf("only %d modules have computations to be joined", joined)
	}
}

func checkParts(t *testing.T, name string, src []byte, whole, parts func([]byte, string) (*Module, error)) {
	t.Helper()
	random := rand.New(rand.NewPCG(uint64(len(src)), 1))
	for try := range 8 {
		if try > 0 {
			src[random.IntN(len(src))] = "{}()%,= \n\"x\x00"[random.IntN(12)]
		}
		want, wantErr := whole(src, name)
		got, err := parts(src, name)
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Fatalf("%s, try %d: in parts %v, in one piece %v", name, try, err, wantErr)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s, try %d: read otherwise in parts", name, try)
		}
	}
}

// A module that repeats itself has as much in common when there are several hands to read it.
func TestPartsInCommon(t *testing.T) {
	for _, name := range []string{"text/real/jax0102_mlp_cpu.txt", "pairs/gpu_shardmap.hlo.pb"} {
		var src bytes.Buffer
		if _, err := chain.Write(&src, readFile(t, name), 1e6); err != nil {
			t.Fatal(err)
		}
		_, want := compact(t, src.Bytes(), Reader{})
		if _, got := compact(t, src.Bytes(), inParts()); got != want || want == 0 {
			t.Errorf("%s: %d computations have their instructions in common, want %d", name, got, want)
		}
	}
}

// A brace at the beginning of a line need not end a computation.
func TestPartsOfOddText(t *testing.T) {
	comp := "%c {\n %p = f32[2] parameter(0)\n %q = f32[2] custom-call(%p), backend_config=\"\n}\n%c {\n \"\n}\n"
	var src strings.Builder
	src.WriteString("HloModule m\n")
	for range 40 {
		src.WriteString(strings.ReplaceAll(comp, "%c", "%c"+strings.Repeat("x", src.Len()/100)))
	}
	src.WriteString("ENTRY %e {\n %p = f32[2] parameter(0)\n}\n")
	checkParts(t, "odd", []byte(src.String()), ParseText, inParts().Text)
}

// The error of who shares the work out is that of the reading.
func TestPartsNotRead(t *testing.T) {
	lost := errors.New("lost")
	r := Reader{Hands: 8, partSize: 500, Share: func(int, func(int)) error { return lost }}
	if m, err := r.Text(readFile(t, "text/real/h100_shardmap.txt"), "t"); m != nil || !errors.Is(err, lost) {
		t.Errorf("text: %v, %v", m, err)
	}
	if m, err := r.Proto(readFile(t, "pairs/gpu_shardmap.hlo.pb"), "t"); m != nil || !errors.Is(err, lost) {
		t.Errorf("proto: %v, %v", m, err)
	}
}
