package price

// Class is a class of work. The error of a price is common to a class: what it is wrong about in one loop it is wrong about in the next. Between classes
// it is not.
type Class uint8

// The classes.
const (
	Launching Class = iota // the start of a launch, and the host's part of a run
	Loops                  // element by element
	Products               // matrix products and convolutions
	Libraries              // other calls of a library, such as a transform or a factorization
	Reductions
	Moves // copies, and what only brings elements into another order
	Gathers
	Sorts
	Controls // loops and branches themselves
	Hosting  // calls of Python
	Transfers

	NumClasses
)

var classNames = [NumClasses]string{"launches", "loops", "products", "libraries", "reductions", "moves", "gathers", "sorts", "control flow", "host", "network"}

// String is what the class is called.
func (c Class) String() string { return classNames[c] }

// Margin is how far a predicted difference may be from the true one: between Δ/Below and Δ·Above.
type Margin struct{ Below, Above float64 }

// Interval is a difference of predicted times in nanoseconds, and the ends between which the true one is expected.
type Interval struct{ Low, Middle, High float64 }

// Add adds another interval: their errors are not of one kind, so both may be at their ends.
func (i *Interval) Add(o Interval) {
	i.Low += o.Low
	i.Middle += o.Middle
	i.High += o.High
}

// Around is the interval around a difference. rarer and oftener say how much less and more often the work may run than it is taken to: 1 where that is known.
func (m Margin) Around(ns, rarer, oftener float64) Interval {
	low, high := ns*rarer/m.Below, ns*oftener*m.Above
	return Interval{Low: min(low, ns*oftener*m.Above), Middle: ns, High: max(high, ns*rarer/m.Below)}
}

// Margin is how far a difference of a class may be from the true one on a family of devices.
func (f Family) Margin(c Class) Margin {
	if m, known := margins[f]; known {
		return m[c]
	}
	return unmeasured
}

// unmeasured is the margin where nothing was timed: the widest of those that were.
var unmeasured = Margin{10, 10}
