package changes

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/price"
)

// ClassCost is what a difference adds to a run in kernels of one class of work that do the same: the errors of their prices are the same, so what came and what
// went cancel.
type ClassCost struct {
	Class  price.Class
	Branch bool   // the work is in a branch, which a run may not take
	Guess  int64  // how often loops of unknown length around it are taken to run; 0 where there is none
	Most   int64  // how often they run at most; 0 where that is not known
	Loop   string // the innermost of these loops, by the model's name for it
	Does   string // the [facts.Form.Family] of the kernels; "" for the start of any
	NS     float64
}

// classCosts are the costs of a difference by class of work.
type classCosts map[ClassCost]float64

func (c classCosts) add(v *facts.Variant, kernels []facts.Kernel, sign float64) {
	for _, p := range pricesOf(v, kernels) {
		key := ClassCost{Class: p.WorkClass(), Branch: p.Branch != "", Guess: p.Guess, Most: p.Most, Does: p.Family}
		if p.Guess > 1 {
			if key.Loop = p.OpName[:max(0, strings.LastIndex(p.OpName, "/body/"))]; strings.HasPrefix(key.Loop, "jit(") {
				_, key.Loop, _ = strings.Cut(key.Loop, "/") // of a renamed program it is the same
			}
		}
		start := key
		start.Class, start.Does = price.Launching, ""
		c[start] += sign * p.Runs * p.Once.Launch
		c[key] += sign * p.Runs * (p.Once.Total() - p.Once.Launch)
	}
}

// pricesOf are what some of the kernels of a variant are predicted to take; nil without a device.
func pricesOf(v *facts.Variant, kernels []facts.Kernel) []facts.Priced {
	if v.Device == nil {
		return nil
	}
	part := *v
	part.Kernels = kernels
	return part.Prices(v.Device)
}

// list has the costs in a fixed order, so that sums are the same each time.
func (c classCosts) list() (all []ClassCost) {
	for key, ns := range c {
		key.NS = ns
		all = append(all, key)
	}
	slices.SortFunc(all, func(a, b ClassCost) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), phrase.CompareBools(a.Branch, b.Branch), cmp.Compare(a.Guess, b.Guess), cmp.Compare(a.Most, b.Most),
			cmp.Compare(a.Loop, b.Loop), cmp.Compare(a.Does, b.Does))
	})
	return all
}

// each goes through the costs in a fixed order.
func (c classCosts) each() iter.Seq2[ClassCost, float64] {
	return func(yield func(ClassCost, float64) bool) {
		for _, cost := range c.list() {
			ns := cost.NS
			if cost.NS = 0; !yield(cost, ns) {
				return
			}
		}
	}
}

// byCause returns what each cause adds to the predicted step: the prices of the launches that it added, less those of the launches that it removed. The cause
// that moves the step most, or [Variant.Keeper] if no launch differs, has what is left: launches of both sides that moved into a loop, or whose data moved to
// another memory; the host's part of a run, in the class [price.Launching]; and what runs in parallel, in the class [price.Moves].
func (v *Variant) byCause() []classCosts {
	costs, most, largest := make([]classCosts, len(v.Causes)), 0, 0.0
	kept := classCosts{}
	kept.add(v.Old, v.Old.Kernels, -1)
	kept.add(v.New, v.New.Kernels, 1)
	rest := v.New.Facts[facts.PriceStep] - v.Old.Facts[facts.PriceStep]
	for i := range v.Causes {
		costs[i] = classCosts{}
		costs[i].add(v.Old, v.Causes[i].Before, -1)
		costs[i].add(v.New, v.Causes[i].After, 1)
		own := 0.0
		for key, ns := range costs[i].each() {
			own += ns
			kept[key] -= ns
		}
		if rest -= own; math.Abs(own) > largest {
			most, largest = i, math.Abs(own)
		}
	}
	if len(costs) == 0 || !v.Knows(facts.PriceStep) {
		return costs
	}
	if largest == 0 {
		most = v.Keeper()
	}
	if v.Old.Device != nil && v.New.Device != nil {
		call := v.New.CallNS(v.New.Device) - v.Old.CallNS(v.Old.Device)
		costs[most][ClassCost{Class: price.Launching}] += call
		rest -= call
		for key, ns := range kept.each() {
			if math.Abs(ns) > roundingError*v.Old.Facts[facts.PriceStep] {
				costs[most][key] += ns
				rest -= ns
			}
		}
	}
	costs[most][ClassCost{Class: price.Moves}] += rest
	return costs
}

// roundingError is a share of the step below which launches that both sides have cancel.
const roundingError = 1e-9

// StepByClass returns what the step grew by in each class of work. Launches that both sides have cancel.
func (v *Variant) StepByClass() []ClassCost {
	sum := classCosts{}
	for _, costs := range v.byCause() {
		for key, ns := range costs.each() {
			sum[key] += ns
		}
	}
	return sum.list()
}

// StepInterval is between what the step may have grown by, in nanoseconds. It is narrower than the sum of [Variant.StepIntervals]: what one cause adds and
// another takes away in a class has the same error.
func (v *Variant) StepInterval() price.Interval { return Interval(v.margin, v.StepByClass()) }

// margin is how far a difference of a class may be from the true one on the variant's device.
func (v *Variant) margin(c price.Class) price.Margin {
	var family price.Family
	if v.New.Device != nil {
		family = v.New.Device.Family
	}
	return family.Margin(c)
}

// StepIntervals is between what each cause may add to the step, in nanoseconds.
func (v *Variant) StepIntervals() []price.Interval { return phrase.Map(v.byCause(), v.interval) }

// interval is between what costs may be, in nanoseconds.
func (v *Variant) interval(c classCosts) price.Interval { return Interval(v.margin, c.list()) }

// ends are the shares of the predicted number of runs that the true one is between. A branch is taken or not. A loop of unknown length runs at least once, and
// at most as often as its counter allows. If its counter allows any number, and it is taken to run ten times, it may run ten times as often as that.
func (c ClassCost) ends() [2]float64 {
	rarer, oftener := 1.0, 1.0
	if c.Guess > 1 {
		rarer, oftener = 1/float64(c.Guess), float64(c.Guess)
		if c.Most > 0 {
			oftener = max(1, float64(c.Most)/float64(c.Guess))
		}
	}
	if c.Branch {
		rarer, oftener = 0, 2*oftener // the branches are taken to be equally likely, and there are two at least
	}
	return [2]float64{rarer, oftener}
}

// unsureWork is the work of one loop or branch, of which nobody knows how often it runs.
type unsureWork struct {
	ends    [2]float64
	classes [price.NumClasses]classWork
	sum     float64 // of what came and what went
}

// classWork is a difference in one class of work.
type classWork struct {
	low, high  float64 // between what it is if its prices are right
	came, gone float64 // its parts, each in kernels that do the same
}

// add adds work that runs between ends times as often.
func (w *classWork) add(o classWork, ends [2]float64) {
	w.low += min(o.low*ends[0], o.low*ends[1])
	w.high += max(o.high*ends[0], o.high*ends[1])
	w.came += o.came * ends[1]
	w.gone += o.gone * ends[1]
}

// apart widens the interval of a class in which some kernels come and others, which do something else, go. Their prices are wrong by about the same factor, not by
// the same: this share of what cancels may be left. With 0.1 fewer timed pairs of docs/price-measured.md are below their intervals, exchanged, than with 0, 0.05
// or 0.2.
const apart = 0.1

// mostUnsure bounds the loops and branches of [Interval] whose number of runs is one for all classes.
const mostUnsure = 8

// Interval is between what predicted costs may be, by the margin of each class of work. What came and what went in one class has the same error if it does the same,
// and about the same if not. A loop has one length for all classes: if 3 ms of products come and 1 ms of moves goes in it, its length does not make that cheaper.
func Interval(margin func(price.Class) price.Margin, costs []ClassCost) (sum price.Interval) {
	var sure [price.NumClasses]classWork
	var unsure []*unsureWork
	known, once := map[ClassCost]*unsureWork{}, [2]float64{1, 1}
	for _, c := range costs {
		sum.Middle += c.NS
		ends, place, work := c.ends(), c, classWork{c.NS, c.NS, max(c.NS, 0), max(-c.NS, 0)}
		if ends == once {
			sure[c.Class].add(work, once)
			continue
		}
		place.Class, place.Does, place.NS = 0, "", 0
		w := known[place]
		if w == nil {
			w = &unsureWork{ends: ends}
			known[place], unsure = w, append(unsure, w)
		}
		w.classes[c.Class].add(work, once)
		w.sum += math.Abs(c.NS)
	}
	slices.SortStableFunc(unsure, func(a, b *unsureWork) int { return cmp.Compare(b.sum, a.sum) })
	together := unsure[:min(len(unsure), mostUnsure)]
	for _, w := range unsure[len(together):] {
		for class, work := range w.classes {
			sure[class].add(work, w.ends)
		}
	}
	for ends := range 1 << len(together) {
		var all price.Interval
		for class, work := range sure {
			for i, w := range together {
				end := w.ends[ends>>i&1]
				work.add(w.classes[class], [2]float64{end, end})
			}
			all.Add(margin(price.Class(class)).Around(price.Interval{Low: work.low, High: work.high}))
			off := apart * min(work.came, work.gone)
			all.Add(price.Interval{Low: -off, High: off})
		}
		if ends == 0 {
			sum.Low, sum.High = all.Low, all.High
		}
		sum.Low, sum.High = min(sum.Low, all.Low), max(sum.High, all.High)
	}
	return sum
}
