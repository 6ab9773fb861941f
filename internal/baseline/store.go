package baseline

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// Save writes the files of programs, and returns the names of those that changed. Lines that stay are left as they are; the first new one gets the reason.
func Save(e *Edit, target, reason string, programs ...*Program) (written []string) {
	names := phrase.Map(programs, func(p *Program) string { return path.Join(target, FileName(p.Name)) })
	texts := make([][]byte, len(programs))
	inParallel(len(programs), func(i int) {
		old, _ := read(e, names[i]) // one that cannot be read is replaced
		texts[i] = Format(programs[i], old, reason)
	})
	for i, name := range names {
		if e.Put(name, texts[i]) {
			written = append(written, name)
		}
	}
	return written
}

// FormatAll returns the files of programs that have none yet.
func FormatAll(programs []*Program) [][]byte {
	texts := make([][]byte, len(programs))
	inParallel(len(programs), func(i int) { texts[i] = Format(programs[i], nil, "") })
	return texts
}

// inParallel calls a function for each of n files, several at a time: those of thousands of programs are tens of megabytes.
func inParallel(n int, do func(i int)) {
	var doing errgroup.Group
	doing.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		doing.Go(func() error {
			return dump.Guard(func() error { do(i); return nil })
		})
	}
	if defect := doing.Wait(); defect != nil {
		panic(defect) // which the caller recovers, as if it had done all by itself
	}
}

// SaveGraphs writes the facts of a target's graphs, and returns the name of their file if it changed.
func SaveGraphs(e *Edit, target string, graphs facts.Values) (written []string) {
	if name := path.Join(target, graphsFile); e.Put(name, formatGraphs(graphs)) {
		written = []string{name}
	}
	return written
}

// RemoveTarget removes the files of a target, and returns their names.
func RemoveTarget(e *Edit, target string) ([]string, error) {
	entries, err := fs.ReadDir(e, target)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if !entry.IsDir() && ours(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return Remove(e, target, names...)
}

// Remove removes files of a target's folder, and returns their names.
func Remove(e *Edit, target string, files ...string) (removed []string, err error) {
	for _, file := range files {
		name := path.Join(target, file)
		if err := e.Remove(name); err != nil {
			return removed, err
		}
		removed = append(removed, name)
	}
	return removed, nil
}

// ErrEdited reports that a file can be read, but is not in the form that accept writes.
var ErrEdited = errors.New("not as xlagate accept writes it: it was edited, renamed or merged by hand; accept again")

// Verify reads every file of a store, and returns their number and all errors.
func Verify(store fs.FS) (files int, wrong []error, err error) {
	targets, err := Targets(store)
	for _, target := range targets {
		set, err := Read(store, target)
		if err != nil {
			return files, append(wrong, err), nil
		}
		for _, d := range set.Damaged {
			files, wrong = files+1, append(wrong, d.Err)
		}
		if set.Graphs != nil {
			name := path.Join(target, graphsFile)
			files, wrong = files+1, append(wrong, canonical(store, name, func([]byte) []byte { return formatGraphs(set.Graphs) })...)
		}
		for _, p := range set.Programs {
			name := path.Join(target, FileName(p.Name))
			files, wrong = files+1, append(wrong, canonical(store, name, func(old []byte) []byte { return Format(p, old, "") })...)
		}
	}
	return files, wrong, err
}

// canonical returns an error for a file that accept would write differently or under another name.
func canonical(store fs.FS, name string, format func(old []byte) []byte) []error {
	data, err := read(store, name)
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	if err != nil || !bytes.Equal(data, format(data)) {
		return []error{fmt.Errorf("%s: %w", name, ErrEdited)}
	}
	return nil
}

// GraphFacts returns the stored facts of TensorFlow's graphs: the collectives outside of XLA, by kind; and, if autoclustering
// ran, the numbers of clusters and clustered operations, of operations outside of clusters, by kind, and of those on each device. It returns nil if there are no graphs.
func GraphFacts(c *tensorflow.Clusters) facts.Values {
	if c == nil || !c.Ran && c.Graphs == 0 && len(c.Collectives) == 0 {
		return nil
	}
	n := facts.Values{facts.CollectivesOutsideXLA: float64(len(c.Collectives))}
	for _, op := range c.Collectives {
		n[facts.OutsideCollective.Of(op.Kind)]++
	}
	if !c.Ran {
		return n
	}
	n[facts.ClustersCount], n[facts.ClustersClustered], n[facts.ClustersUnclustered] = float64(len(c.Clusters)), float64(c.Clustered), 0
	for _, op := range c.UserOps() {
		n[facts.ClustersUnclustered]++
		n[facts.UnclusteredOp.Of(op.Op)]++
	}
	for device, ops := range c.Placed {
		n[facts.PlacedOn.Of(device)] = float64(len(ops))
	}
	return n
}

// formatGraphs writes the facts of a target's graphs.
func formatGraphs(n facts.Values) []byte {
	w := newWriter()
	w.add(record{Baseline: &headRecord{Schema: Schema}})
	for _, id := range sortedKeys(n) {
		w.add(record{Fact: map[facts.ID]*float64{id: new(n[id])}})
	}
	w.end(endFacts)
	w.end(endBaseline)
	return w.text()
}

// clustersOf converts the facts back into clusters.
func clustersOf(n facts.Values) *tensorflow.Clusters {
	if n == nil {
		return nil
	}
	_, ran := n[facts.ClustersCount]
	c := &tensorflow.Clusters{Ran: ran, Clustered: int(n[facts.ClustersClustered]),
		Clusters: make([]tensorflow.Cluster, int(n[facts.ClustersCount])), Placed: tensorflow.Placement{}}
	for _, k := range sortedKeys(n) {
		if op, ok := facts.UnclusteredOp.Member(k); ok {
			c.Unclustered = append(c.Unclustered, slices.Repeat([]tensorflow.UnclusteredOp{{Op: op}}, int(n[k]))...)
		}
		if device, ok := facts.PlacedOn.Member(k); ok {
			c.Placed[device] = make([]tensorflow.PlacedOp, int(n[k]))
		}
		if kind, ok := facts.OutsideCollective.Member(k); ok {
			c.Collectives = append(c.Collectives, slices.Repeat([]tensorflow.Collective{{Kind: kind}}, int(n[k]))...)
		}
	}
	return c
}
