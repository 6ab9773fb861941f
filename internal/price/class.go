package price

// Class is a class of work. The error of a price is common to a class: what it is wrong about in one loop it is wrong about in the next.
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
	Controls  // loops and branches themselves
	Hosting   // calls of Python
	Transfers // see networks; the classes before it are timed

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

// Around is the interval around a difference that is between two ends if its prices are right.
func (m Margin) Around(i Interval) Interval {
	wider := func(end float64, outward bool) float64 {
		if outward {
			return end * m.Above
		}
		return end / m.Below
	}
	i.Low, i.High = wider(i.Low, i.Low < 0), wider(i.High, i.High > 0)
	return i
}

// Margin is how far a difference of a class may be from the true one on a family of devices.
func (f Family) Margin(c Class) Margin {
	m, known := margins[f]
	switch {
	case c == Transfers:
		return networks
	case known:
		return m[c]
	}
	return unmeasured
}

// unmeasured is the margin where nothing was timed: the widest of those that were.
var unmeasured = Margin{10, 10}

// networks is the margin of transfers: none was timed, and a dump does not say what connects machines. The table has what the makers build, 25 GB a second and
// more for each device; others have 1.
var networks = Margin{10, 25}
