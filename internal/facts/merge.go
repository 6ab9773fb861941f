package facts

import (
	"fmt"
	"slices"
)

// Merge joins the reports of several dumps of one run: programs by name, equal variants by content. The reports must not be
// used afterwards.
func Merge(reports []*Report) *Report {
	if len(reports) == 1 {
		return reports[0]
	}
	all := &Report{}
	for i, r := range reports {
		if i > 0 {
			all.Dump += ", "
		}
		all.Dump += r.Dump
		all.Toolchain.merge(r.Toolchain)
		all.Programs = mergePrograms(all.Programs, r.Programs, r.Dump)
		all.Helpers = mergePrograms(all.Helpers, r.Helpers, r.Dump)
		all.Modules = append(all.Modules, r.Modules...)
		all.Drawings = append(all.Drawings, r.Drawings...)
		all.Passes = append(all.Passes, r.Passes...)
		all.Profile = all.Profile.merge(r.Profile)
		all.Problems = append(all.Problems, r.Problems...)
		all.Ignored = append(all.Ignored, r.Ignored...)
		all.Clusters = all.Clusters.Merge(r.Clusters)
		all.Logs = all.Logs.Merge(r.Logs)
		all.releases = append(all.releases, r.releases...)
	}
	all.Programs, all.Helpers = sorted(all.Programs), sorted(all.Helpers)
	markMain(all.Programs)
	return all
}

func mergePrograms(programs, more []*Program, dump string) []*Program {
	for _, p := range more {
		p.Main = false
		at := slices.IndexFunc(programs, func(q *Program) bool { return q.Name == p.Name })
		if at < 0 {
			programs, at = append(programs, &Program{Name: p.Name}), len(programs)
		}
		for _, v := range p.Variants {
			for i := range v.Compiles {
				v.Compiles[i].Run = dump + " " + v.Compiles[i].Run
			}
			programs[at].add(v)
		}
		programs[at].settle()
	}
	return programs
}

// Samples joins the reports of n independent compiles of the same source, whether they lie in one dump or in several, and marks
// the facts that differ between them as unstable.
func Samples(reports []*Report, n int) (*Report, error) {
	all := Merge(reports)
	runs := map[string]bool{}
	for _, p := range all.Programs {
		p.joinSamples()
		for _, v := range p.Variants {
			for _, c := range v.Compiles {
				runs[c.Run] = true
			}
			v.Unstable = v.unstable()
		}
	}
	if len(runs) != n {
		return nil, fmt.Errorf("independent compiles in it: %d, but the target says samples: %d", len(runs), n)
	}
	all.Samples = n
	return all, nil
}

// joinSamples makes one variant of those with the same signature of which no sample holds two: what was lowered came out otherwise
// each time, an iteration over a set in the model's source for one.
func (p *Program) joinSamples() {
	var joined []*Variant
	for _, v := range p.Variants {
		at := slices.IndexFunc(joined, func(w *Variant) bool { return w.Signature == v.Signature && !w.sharesRun(v) })
		if at < 0 {
			joined = append(joined, v)
			continue
		}
		w := joined[at]
		w.Compiles, w.InputVaries = append(w.Compiles, v.Compiles...), w.InputVaries || w.InputPrint != v.InputPrint
	}
	p.Variants = joined
	p.settle()
}

func (v *Variant) sharesRun(w *Variant) bool {
	return slices.ContainsFunc(v.Compiles, func(a compile) bool {
		return slices.ContainsFunc(w.Compiles, func(b compile) bool { return a.Run == b.Run })
	})
}

// unstable lists the facts that differ between the variant's compiles, by name.
func (v *Variant) unstable() []string {
	differs := map[ID]bool{}
	for _, c := range v.Compiles {
		for name, value := range c.Facts {
			if other, ok := v.Facts[name]; !ok || other != value {
				differs[name] = true
			}
		}
		for name := range v.Facts {
			if _, ok := c.Facts[name]; !ok && !name.IsPrice() {
				differs[name] = true
			}
		}
	}
	var names []string
	for id := range differs {
		names = append(names, string(id))
	}
	slices.Sort(names)
	return names
}
