package dump

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// nameProcesses tells modules apart that several processes wrote. With one process there is nothing to tell.
func nameProcesses(modules []*Module) {
	processes := map[string]bool{}
	for _, m := range modules {
		m.Process = processOf(m)
		processes[m.Process] = true
	}
	if len(processes) == 1 {
		for _, m := range modules {
			m.Process = ""
		}
	}
	nameRestarts(modules)
}

// processOf is the directory that a process wrote to. XLA can be told to write every module to a directory of its own,
// <module>/<host>_<pid>: then the process is the last of them.
func processOf(m *Module) string {
	parent := path.Dir(m.dir)
	if m.dir != "." && parent != "." && path.Base(parent) == sanitize(m.Name) {
		return path.Join(path.Dir(parent), path.Base(m.dir))
	}
	if m.dir == "." {
		return ""
	}
	return m.dir
}

// nameRestarts tells runs apart that wrote into one directory with time stamps: when a number comes again, a new run began.
func nameRestarts(modules []*Module) {
	byDir := map[string][]*Module{}
	for _, m := range modules {
		if m.stamp != "" {
			byDir[m.dir] = append(byDir[m.dir], m)
		}
	}
	for _, ms := range byDir {
		slices.SortFunc(ms, func(a, b *Module) int { return cmp.Compare(a.stamp, b.stamp) })
		runs := splitRuns(ms)
		for _, run := range runs {
			for _, m := range run {
				if len(runs) > 1 {
					m.Process = strings.TrimPrefix(m.Process+"/"+run[0].stamp, "/")
				}
			}
		}
	}
}

// splitRuns cuts modules in the order of their time stamps wherever a number comes again.
func splitRuns(modules []*Module) (runs [][]*Module) {
	start, seen := 0, map[int]bool{}
	for i, m := range modules {
		if seen[m.Number] {
			runs = append(runs, modules[start:i])
			start, seen = i, map[int]bool{}
		}
		seen[m.Number] = true
	}
	return append(runs, modules[start:])
}

// nameModules gives every module an ID that no other has.
func nameModules(modules []*Module) {
	count := map[string]int{}
	for _, m := range modules {
		m.ID = strings.TrimSuffix("module_"+m.digits+"."+m.Name, ".")
		count[m.ID]++
	}
	taken := map[string]bool{}
	for _, m := range modules {
		if count[m.ID] > 1 {
			m.ID = strings.TrimPrefix(m.Process+"/"+m.ID, "/")
		}
		for taken[m.ID] {
			m.ID += "'"
		}
		taken[m.ID] = true
	}
}

// mergeClones joins a module that was only dumped before its optimization with the clone of a higher number that was only
// dumped after it: a compiler that rewrites the whole module first (64-bit types on a TPU) goes on with a copy.
func mergeClones(modules []*Module) []*Module {
	var kept []*Module
	for _, m := range modules {
		if first := original(kept, m); first != nil {
			first.Stages = append(first.Stages, m.Stages...)
			first.Companions = append(first.Companions, m.Companions...)
			first.sortStages()
			continue
		}
		kept = append(kept, m)
	}
	return kept
}

// original is the earliest module that m may be the clone of.
func original(modules []*Module, m *Module) *Module {
	if m.Unoptimized() != nil || m.Stage(StageAfter) == nil {
		return nil
	}
	for _, first := range modules {
		if first.Name == m.Name && first.Process == m.Process && first.Number < m.Number && first.Stage(StageAfter) == nil && first.Unoptimized() != nil {
			return first
		}
	}
	return nil
}

// setThrowawayApart moves the modules that the autotuner tried out: they have pass dumps only, while others have more. Where no module is
// final, the back end dumps none.
func (d *Dump) setThrowawayApart() {
	whole := func(m *Module) bool { return m.Stage(StageAfter) != nil || m.Unoptimized() != nil }
	if !slices.ContainsFunc(d.Modules, func(m *Module) bool { return m.Stage(StageAfter) != nil }) {
		return
	}
	var kept []*Module
	for _, m := range d.Modules {
		if whole(m) {
			kept = append(kept, m)
		} else {
			d.Throwaway = append(d.Throwaway, m)
		}
	}
	d.Modules = kept
}
