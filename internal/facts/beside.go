package facts

import (
	"slices"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// beside is what belongs to no one module: TensorFlow's graphs, logs and profiles.
type beside struct {
	Clusters *tensorflow.Clusters
	Logs     *tensorflow.Logs
	Profiles []profiled // nil when there are none
	Problems []Problem
}

func readBeside(d *dump.Dump, opts Options) *beside {
	graphs, logs := frameworkFiles(d)
	logs = append(logs, outside(logs, opts.Logs, dump.Limit(opts.MaxMemory))...)
	b := &beside{}
	clusters, said, wrong := tensorflow.Read(graphs, logs, moduleIDs(d))
	b.Clusters, b.Logs = clusters, said
	for _, p := range wrong {
		b.Problems = append(b.Problems, Problem{File: p.File, Message: p.Message, Fix: p.Fix})
	}
	profiles, problems := readProfiles(d, opts)
	b.Profiles, b.Problems = profiles, append(b.Problems, problems...)
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
	r.Clusters, r.Logs = b.Clusters, b.Logs
	r.Problems = append(r.Problems, b.Problems...)
	r.spilled()
	if b.Profiles == nil {
		return
	}
	l := newHotList(slices.Concat(r.Programs, r.Helpers))
	for _, p := range b.Profiles {
		l.add(p.File, p.Trace)
	}
	r.Profile = l.list()
}
