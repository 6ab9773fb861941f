package facts

import (
	"bytes"
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/xlagate/xlagate/internal/dump"
)

var shareDumps = []string{
	"../../testdata/recompile-eager_helpers/dump.tar.xz", "../../testdata/recompile-static_args/dump.tar.xz", "../../testdata/dumps/profiled.tar.xz",
	"../../testdata/dumps/passes.tar.xz", "../../testdata/dumps/tf-2.12.tar.xz", "../../testdata/tf-clusters-train/dump.tar.xz",
	"../../testdata/damaged/cut_off_text", "../../testdata/damaged/empty_file", "testdata/torch-xla-mlp.tar.gz",
	"../dump/testdata/subfolder.tar.xz", "../dump/testdata/tf-stdout.log.xz", "../dump/testdata/dot-only.tar.xz",
}

func opened(t *testing.T, path string) *dump.Dump {
	t.Helper()
	d, err := dump.Open(context.Background(), path, dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func shareOf(t *testing.T, d *dump.Dump, opts Options, index, count int) *Share {
	t.Helper()
	share, err := MeasureShare(context.Background(), d, opts, dump.NewDealer(dump.Shard{Index: index, Count: count}))
	if err != nil {
		t.Fatal(err)
	}
	return share
}

func sent(t *testing.T, s *Share) *Share {
	t.Helper()
	data, err := PackShares([]*Share{s})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := PackShares([]*Share{s}); err != nil || !bytes.Equal(again, data) {
		t.Error("packing twice gives other bytes")
	}
	back, err := UnpackShares(data)
	if err != nil {
		t.Fatal(err)
	}
	return back[0]
}

// However a dump is cut, the parts join into the same report, and each module is read by one part only.
func TestSharesJoin(t *testing.T) {
	for i, path := range shareDumps {
		opts := Options{AllStages: i%2 == 0, Passes: i%2 == 0}
		d := opened(t, path)
		whole, err := Measure(context.Background(), d, opts)
		if err != nil {
			t.Fatal(err)
		}
		want := digest(t, whole)
		for _, count := range []int{1, 2, 5} {
			var shares []*Share
			for index := range count {
				shares = append(shares, sent(t, shareOf(t, d, opts, index, count)))
			}
			joined, err := Join(shares)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, digest(t, joined)); diff != "" {
				t.Errorf("%s in %d parts:\n%s", path, count, diff)
			}
		}
	}
}

func TestSharesThatDoNotJoin(t *testing.T) {
	d := opened(t, shareDumps[0])
	two := func(index int) *Share { return shareOf(t, d, Options{}, index, 2) }
	other := shareOf(t, opened(t, shareDumps[1]), Options{}, 1, 2)
	foreign := two(1)
	foreign.Units[0].At = 1000
	for what, shares := range map[string][]*Share{
		"one is missing": {two(0)}, "the other is missing": {two(1)}, "one is there twice": {two(0), two(1), two(1)},
		"another dump": {two(0), other}, "a module of none": {two(0), foreign},
	} {
		if _, err := Join(shares); err == nil {
			t.Errorf("%s: joined", what)
		}
	}
	for _, data := range [][]byte{nil, {1, 2}, []byte("\x1f\x8b")} {
		if _, err := UnpackShares(data); err == nil {
			t.Errorf("%q was unpacked", data)
		}
	}
}
