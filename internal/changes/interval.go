package changes

import (
	"cmp"
	"math"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/price"
)

// ClassCost is what a difference adds to a run in one class of work: the errors of its prices are the same, so what came and what went cancel.
type ClassCost struct {
	Class  price.Class
	Branch bool  // the work is in a branch, which a run may not take
	Guess  int64 // how often loops of unknown length around it are taken to run; 0 where there is none
	Most   int64 // how often they run at most; 0 where that is not known
	NS     float64
}

// classCosts are the costs of a difference by class of work.
type classCosts map[ClassCost]float64

func (c classCosts) add(v *facts.Variant, kernels []facts.Kernel, sign float64) {
	if v.Device == nil {
		return
	}
	part := *v
	part.Kernels = kernels
	for _, p := range part.Prices(v.Device) {
		key := ClassCost{Class: p.WorkClass(), Branch: p.Branch != "", Guess: p.Guess, Most: p.Most}
		start := key
		start.Class = price.Launching
		c[start] += sign * p.Runs * p.Once.Launch
		c[key] += sign * p.Runs * (p.Once.Total() - p.Once.Launch)
	}
}

// list has the costs in a fixed order, so that sums are the same each time.
func (c classCosts) list() (all []ClassCost) {
	for key, ns := range c {
		key.NS = ns
		all = append(all, key)
	}
	slices.SortFunc(all, func(a, b ClassCost) int {
		branch := func(c ClassCost) int {
			if c.Branch {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(branch(a), branch(b)), cmp.Compare(a.Guess, b.Guess), cmp.Compare(a.Most, b.Most))
	})
	return all
}

// byCause returns what each cause adds to the predicted step: the prices of the launches that it added, less those of the launches that it removed. The host's
// part of a run is in the class [price.Launching]. The rest, such as what runs in parallel or where memory holds the data, is in the class [price.Moves]. Both
// belong to the cause that moves the step most, or to [Variant.Keeper] if no launch differs.
func (v *Variant) byCause() []classCosts {
	costs, most, largest := make([]classCosts, len(v.Causes)), 0, 0.0
	rest := v.New.Facts[facts.PriceStep] - v.Old.Facts[facts.PriceStep]
	for i := range v.Causes {
		costs[i] = classCosts{}
		costs[i].add(v.Old, v.Causes[i].Before, -1)
		costs[i].add(v.New, v.Causes[i].After, 1)
		own := 0.0
		for _, c := range costs[i].list() {
			own += c.NS
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
	}
	costs[most][ClassCost{Class: price.Moves}] += rest
	return costs
}

// StepByClass returns what the step grew by in each class of work. Launches that both sides have cancel.
func (v *Variant) StepByClass() []ClassCost {
	sum := classCosts{}
	for _, costs := range v.byCause() {
		for key, ns := range costs {
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
func (v *Variant) StepIntervals() []price.Interval {
	costs := v.byCause()
	intervals := make([]price.Interval, len(costs))
	for i := range costs {
		intervals[i] = Interval(v.margin, costs[i].list())
	}
	return intervals
}

// Interval is between what predicted costs may be, by the margin of each class of work: what came and what went in one class has the same error. A branch is
// taken or not, whatever runs outside of it. A loop of unknown length runs at least once, and at most as often as its counter allows. If its counter allows any
// number, and it is taken to run ten times, it may run ten times as often as that.
func Interval(margin func(price.Class) price.Margin, costs []ClassCost) (sum price.Interval) {
	var always, branches [price.NumClasses]price.Interval
	for _, c := range costs {
		rarer, oftener, classes := 1.0, 1.0, &always
		if c.Guess > 1 {
			rarer, oftener = 1/float64(c.Guess), float64(c.Guess)
			if c.Most > 0 {
				oftener = max(1, float64(c.Most)/float64(c.Guess))
			}
		}
		if c.Branch {
			classes = &branches
			rarer, oftener = 0, 2*oftener // the branches are taken to be equally likely, and there are two at least
		}
		classes[c.Class].Add(price.Interval{Low: min(c.NS*rarer, c.NS*oftener), Middle: c.NS, High: max(c.NS*rarer, c.NS*oftener)})
	}
	for class := range price.NumClasses {
		sum.Add(margin(class).Around(always[class]))
		sum.Add(margin(class).Around(branches[class]))
	}
	return sum
}
