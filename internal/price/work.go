// Package price predicts what a program costs on a device: how long each launch takes, by part, and how long a run does. What a launch
// asks for is measured of the module, apart from any device; a table says how fast each device does it.
package price

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Amount names one thing that a launch asks of a device.
type Amount uint8

// The amounts. A product's arithmetic is counted by the type that it multiplies and the precision that it requests: the device chooses the unit by both.
const (
	ProductF64     Amount = iota // flops of matrix products and convolutions in double precision
	ProductHighest               // in f32, at the highest precision
	ProductHigh                  // in f32, at high precision: on a TPU three passes of a narrower type; on a GPU as libraries do at the default
	ProductF32                   // in f32, at the default precision
	ProductF16                   // in bf16 and f16
	ProductF8                    // in 8 bits, floating
	ProductS8                    // in 8 bits, whole numbers
	Looped                       // flops of products that a plain loop computes, without a library or a matrix unit
	Vector                       // simple operations on elements of up to 32 bits
	Vector64                     // the same on wider ones
	Rounds                       // numbers that are rounded to bf16
	Special                      // functions such as exp, as many exponentials as take as long
	Special64                    // the same in double precision
	Slow                         // functions that a CPU computes one element at a time, such as sin and pow
	Scalar                       // steps of which each goes its own way or waits for the one before: comparisons of a sort, running sums
	Serial                       // steps that a CPU takes one element after the other, where others compute many at once
	Near                         // bytes read and written that were touched shortly before: they are in the cache of one core
	Mid                          // bytes that were touched a while ago: they are in the cache that all cores share
	Far                          // bytes that come from the device's memory, or go there
	OnChip                       // bytes in a memory on the chip that the compiler manages
	FromHost                     // bytes that are in the host's memory
	Pieces                       // places of their own that are read or written, as by a gather
	Atomics                      // elements that are added where others may be added at the same time
	Launches                     // launches of one instruction beyond the first
	Queued                       // 1: the host of a GPU starts it by itself, not in a command buffer; that of a CPU when all that it needs is there
	Tiles                        // parts of the work that units of a GPU compute side by side: tiles of a product, rows of a sort; 0: as many as there are units
	Decisions                    // times that the host has to look before it goes on: iterations of a loop of unknown length, branches
	Iterations                   // iterations of a loop
	Steps                        // steps of the grid of a kernel that was written by hand
	Calls                        // calls of Python, or of other code on the host, with one operand
	Effects                      // 1: it has an effect beside its results; 2: an ordered one
	Sent                         // bytes that a collective sends from one device
	Hops                         // messages that a collective sends one after the other
	Peers                        // devices that take part in a collective
	Reach                        // devices in the smallest aligned block of a power of two that holds all of a group: {0, 2, 4, 6} reaches over 8
	Rings                        // 1: its bytes go from device to device on rings, which leave each machine once
	Hidden                       // the share of a transfer that passes while kernels run
	Cycles                       // that the compiler expects; 0: it does not say
	Unknown                      // 1: nobody knows what it does

	NumAmounts
)

// names are the amounts in a baseline.
var names = [NumAmounts]string{
	"f64", "highest", "high", "f32", "f16", "f8", "s8", "looped", "vector", "vector64", "rounds", "special", "special64", "slow", "scalar", "serial", "near", "mid",
	"far", "onchip", "fromhost", "pieces", "atomics", "launches", "queued", "tiles", "decisions",
	"iterations", "steps", "calls", "effects", "sent", "hops", "peers", "reach", "rings", "hidden", "cycles", "unknown",
}

// ByName are all amounts in the order of their names.
var ByName = slices.SortedFunc(allAmounts, func(a, b Amount) int { return strings.Compare(names[a], names[b]) })

func allAmounts(yield func(Amount) bool) {
	for a := range NumAmounts {
		if !yield(a) {
			return
		}
	}
}

// String is the amount's name in a baseline.
func (a Amount) String() string { return names[a] }

// Work is what one launch asks of a device.
type Work [NumAmounts]float64

// Version counts how often it was changed what is measured of a launch. Work of another version is not comparable.
const Version = 14

// MarshalJSON writes the amounts by their names, as a baseline keeps them.
func (w Work) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for _, a := range ByName {
		if n := w[a]; n != 0 && !math.IsNaN(n) && !math.IsInf(n, 0) {
			if len(b) > 1 {
				b = append(b, ',')
			}
			b = append(strconv.AppendQuote(b, names[a]), ':')
			b = strconv.AppendFloat(b, n, 'f', -1, 64)
		}
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (w *Work) UnmarshalJSON(data []byte) error {
	var amounts map[string]float64
	if err := json.Unmarshal(data, &amounts); err != nil {
		return err
	}
	for name, n := range amounts {
		a := slices.Index(names[:], name)
		if a < 0 {
			return fmt.Errorf("unknown work %q", name)
		}
		w[a] = n
	}
	return nil
}

// add adds n times another's work. Whether something is unknown does not add up.
func (w *Work) add(o *Work, n float64) {
	for a := range o {
		w[a] += n * o[a]
	}
	w[Unknown] = min(w[Unknown], 1)
}

// From is the work of a launch of whose data a share is in caches.
func (w *Work) From(c Cached) *Work {
	moved := *w
	moved[Near] += c.Near * w[Far]
	moved[Mid] += c.Mid * w[Far]
	moved[Far] = (1 - c.Near - c.Mid) * w[Far]
	return &moved
}

// Rounded keeps three digits of every amount: what is stored and what is fresh are equal then, on every machine.
func (w Work) Rounded() Work {
	for a, n := range w {
		if n != 0 {
			w[a] = round(n)
		}
	}
	return w
}

func round(n float64) float64 {
	if n != math.Trunc(n) || math.Abs(n) >= 1<<50 { // below, the quotient of two whole numbers is never rounded to a half
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(n, 'g', 3, 64), 64)
		return rounded
	}
	unit, rest := 1.0, math.Abs(n)
	for rest/unit >= 1000 {
		unit *= 10
	}
	return math.Copysign(math.RoundToEven(rest/unit)*unit, n)
}
