package changes

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/price"
)

// Change is all that one edit did, in every program; or one difference that no edit is known for.
type Change struct {
	Kind    string
	Title   string   // what was done
	Details []string // what else
	OpName  string
	Source  Place
	Key     string // the same from commit to commit: the first program by name, the kind and the function
	Cost           // in the program that it is named for
	Others  []Cost // in other programs
	Effects []Effect
	Evidence
	Parts []*Part            // the one that leads first
	in    map[string][]*Part // of each program
}

// Cost is what a change adds to a program.
type Cost struct {
	Program  string
	Variants []string
	Price    Price
}

// Price is what a change adds to a run; what it saves is below zero.
type Price struct {
	StepNS       float64 // predicted
	LowNS        float64 // the ends between which it is expected
	HighNS       float64
	StepWasNS    float64 // of the program's whole step before the change
	PeakBytes    float64 // at the peak, in the device's memory
	Compilations int     // more than before
}

// Effect is one fact that a change moved.
type Effect struct {
	Fact facts.ID
	Was  float64
	Is   float64
}

// maxDetails bounds the sentences on what else an edit did.
const maxDetails = 6

// changeOf makes a change of its parts. The first says what was done, see [leadFirst].
func changeOf(parts []*Part) *Change {
	first := slices.MinFunc(parts, func(a, b *Part) int { return cmp.Compare(a.Program, b.Program) }).Program
	leadFirst(parts)
	sumUp(parts)
	lead := parts[0]
	c := &Change{Kind: lead.Kind, Title: lead.Title, OpName: lead.OpName, Source: lead.Source, Parts: parts, Cost: Cost{Program: lead.Program}}
	c.Key = strings.Join([]string{first, lead.Kind, lead.at}, "\x00")
	c.costs()
	told := func(p *Part) bool { // the rest follows from the call, or from the checkpoint that is gone
		return !p.told && p.Source == lead.Source && p.Cause != nil && (p.Cause.again || p.Cause.Keeps() && p.variant.losesCheckpoint())
	}
	if at := slices.IndexFunc(parts, told); at > 0 {
		c.Title = parts[at].Title
	}
	if at := slices.IndexFunc(parts, func(p *Part) bool { return p.Kind == KindConstants && p.Rank < Unbroken }); at > 0 && lead.Kind == KindCode && lead.Cause != nil {
		said := []string{parts[at].Title, c.Title} // it is always said
		if parts[at].Program == lead.Program && lead.trifles() && c.Price.LowNS > budget*c.Price.StepWasNS {
			slices.Reverse(said)
		}
		c.Title = strings.Join(said, "; ")
	}
	uncompiled := slices.DeleteFunc(slices.Clone(parts), func(p *Part) bool { return p.Program != "" || p.Kind != KindCode })
	if lead.Program != "" && len(uncompiled) > 0 && !slices.ContainsFunc(uncompiled, func(p *Part) bool { return p.OpName == lead.OpName }) {
		c.Title = uncompiled[0].Title // why these are other programs
	}
	if at := slices.IndexFunc(parts, func(p *Part) bool { return p.moved }); at > 0 {
		c.Title = parts[at].Title + "; " + c.Title
	}
	if at := slices.IndexFunc(parts, func(p *Part) bool { return p.compilations > 0 && p.Rank < Unbroken }); at > 0 && lead.Rank == Unbroken {
		c.Title = parts[at].Title // no other rule is broken
	}
	for _, p := range parts {
		p.Change = c
		elsewhere := p.Program != c.Program && p.Program != ""
		switch {
		case p.told:
		case elsewhere && p.Detail != c.Title && !strings.HasPrefix(p.Detail, p.Program+" "):
			c.Tell(p.Program + ": " + p.Detail)
		case !strings.Contains(c.Title, p.Detail):
			c.Tell(p.Detail)
		}
		if p.Cause != nil && p.Program == c.Program {
			c.AddEvidence(p.Cause.Evidence(facts.AnyKernel))
		}
	}
	return c
}

// sumUp tells the code that one edit changed in a variant once: what came and went in several functions is added up before it is put into words. The first part
// says it for the others, unless its words would lose that a function runs again.
func sumUp(parts []*Part) {
	code := phrase.Filter(parts, func(p *Part) bool {
		return p.Kind == KindCode && p.Cause != nil && p.Cause.suspect != nil && len(p.Cause.Edits) > 0
	})
	for _, list := range phrase.Group(code, func(p *Part) *Variant { return p.variant }) {
		lead, others := list[0], list[1:]
		if len(others) == 0 {
			continue
		}
		sum := []Cause{sumOf(list).finish(lead.variant)}
		if !sum[0].again && slices.ContainsFunc(list, func(p *Part) bool { return p.Cause.again }) {
			continue
		}
		if slices.ContainsFunc(list, func(p *Part) bool { return p.Cause.products }) {
			lead.variant.nameProducts(sum)
		}
		said := []string{sum[0].Title}
		for _, p := range others {
			if p.told = true; p.Cause.suspect.arguments != "" {
				said = append(said, p.Cause.suspect.arguments)
			}
		}
		lead.Title = strings.Join(said, "; ")
		lead.Detail = lead.Title
	}
}

// losesCheckpoint reports whether a barrier is gone, as jax.checkpoint makes one, and what was computed again behind it still is computed once.
func (v *Variant) losesCheckpoint() bool {
	unwraps := func(e Edit) bool {
		return slices.ContainsFunc(e.Removed, func(s Step) bool { return s.Opcode == barrier })
	}
	return slices.ContainsFunc(v.Model.Edits, unwraps) && !v.dropped()
}

// computes reports whether operations came or went with a part that do not only convert.
func (p *Part) computes() bool {
	if p.Cause == nil || len(p.Cause.Edits) == 0 {
		return true
	}
	converts := func(s Step) bool { return s.Opcode == "convert" }
	return slices.ContainsFunc(p.Cause.Edits, func(e Edit) bool {
		return slices.ContainsFunc(slices.Concat(e.Added, e.Removed), func(s Step) bool { return !converts(s) })
	})
}

// leadFirst sorts the parts of a change: the one that says best what was done leads. That is one on an edited line, then results of another shape, then arguments of
// another type, then one that breaks a rule, then a program that took work from others, then one that names operations, then the one that costs most in the variant
// that the change costs most. Where nothing costs time, what is no longer passed or returned leads, then what saves most. Where no rule is broken, what moves the
// step most leads, whether it costs or saves.
func leadFirst(parts []*Part) {
	steps := map[*Variant]float64{}
	for _, p := range parts {
		steps[p.variant] += p.step.Middle
	}
	spread, lost := false, map[string]bool{}
	for _, p := range parts {
		spread = spread || p.Kind == KindSharding
		for _, shape := range p.lost {
			lost[shape] = true
		}
	}
	fed := func(p *Part) bool { // what became of the results is why the arguments differ: their shapes, or how they are spread
		return spread && p.Kind == KindArguments && p.Cause == nil || slices.ContainsFunc(p.takes, func(shape string) bool { return lost[shape] })
	}
	unnamed := func(p *Part) bool { // the results of a program that makes what others take as arguments
		return p.Kind == KindSharding && p.variant != nil && !slices.ContainsFunc(p.variant.Params, func(c ParamChange) bool { return c.Old != nil && c.New != nil && !SameSharding(c.Old, c.New) })
	}
	longest := 0.0
	for _, p := range parts {
		if p.variant != nil {
			longest = max(longest, p.variant.New.Facts[facts.PriceStep])
		}
	}
	computes := slices.ContainsFunc(parts, func(p *Part) bool { // another type of an argument without a name tells less
		return p.Kind == KindCode && p.computes() && (len(p.retypes()) == 0 || countedNames(p.variant.New.Params))
	})
	retyped := func(p *Part) bool { // a small program that takes what another returns follows from that one
		option := p.Source.Edited && path.Ext(p.Source.File) != ".py" // it may name a type, and what computes in that follows
		return p.Kind == KindArguments && p.Cause != nil && p.variant.New.Facts[facts.PriceStep] == longest && (p.variant.Retyped(computes) || p.variant.Enlarged(option))
	}
	reshaped := func(p *Part) bool { // the results of a cluster go to other operations, not to the caller
		return p.Kind == KindResults && p.variant != nil && !OfClusters(p.Program) && slices.ContainsFunc(p.variant.LostResults(), func(l LostResult) bool {
			return l.Was != "" && l.Is != "" && !hlo.ShapeText(l.Was).SameDims(hlo.ShapeText(l.Is))
		})
	}
	again := func(p *Part) bool { return p.Kind == KindArguments && p.cut }
	breaks := slices.ContainsFunc(parts, func(p *Part) bool { return p.Rank < Unbroken })
	adds := func(p *Part) bool { return breaks && p.Kind == KindCode && p.step.Middle > 0 }
	byCost := func(a, b *Part, costA, costB float64) int { // what costs most, else what saves most; what moves most, where no rule is broken
		return cmp.Or(phrase.CompareBools(breaks && costB > 0, breaks && costA > 0), cmp.Compare(math.Abs(b.saving(costB)), math.Abs(a.saving(costA))))
	}
	given := func(p *Part) bool { return p.Kind == KindResults || p.Kind == KindArguments }
	divided := !slices.ContainsFunc(parts, func(p *Part) bool { return p.step.Low > 0 }) // what the others lost is in a new program
	slices.SortStableFunc(parts, func(a, b *Part) int {
		return cmp.Or(
			phrase.CompareBools(b.Source.Edited, a.Source.Edited),           // on an edited line
			phrase.CompareBools(reshaped(b), reshaped(a)),                   // what the program returns has another shape
			phrase.CompareBools(retyped(b), retyped(a)),                     // most bytes of the arguments have another type, or nothing but conversions came or went; or their dimensions make the peak
			cmp.Compare(a.Rank, b.Rank),                                     // breaks a worse rule
			phrase.CompareBools(again(a), again(b)),                         // why a graph is there tells more than how often it is compiled
			phrase.CompareBools(fed(a), fed(b)),                             // does not only pass on what another did
			phrase.CompareBools(unnamed(a), unnamed(b)),                     // says by name what is spread in another way
			phrase.CompareBools(b.recalled, a.recalled),                     // a program is called with other arguments
			phrase.CompareBools(divided && b.brought, divided && a.brought), // a new program took work from others
			cmp.Compare(a.dependence(), b.dependence()),
			phrase.CompareBools(adds(b), adds(a)), // code that costs time
			cmp.Compare(b.compilations, a.compilations),
			byCost(a, b, steps[a.variant], steps[b.variant]),          // in the variant that the change costs most
			phrase.CompareBools(b.step.Middle > 0, a.step.Middle > 0), // costs time
			phrase.CompareBools(given(b), given(a)),                   // what is no longer passed or returned is why it is not computed
			byCost(a, b, a.step.Middle, b.step.Middle),
		)
	})
}

// budget is the share of the step by which the recommended rules let it grow.
const budget = 0.01

// saving is what a part takes or saves, in nanoseconds. A saving below the budget of the recommended rules counts as none: a name that changed tells more.
func (p *Part) saving(ns float64) float64 {
	if ns < 0 && p.variant != nil && -ns < budget*p.variant.New.Facts[facts.PriceStep] {
		return 0
	}
	return ns
}

// trifles reports whether constants that are new in the part's variant are less than the budget of the recommended rules for the peak.
func (p *Part) trifles() bool {
	const ofPeak = 0.02
	return p.variant != nil && p.variant.New.ConstantBytes()-p.variant.Old.ConstantBytes() < ofPeak*p.variant.New.Facts[facts.MemoryPeak]
}

// Tell adds a sentence on what else was done, if there are few.
func (c *Change) Tell(detail string) {
	said := func(other string) bool { return other == detail || strings.HasSuffix(other, ": "+detail) } // of another program
	if detail != "" && !slices.ContainsFunc(c.Details, said) && len(c.Details) < maxDetails {
		c.Details = append(c.Details, detail)
	}
}

// AddEvidence adds the lines that are not there yet.
func (c *Change) AddEvidence(e Evidence) {
	c.Before, c.After = AddNew(c.Before, e.Before...), AddNew(c.After, e.After...)
}

// costs adds up what the parts cost in each program. If several variants of a program have parts, it takes the variant that they cost most. The variants of a
// part that is in no program count for the program that the change is named for.
func (c *Change) costs() {
	at := map[string]int{}
	c.in = map[string][]*Part{}
	for _, p := range c.Parts {
		c.in[p.Program] = append(c.in[p.Program], p)
		of := &c.Cost
		if p.Program != c.Program && p.Program != "" {
			if _, known := at[p.Program]; !known {
				at[p.Program], c.Others = len(c.Others), append(c.Others, Cost{Program: p.Program})
			}
			of = &c.Others[at[p.Program]]
		}
		of.Variants = AddNew(of.Variants, p.Variants...)
	}
	c.Price = priceOf(c.in[c.Program])
	for i := range c.Others {
		c.Others[i].Price = priceOf(c.in[c.Others[i].Program])
	}
}

// priceOf adds up what parts cost in one program.
func priceOf(parts []*Part) (dearest Price) {
	prices, costs, compilations := map[*Variant]*Price{}, map[*Variant]classCosts{}, 0
	var order []*Variant
	for _, p := range parts {
		switch {
		case p.variant == nil:
			compilations = max(compilations, p.compilations)
			continue
		case prices[p.variant] == nil:
			prices[p.variant], costs[p.variant] = &Price{StepWasNS: p.variant.Old.Facts[facts.PriceStep]}, classCosts{}
			order = append(order, p.variant)
		}
		prices[p.variant].PeakBytes += p.peak
		for key, ns := range p.costs.each() {
			costs[p.variant][key] += ns // what one part adds and another takes away in a class has the same error
		}
	}
	for _, v := range order {
		price, step := prices[v], v.interval(costs[v])
		price.StepNS, price.HighNS = step.Middle, step.High
		price.LowNS = max(step.Low, -price.StepWasNS) // a step takes no less than nothing
		if cmp.Or(cmp.Compare(math.Abs(price.StepNS), math.Abs(dearest.StepNS)), cmp.Compare(math.Abs(price.PeakBytes), math.Abs(dearest.PeakBytes))) >= 0 {
			dearest = *price
		}
	}
	dearest.Compilations = compilations
	return dearest
}

// StepIn is what changes add to the predicted step of a variant together; in reports whether any of them is in the variant. It is narrower than the sum of what
// each adds: what one adds and another takes away in a class has the same error.
func StepIn(program, signature string, list ...*Change) (step price.Interval, in bool) {
	var v *Variant
	costs := classCosts{}
	for _, c := range list {
		for _, p := range c.in[program] {
			if p.variant == nil || p.variant.New.Signature != signature {
				continue
			}
			v = p.variant
			for key, ns := range p.costs {
				costs[key] += ns
			}
		}
	}
	if v == nil {
		return step, false
	}
	return v.interval(costs), true
}

// Loses reports whether the program returns less than it did: what it saves is no improvement.
func (c *Change) Loses() bool {
	return slices.ContainsFunc(c.Parts, func(p *Part) bool { return p.variant != nil && p.variant.GivesLess() })
}
