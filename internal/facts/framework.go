package facts

import (
	"os"
	"slices"

	"github.com/xlagate/xlagate/internal/dump"

	"github.com/xlagate/xlagate/internal/tensorflow"
)

// frameworkFiles picks what the framework left in a dump: graphs with their stack traces, and what counts as a log.
func frameworkFiles(d *dump.Dump) (graphs, logs []tensorflow.File) {
	graphs, logs = filesOf(d.Graphs), filesOf(d.Logs)
	for _, f := range d.Other {
		switch f.Kind {
		case dump.KindOpStacks:
			graphs = append(graphs, filesOf([]*dump.File{f})...)
		case dump.KindMLIR:
			if _, ok := tensorflow.ParseName(f.Path); ok { // a graph in TensorFlow's own dialect, which is refused by name
				graphs = append(graphs, filesOf([]*dump.File{f})...)
			}
		case dump.KindTorchMetrics, dump.KindTensorsGraph, dump.KindTorchReasons:
			logs = append(logs, filesOf([]*dump.File{f})...)
		}
	}
	return graphs, logs
}

// outside makes the logs readable that lie outside of the dump. One that lies in it, or is named twice, is read once.
func outside(inside []tensorflow.File, paths []string, limit dump.Limit) []tensorflow.File {
	var seen []os.FileInfo
	for _, f := range inside {
		if info, err := os.Stat(f.Path); err == nil {
			seen = append(seen, info)
		}
	}
	var logs []tensorflow.File
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && slices.ContainsFunc(seen, func(other os.FileInfo) bool { return os.SameFile(info, other) }) {
			continue
		}
		if err == nil {
			seen = append(seen, info)
		}
		logs = append(logs, tensorflow.FileAt(path, limit)) // what cannot be found is told when it is read
	}
	return logs
}
