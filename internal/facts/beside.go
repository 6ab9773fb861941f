package facts

import (
	"slices"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// beside is what belongs to no one module: TensorFlow's graphs, logs and profiles.
type beside struct {
	clusters *tensorflow.Clusters
	logs     *tensorflow.Logs
	profiles []profiled // nil when there are none
	problems []Problem
}

func readBeside(d *dump.Dump, opts Options) *beside {
	graphs, logs := frameworkFiles(d)
	logs = append(logs, outside(logs, opts.Logs, dump.Limit(opts.MaxMemory))...)
	b := &beside{}
	clusters, said, wrong := tensorflow.Read(graphs, logs, moduleIDs(d))
	b.clusters, b.logs = clusters, said
	for _, p := range wrong {
		b.problems = append(b.problems, Problem{File: p.File, Message: p.Message, Fix: p.Fix})
	}
	profiles, problems := readProfiles(d, opts)
	b.profiles, b.problems = profiles, append(b.problems, problems...)
	return b
}

// besideSize is how much of that there is in the dump.
func besideSize(d *dump.Dump) int64 {
	var size int64
	for _, f := range slices.Concat(d.Graphs, d.Logs, d.Traces) {
		size += f.Size
	}
	return size
}

// lay lays it beside the programs.
func (r *Report) lay(b *beside) {
	r.Clusters, r.Logs = b.clusters, b.logs
	r.Problems = append(r.Problems, b.problems...)
	r.spilled()
	if b.profiles == nil {
		return
	}
	l := newHotList(slices.Concat(r.Programs, r.Helpers))
	for _, p := range b.profiles {
		l.add(p.file, p.trace)
	}
	r.Profile = l.list()
}
