package dump

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// nameProcesses sets the process of every module if several processes wrote to the dump.
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

// processOf returns the directory that a process wrote to. A flag makes XLA write every module to a separate directory,
// <module>/<host>_<pid>: then the process is the last of them.
func processOf(m *Module) string {
	parent := path.Dir(m.Dir)
	if m.Dir != "." && parent != "." && path.Base(parent) == sanitize(m.Name) {
		return path.Join(path.Dir(parent), path.Base(m.Dir))
	}
	if m.Dir == "." {
		return ""
	}
	return m.Dir
}

// nameRestarts separates runs that wrote into one directory with time stamps: a repeated number begins a new run.
func nameRestarts(modules []*Module) {
	byDir := map[string][]*Module{}
	for _, m := range modules {
		if m.Stamp != "" {
			byDir[m.Dir] = append(byDir[m.Dir], m)
		}
	}
	for _, ms := range byDir {
		slices.SortFunc(ms, func(a, b *Module) int { return cmp.Compare(a.Stamp, b.Stamp) })
		runs := splitRuns(ms)
		for _, run := range runs {
			for _, m := range run {
				if len(runs) > 1 {
					m.Process = strings.TrimPrefix(m.Process+"/"+run[0].Stamp, "/")
				}
			}
		}
	}
}

// splitRuns splits modules, ordered by time stamp, before each repeated number.
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

// nameModules gives every module a unique ID.
func nameModules(modules []*Module) {
	count := map[string]int{}
	for _, m := range modules {
		m.ID = strings.TrimSuffix("module_"+m.Digits+"."+m.Name, ".")
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

// mergeClones joins a module that was dumped only before its optimization with a clone of a higher number that was dumped only
// after it: a compiler that rewrites the whole module first (64-bit types on a TPU) compiles a copy.
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

// original returns the earliest module that m may be a clone of.
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

// setThrowawayApart moves the autotuner's candidates to Throwaway: they have only pass dumps, while others have more. If no module is
// final, the back end dumps no final modules.
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
