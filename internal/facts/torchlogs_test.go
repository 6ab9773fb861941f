package facts

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// What PyTorch/XLA compiled is counted once, by its own counter where a log has it, whatever is read first.
func TestTorchCompilesAreCountedOnce(t *testing.T) {
	d := opened(t, "../../testdata/torch-rows/watched.tar.xz")
	logs := map[string]*dump.File{}
	_, files := frameworkFiles(d)
	for _, f := range files {
		logs[strings.TrimSuffix(f.Path[len(d.Path)+1:], ".txt")] = f
	}
	for order, want := range map[string]int{
		"metrics": 3, "reasons": 3, "metrics reasons": 3, "reasons metrics": 3,
		"reasons reasons": 3, // of two processes: the same graphs
		"metrics metrics": 6, "reasons metrics reasons metrics": 6,
	} {
		var files []*dump.File
		for _, name := range strings.Fields(order) {
			files = append(files, logs[name])
		}
		left := tensorflow.Read(nil, files, nil)
		if got := left.Logs.Compiles[tensorflow.NamelessGraph]; got != want || len(left.Problems) > 0 {
			t.Errorf("%s: %d compilations, wanted %d; %v", order, got, want, left.Problems)
		}
	}
}
