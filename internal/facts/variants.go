package facts

import "slices"

// group puts the compiles of one program together, and equal compiles into one variant, in order of first compilation.
func group(results []*measurement) (programs, helpers []*Program) {
	byName, names := map[string]*Program{}, graphNames{}
	for _, m := range results {
		if m.Variant == nil {
			continue
		}
		name := names.of(m)
		p := byName[name]
		if p == nil {
			p = &Program{Name: name}
			byName[name] = p
			if m.Helper {
				helpers = append(helpers, p)
			} else {
				programs = append(programs, p)
			}
		}
		p.add(m.Variant)
	}
	for _, p := range slices.Concat(programs, helpers) {
		p.settle()
	}
	return programs, helpers
}

// compile is one time that a variant was compiled.
type compile struct {
	Run    string // the process that did it
	Module string // the dump's ID of the module
	Name   string // the module's own name
	Facts  Values
}

// settle tells compiles for nothing from legitimate repetitions. Every process of a run compiles the program for itself, and
// TensorFlow compiles one trace, told by its number, once a device; only what one process compiled again counts.
func (p *Program) settle() {
	for _, v := range p.Variants {
		run := v.busiestRun()
		v.Modules, v.Elsewhere = nil, nil
		seen := map[string]bool{}
		for _, c := range v.Compiles {
			replica := frameworkOf(c.Name) == "tensorflow" && seen[c.Name]
			seen[c.Name] = true
			if c.Run == run && !replica {
				v.Modules = append(v.Modules, c.Module)
			} else {
				v.Elsewhere = append(v.Elsewhere, c.Module)
			}
		}
	}
}

// busiestRun is the process that compiled the variant most often, the first of them on a tie.
func (v *Variant) busiestRun() string {
	count := map[string]int{}
	busiest := ""
	for i, c := range v.Compiles {
		if count[c.Run]++; i == 0 || count[c.Run] > count[busiest] {
			busiest = c.Run
		}
	}
	return busiest
}

// add joins a compile with the variant that it repeats, or appends it as a new one.
func (p *Program) add(v *Variant) {
	for _, old := range p.Variants {
		if old.repeatedBy(v) {
			old.Compiles = append(old.Compiles, v.Compiles...)
			return
		}
	}
	fresh := *v // what was measured of one module stays as it is
	fresh.Compiles = slices.Clone(v.Compiles)
	p.Variants = append(p.Variants, &fresh)
}

// repeatedBy says whether v is the same compile again: the same arguments, and the same program before optimization or, where
// that was not dumped, after.
func (v *Variant) repeatedBy(w *Variant) bool {
	if v.Signature != w.Signature || !slices.EqualFunc(v.Params, w.Params, sameArgument) {
		return false
	}
	if v.InputPrint != "" && w.InputPrint != "" {
		return v.InputPrint == w.InputPrint
	}
	return v.Fingerprint == w.Fingerprint
}

func sameArgument(a, b Parameter) bool {
	return a.Layout == b.Layout && a.Sharding == b.Sharding && a.Aliased == b.Aliased && a.Donated == b.Donated
}
