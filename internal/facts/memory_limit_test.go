package facts

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
)

// Units are counted while they are in the middle of their work: together they never take more than there is, and one that is too large
// has nobody beside it.
func TestReadLimitIsKept(t *testing.T) {
	const limit = baseMemory + 1000
	var taken, beside, large atomic.Int64
	var said []string
	var work []unit
	for i := range 200 {
		name, heavy := "u", int64(1+i%7*100)
		if i%50 == 25 {
			name, heavy = "large", 5000
		}
		u := unit{name: name, weigh: func() int64 { return heavy }}
		u.measure = func() *measuring {
			defer beside.Add(-1)
			if n := beside.Add(1); u.name == "large" && (n != 1 || large.Add(1) == 0) {
				t.Errorf("%d units beside one that is too large", n-1)
			}
			defer taken.Add(-min(heavy, 1000))
			if n := taken.Add(min(heavy, 1000)); n > 1000 {
				t.Errorf("%d taken of 1000", n)
			}
			return &measuring{}
		}
		work = append(work, u)
	}
	_, err := measureUnits(context.Background(), work, Options{Jobs: 8, MaxMemory: limit, Warn: func(s string) { said = append(said, s) }})
	if err != nil || large.Load() != 4 || len(said) != 1 || !strings.HasSuffix(said[0], "read by itself, like 3 more") || !strings.HasPrefix(said[0], "large takes about 32.0 MiB to read, more than") {
		t.Errorf("%v; %d large ones, said %q", err, large.Load(), said)
	}
}

// A limit that nothing fits into changes nothing that is found.
func TestLimitChangesNothing(t *testing.T) {
	for _, path := range []string{"../../testdata/dumps/passes.tar.xz", "../../testdata/recompile-shapes/dump.tar.xz", "../../examples/quickstart/good"} {
		var reports []*Report
		for _, limit := range []int64{0, 1, baseMemory + 4<<10} {
			d, err := dump.Open(context.Background(), path, dump.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Measure(context.Background(), d, Options{AllStages: true, MaxMemory: limit})
			if err != nil || d.Close() != nil || len(r.Programs) == 0 {
				t.Fatal(err)
			}
			reports = append(reports, r)
		}
		if !reflect.DeepEqual(reports[0], reports[1]) || !reflect.DeepEqual(reports[0], reports[2]) {
			t.Errorf("%s: another report with a limit", path)
		}
	}
}

func TestWeight(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, 10), 0o600); err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[dump.Kind]int64{dump.KindHLOText: 30, dump.KindHLOProto: 40, dump.KindBufferAssignment: 20} {
		f := dump.FileAt(path, 0)
		f.Kind = kind
		if got := weight(f); got != want {
			t.Errorf("%s: %d, wanted %d", kind, got, want)
		}
	}
}

// A run that is ended in the middle of a large module does not wait for it.
func TestMeasuringIsLeft(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	large := make(chan struct{})
	defer close(large)
	work := []unit{{measure: func() *measuring {
		stop()
		<-large
		return &measuring{}
	}}}
	if _, err := measureUnits(ctx, work, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, wanted that it was interrupted", err)
	}
}

// A run that is ended says so.
func TestMeasuringIsInterrupted(t *testing.T) {
	d, err := dump.Open(context.Background(), "../../testdata/recompile-shapes/dump.tar.xz", dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Measure(ctx, d, Options{Jobs: 1}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
