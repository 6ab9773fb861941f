package gate

import (
	"cmp"
	"math"
	"slices"

	"github.com/xlagate/xlagate/internal/rule"
)

// value is the value of an option in a form that can be compared: a list, a number, or a text without an order.
type value struct {
	all    bool // everything
	list   []string
	number float64
	unit   string // of a growth: % of the baseline, or the metric's own
	text   string
}

func (v value) equal(w value) bool {
	return v.all == w.all && v.number == w.number && v.unit == w.unit && v.text == w.text && holds(v.list, w.list) && holds(w.list, v.list)
}

// valueOf is a value as it was read from the base (0) or the head (1).
func (q question) valueOf(v any, side int) value {
	switch v := v.(type) {
	case []string:
		return value{list: v}
	case map[string]string:
		return pairs(v)
	case float64:
		return value{number: v}
	case rule.Change:
		return value{number: v.Amount, unit: map[bool]string{true: "%"}[v.Percent]}
	case bool:
		return value{number: truth(v)}
	case string:
		return word(q.option, v)
	}
	return q.unset[side]
}

// unset returns the value that an option has where an entry leaves it out.
func unset(o rule.Option, bounded bool) value {
	switch d := o.Default.(type) {
	case []string:
		return value{list: d}
	case float64:
		return value{number: d}
	case string:
		return word(o, d)
	}
	switch {
	case o.Sense == rule.Selects:
		return value{all: true}
	case o.Type == rule.Globs, o.Type == rule.Words, o.Type == rule.Pairs, o.Type == rule.Switch, o.Type == rule.Pattern:
		return value{}
	case o.InPlace && !bounded:
		return value{number: 1}
	case o.Sense == rule.Caps:
		return value{number: math.Inf(1)}
	}
	return value{number: math.Inf(-1)}
}

func pairs(m map[string]string) value {
	v := value{}
	for key, is := range m {
		v.list = append(v.list, key+"\x00"+is)
	}
	return v
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// word returns the value of one of several words. They are in order: the widest first if the option selects, otherwise the loosest first. Words of an option
// without a default have no order.
func word(o rule.Option, text string) value {
	rank := float64(slices.Index(o.Enum, text))
	switch {
	case o.Default == nil || rank < 0:
		return value{text: text}
	case o.Sense == rule.Selects:
		return value{number: -rank}
	}
	return value{number: rank}
}

// comparison is how one value compares with another.
type comparison int

const (
	unknown comparison = iota
	grew
	shrank
	shifted // neither holds the other
)

func grown(old, fresh value) comparison {
	switch {
	case old.all:
		return shrank
	case fresh.all:
		return grew
	case old.text != "" && fresh.text != "":
		return unknown
	case old.text != "":
		return shrank
	case fresh.text != "":
		return grew
	case old.unit != fresh.unit && !math.IsInf(old.number, 0) && !math.IsInf(fresh.number, 0):
		return unknown
	case len(old.list)+len(fresh.list) > 0:
		return grownList(old.list, fresh.list)
	}
	return [...]comparison{grew, unknown, shrank}[1+cmp.Compare(old.number, fresh.number)]
}

func grownList(old, fresh []string) comparison {
	switch {
	case holds(fresh, old):
		return grew
	case holds(old, fresh):
		return shrank
	}
	return shifted
}

// holds reports whether a list has all of another's words, each as often.
func holds(list, other []string) bool {
	left := slices.Clone(list)
	for _, s := range other {
		at := slices.Index(left, s)
		if at < 0 {
			return false
		}
		left = slices.Delete(left, at, at+1)
	}
	return true
}
