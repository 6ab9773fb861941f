package gate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// brokenLimit names a limit that a finding breaks, the same from commit to commit: the program, its variant as the baseline has it, and what is checked.
type brokenLimit struct{ program, variant, limit string }

// limitBrokenBy names the limit of a finding.
func limitBrokenBy(f *result.Finding, program string) brokenLimit {
	subject, _, _ := strings.Cut(f.Subject, shareOf)
	at := brokenLimit{program: program, limit: strings.TrimSpace(f.Rule + " " + subject)}
	if signature := cmp.Or(f.Was, f.Variant); signature != "" {
		at.variant = result.ID(signature)
	}
	return at
}

// ceilings returns the ceilings of the changes that are accepted by their ids, by the program whose baseline holds them: the change's own, or the first that has
// a baseline, or gets one. They take the place of older ones of the changes whose ids are replaced.
func (in *candidate) ceilings(a AcceptOptions) (ceilings map[string][]baseline.Ceiling, replaced map[string]bool, err error) {
	ceilings, replaced = map[string][]baseline.Ceiling{}, map[string]bool{}
	names := in.names()
	for _, c := range in.changesOf(a.Only) {
		if c.Accept == "" {
			return nil, nil, UsageError{fmt.Sprintf("change %s cannot be accepted: %s; fix it, or leave the program out with programs.exclude", c.ID, c.Title)}
		}
		if replaced[c.ID] {
			continue
		}
		ids := in.idsOf(&c)
		maps.Copy(replaced, ids)
		most := in.broken(ids)
		for _, old := range in.old.Ceilings() {
			if old.IsOf(ids) { // what a program had when it was accepted stays allowed, whatever changes in it
				most = append(most, phrase.Filter(old.Most, func(m baseline.Allowed) bool {
					return m.Any && in.accepted(m.Program) != nil && !in.isWhole(m.Program)
				})...)
			}
		}
		programs := append(c.Programs(), names...)
		at := slices.IndexFunc(programs, func(name string) bool { return in.accepted(name) != nil && in.fresh[name] != nil })
		if at < 0 {
			at = slices.IndexFunc(programs, func(name string) bool { return in.fresh[name] != nil && in.isNamed(name, a.Only) })
		}
		switch {
		case len(most) == 0: // its programs are recorded as they are
		case at < 0:
			return nil, nil, UsageError{fmt.Sprintf("change %s has no baseline that could allow it; accept everything: xlagate accept --reason \"why\"", c.ID)}
		default:
			delete(ids, c.ID)
			own := baseline.Ceiling{Change: c.ID, With: slices.Sorted(maps.Keys(ids)), Title: c.Title, Most: most, Reason: a.Reason}
			ceilings[programs[at]] = append(ceilings[programs[at]], own)
		}
	}
	return ceilings, replaced, nil
}

// idsOf returns the ids of a change, and those of the ceilings that it has: one of them may share an id with another.
func (in *candidate) idsOf(c *result.Change) map[string]bool {
	ids := map[string]bool{c.ID: true}
	add := func(list ...string) {
		for _, id := range list {
			ids[id] = true
		}
	}
	add(c.Also...)
	for known := 0; known < len(ids); {
		known = len(ids)
		for _, old := range in.old.Ceilings() {
			if old.IsOf(ids) {
				add(append(old.With, old.Change)...)
			}
		}
	}
	return ids
}

// broken lists the limits that changes break, with the amounts. Of a program that is accepted as a whole these are the limits that need no baseline; each of
// several that are compared as one has no more than all.
func (in *candidate) broken(ids map[string]bool) []baseline.Allowed {
	type part struct {
		brokenLimit
		change string
	}
	broken, added := map[brokenLimit]*baseline.Allowed{}, map[part]bool{}
	for i := range in.findings {
		f := &in.findings[i]
		if f.Rule == waiverRule || !ids[f.Change] {
			continue
		}
		programs, whole := []string{f.Program}, in.isWhole(f.Program)
		if whole {
			if f.Bound == nil {
				continue
			}
			programs = phrase.Filter(slices.Collect(maps.Keys(in.fresh)), func(name string) bool { return name == f.Program || changes.IsPart(f.Program, name) })
		}
		for _, program := range programs {
			at := limitBrokenBy(f, program)
			amount, _ := f.Actual.(float64)
			was, compared := f.Baseline.(float64)
			ofStep := f.AddsNS != 0 && compared
			switch {
			case ofStep:
				amount = was + f.AddsNS
			case compared && !whole:
				amount -= in.allowedBeside(ids, at, was)
			}
			own, most := part{at, f.Change}, broken[at]
			switch {
			case most == nil:
				most = &baseline.Allowed{Program: at.program, Variant: at.variant, Limit: at.limit, Amount: amount, Any: whole || !in.isProgram(program)}
				broken[at] = most
			case ofStep && !added[own]: // of another change, not of another entry for the same limit
				most.Amount += f.AddsNS
			case !ofStep && worseThanCeiling(f, amount, most.Amount):
				most.Amount = amount
			}
			added[own] = true
			for _, id := range f.Shared {
				most.With = changes.AddNew(most.With, id)
			}
		}
	}
	list := make([]baseline.Allowed, 0, len(broken))
	for _, most := range broken {
		slices.Sort(most.With)
		list = append(list, *most)
	}
	slices.SortFunc(list, func(a, b baseline.Allowed) int {
		return cmp.Or(strings.Compare(a.Program, b.Program), strings.Compare(a.Variant, b.Variant), strings.Compare(a.Limit, b.Limit))
	})
	return list
}

// isProgram reports whether XLA compiles a program, or several that are compared as one. What TensorFlow left out of its clusters is in a function of the model: it is
// of another change once the clusters that it led to are accepted.
func (in *candidate) isProgram(name string) bool {
	isOne := func(program string) bool { return program == name || changes.IsPart(name, program) }
	return slices.ContainsFunc(in.names(), isOne)
}

// allowedBeside is what the ceilings of other changes, which are there, add to a limit.
func (in *candidate) allowedBeside(ids map[string]bool, at brokenLimit, was float64) (amount float64) {
	for _, c := range in.old.Ceilings() {
		isThere := func(other result.Change) bool {
			return slices.ContainsFunc(slices.Concat(other.Also, []string{other.ID}), func(id string) bool { return id == c.Change || slices.Contains(c.With, id) })
		}
		for _, most := range c.Most {
			if (brokenLimit{most.Program, most.Variant, most.Limit}) == at && !c.IsOf(ids) && slices.ContainsFunc(in.changes, isThere) {
				amount += most.Amount - was
			}
		}
	}
	return amount
}

// permission is what a ceiling allows of one limit.
type permission struct {
	*baseline.Ceiling
	most  baseline.Allowed
	there bool // its change is there
}

// isOf reports whether a change with some ids may break the limit.
func (p permission) isOf(ids map[string]bool) bool {
	return p.IsOf(ids) || slices.ContainsFunc(p.most.With, func(id string) bool { return ids[id] })
}

// allow waives what the ceilings of the baseline allow, and returns the ceilings that nothing needs.
func (t judgedTarget) allow(list []*judgedChange) (unused []*baseline.Ceiling) {
	there, byProgram := map[string]bool{}, map[string][]*judgedChange{}
	for _, c := range list {
		for id := range c.ids() {
			there[id] = true
		}
		for _, p := range c.Parts {
			if of := byProgram[p.Program]; !slices.Contains(of, c) {
				byProgram[p.Program] = append(of, c)
			}
		}
	}
	limits, used := map[brokenLimit][]permission{}, map[*baseline.Ceiling]bool{}
	for _, c := range t.Accepted.Ceilings() {
		used[c] = c.IsOf(there)
		for _, most := range c.Most {
			allowed := permission{c, most, used[c]}
			if at := (brokenLimit{most.Program, most.Variant, most.Limit}); most.Any || allowed.isOf(there) {
				limits[at] = append(limits[at], allowed)
			}
		}
	}
	judged := map[*judgedFinding]bool{}
	for _, c := range list {
		for _, f := range slices.Clone(c.found) {
			f = cmp.Or(f.share, f)
			granted := limits[limitBrokenBy(&f.Finding.Finding, f.Program)]
			if len(granted) == 0 || judged[f] {
				continue
			}
			judged[f] = true
			if f.AddsNS != 0 {
				t.allowStep(f, granted, byProgram[f.Program])
			} else {
				allowFinding(f, c, granted)
			}
			for _, g := range granted {
				used[g.Ceiling] = true
			}
		}
	}
	return slices.DeleteFunc(t.Accepted.Ceilings(), func(c *baseline.Ceiling) bool { return used[c] })
}

// allowFinding waives a finding of an accepted change, as far as it is no worse than what all changes that were accepted may break together.
func allowFinding(f *judgedFinding, c *judgedChange, granted []permission) {
	its := slices.IndexFunc(granted, func(g permission) bool { return g.most.Any || g.isOf(c.ids()) })
	if its < 0 {
		return
	}
	allowed, ofAny := sumOf(f, granted)
	amount, _ := f.Actual.(float64)
	if ofAny && f.Excess() > 0 && amount <= f.WithinBaseline || !worseThanCeiling(&f.Finding.Finding, amount, allowed) {
		f.waive(granted[its].Reason)
	} else {
		f.exceeds(allowed, granted[its].Reason)
	}
}

// sumOf is the amount that permissions allow together: what the baseline has, and what each of them adds to that. ofAny reports whether any change
// may break the limit.
func sumOf(f *judgedFinding, granted []permission) (allowed float64, ofAny bool) {
	was, compared := f.Baseline.(float64)
	for i, g := range granted {
		ofAny = ofAny || g.most.Any
		switch {
		case i == 0 || !compared && worseThanCeiling(&f.Finding.Finding, g.most.Amount, allowed):
			allowed = g.most.Amount
		case compared:
			allowed += g.most.Amount - was
		}
	}
	return allowed, ofAny
}

// allowStep takes what accepted changes add to a step, up to what they may add, from what the step has over its limit. What is left is of other changes, or else of
// accepted ones that add more than they may. A change that accepted ones are parts of, or that is a part of one, is accepted with them if the step is within what all of
// them may add.
func (t judgedTarget) allowStep(f *judgedFinding, granted []permission, list []*judgedChange) {
	allowed, ofAny := sumOf(f, granted)
	actual, _ := f.Actual.(float64)
	was, _ := f.Baseline.(float64)
	limit := f.tightest()
	left, adds := actual-limit, 0.0
	exact := 1e-9 * was // the parts may have been added up in another order
	within := !ofAny && actual <= allowed+exact
	var rest []*changes.Change // that nobody accepted
	var accepted, others, holders []*judgedChange
	for _, c := range list {
		isOf := func(own *judgedFinding) bool { return cmp.Or(own.share, own) == f }
		breaks := slices.ContainsFunc(c.found, isOf)
		c.found = slices.DeleteFunc(c.found, isOf)
		step, in := changes.StepIn(f.Program, f.Variant, c.Change)
		switch {
		case !in:
		case slices.ContainsFunc(granted, func(g permission) bool { return g.IsOf(c.ids()) || (!g.there || within) && g.isOf(c.ids()) }):
			accepted, adds = append(accepted, c), adds+step.Middle
		default:
			rest = append(rest, c.Change)
			if step.Middle > 0 {
				others = append(others, c)
			}
		}
		if breaks {
			holders = append(holders, c)
		}
	}
	left -= max(0, min(adds, allowed-was))
	beyond, _ := changes.StepIn(f.Program, f.Variant, rest...)
	over := max(0, adds-(allowed-was))
	low, high := beyond.Low+over, beyond.High+over
	reason, said := granted[0].Reason, f.Message
	if f.first = nil; left > exact {
		if f.Unsure != "" && levelRank[f.Unsure] > levelRank[f.Level] && was+low <= limit { // what was accepted made it sure
			f.Level, f.Message = f.Unsure, said+"; beyond what was accepted "+phrase.Between(low/was, high/was)+": measure it"
		}
		left = f.divide(others, left, t.Again)
	}
	exceeded := left > exact && (f.first == nil || !t.Again)
	if len(accepted) == 0 && f.first == nil {
		accepted = holders
	}
	if !ofAny {
		allowed -= was
	}
	for _, c := range accepted {
		if f.first != nil && !exceeded && (t.Again || !slices.Contains(holders, c)) {
			continue
		}
		step, _ := changes.StepIn(f.Program, f.Variant, c.Change)
		part := f.partOf(c, step.Middle)
		if part.Message = said; exceeded {
			part.exceeds(allowed, reason)
		} else {
			part.waive(reason)
		}
		exceeded = false
	}
}

func (f *judgedFinding) waive(reason string) {
	f.Waived, f.Waiver = true, &result.Waiver{Reason: reason}
}

func (f *judgedFinding) exceeds(allowed float64, reason string) {
	f.Message += fmt.Sprintf(" (more than the %s that were accepted: %s)", phrase.Show(allowed, f.Unit), reason)
}
