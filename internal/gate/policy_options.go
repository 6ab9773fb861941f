package gate

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

// question says how the values of one option are compared.
type question struct {
	option   rule.Option
	unit     string  // of its numbers
	narrower string  // the effect of selecting less
	swapped  bool    // one of the two entries compares with the baseline instead
	bounded  [2]bool // whether the entry has a bound, in the base and in the head
}

// questionAbout is the question about an option of a rule.
func questionAbout(base, head *rule.Settings, o rule.Option) question {
	r := head.Rule
	q := question{option: o, unit: units[o.Type], narrower: Looser}
	if r.Budget != nil && (o.Means != "" || slices.Contains(rule.BoundKeys, o.Key)) {
		q.unit = r.Budget.Unit
	}
	if boundsBetter(base) || boundsBetter(head) { // there must be so many of what it looks at, too
		q.narrower = Other
	}
	q.swapped = r.Budget != nil && r.Budget.Difference && slices.Contains(r.Bounds, o.Key) && base.BoundedByOwn() != head.BoundedByOwn()
	q.bounded = [2]bool{base.Bounded(), head.Bounded()}
	return q
}

// units are those in which the numbers of a type of option are shown.
var units = map[rule.OptionType]string{rule.Size: "bytes", rule.Seconds: "seconds", rule.Nanoseconds: "nanoseconds", rule.Share: "share"}

// aboutField is the question about a key in the entries of a table.
func aboutField(table, field rule.Option) question {
	q := question{option: field, unit: units[field.Type], narrower: Looser}
	if table.Wanted {
		q.narrower = Stricter
	}
	return q
}

// boundsBetter reports whether an entry limits how much better the count may be.
func boundsBetter(s *rule.Settings) bool {
	switch m := s.Rule.Budget; {
	case m == nil:
		return false
	case m.Better == rule.Higher:
		return s.Max != nil || s.Equal != nil || s.MaxIncrease != nil
	}
	return s.Min != nil || s.Equal != nil || s.MaxDecrease != nil
}

// differences lists the differences of two values.
func (q question) differences(base, head any) []optionChange {
	if reflect.DeepEqual(unplaced(base), unplaced(head)) {
		return nil
	}
	if q.option.Type == rule.Table && !q.swapped {
		old, _ := base.([]rule.Entry)
		fresh, _ := head.([]rule.Entry)
		return entries(q.option, old, fresh)
	}
	if q.option.Type != rule.Table && q.valueOf(base, 0).equal(q.valueOf(head, 1)) { // what is implied was written
		return nil
	}
	was, is := q.shown(base, head)
	return []optionChange{{q.effect(base, head), fmt.Sprintf("%s %s → %s", q.option.Key, was, is)}}
}

// effect returns the effect of another value.
func (q question) effect(base, head any) string {
	more := Other // the effect of a larger value
	switch q.option.Sense {
	case rule.Caps:
		more = Looser
	case rule.Demands:
		more = Stricter
	case rule.Selects:
		more = opposite(q.narrower)
	case rule.Narrows:
		more = q.narrower
	}
	switch {
	case q.swapped:
		return Other
	case q.option.Key == "equal" && head == nil: // neither of two numbers is stricter than the other, but any is stricter than none
		return Looser
	case q.option.Key == "equal" && base == nil:
		return Stricter
	case more == Other:
		return Other
	}
	switch grown(q.valueOf(base, 0), q.valueOf(head, 1)) {
	case grew:
		return more
	case shrank:
		return opposite(more)
	case shifted: // a demand is gone, whatever replaces it
		return Looser
	}
	return Other
}

// shown writes both values, numbers with enough digits to differ.
func (q question) shown(base, head any) (was, is string) {
	a, hadNumber := base.(float64)
	b, hasNumber := head.(float64)
	if hadNumber && hasNumber {
		return phrase.Apart(a, b, q.unit)
	}
	return q.show(base), q.show(head)
}

func (q question) show(v any) string {
	switch v := v.(type) {
	case nil:
		if word, is := q.option.Default.(string); is {
			return word
		}
		return "none"
	case float64:
		return phrase.Show(v, q.unit)
	case rule.Change:
		if v.Percent {
			return phrase.Number(v.Amount) + " %"
		}
		return phrase.Show(v.Amount, q.unit)
	case []string:
		return strings.Join(v, ", ")
	case []rule.Entry:
		names := phrase.Map(v, func(e rule.Entry) string { return fmt.Sprintf("%q", title(e)) })
		return strings.Join(names, ", ")
	}
	return strings.TrimPrefix(fmt.Sprint(v), "map")
}

// entries compares a list of promises, such as the fusions that must exist. Those that did not change find one another first.
func entries(table rule.Option, base, head []rule.Entry) []optionChange {
	_, old, fresh := pairUp(base, head, func(a, b rule.Entry) bool { return reflect.DeepEqual(a.Values, b.Values) })
	pairs, gone, added := pairUp(old, fresh, func(a, b rule.Entry) bool { return subject(table, a) == subject(table, b) })
	out := phrase.Map(gone, func(e rule.Entry) optionChange {
		return optionChange{Looser, fmt.Sprintf("%s: %q removed", table.Key, title(e))}
	})
	for _, p := range pairs {
		for _, field := range table.Fields {
			for _, d := range aboutField(table, field).differences(p[0].Values[field.Key], p[1].Values[field.Key]) {
				out = append(out, optionChange{d.effect, fmt.Sprintf("%s: %q: %s", table.Key, subject(table, p[0]), d.text)})
			}
		}
	}
	for _, e := range added {
		out = append(out, optionChange{Stricter, fmt.Sprintf("%s: %q added", table.Key, title(e))})
	}
	return out
}

// subject is what an entry is about: its name, else the calls, arguments or results that it must name, else all that it holds.
func subject(table rule.Option, e rule.Entry) string {
	for _, field := range table.Fields {
		if field.Require && (field.Key == "name" || field.Type == rule.Glob) {
			return e.Text(field.Key)
		}
	}
	return title(e)
}

// title is what an entry is called, or all that it holds when it has no name.
func title(e rule.Entry) string {
	if name := e.Text("name"); name != "" {
		return name
	}
	return strings.TrimPrefix(fmt.Sprint(e.Values), "map")
}

// unplaced returns entries without their places in the file.
func unplaced(v any) any {
	list, ok := v.([]rule.Entry)
	if !ok {
		return v
	}
	return phrase.Map(list, func(e rule.Entry) map[string]any { return e.Values })
}

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

// valueOf returns a value as it was read from the base (0) or the head (1), or what holds where the option is left out.
func (q question) valueOf(v any, side int) value {
	o := q.option
	if v == nil {
		v = o.Default
	}
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
		return value{number: float64(diff.Flag(v))}
	case string:
		return word(o, v)
	}
	switch {
	case o.Sense == rule.Selects:
		return value{all: true}
	case o.Type == rule.Globs, o.Type == rule.Words, o.Type == rule.Pairs, o.Type == rule.Switch, o.Type == rule.Pattern:
		return value{}
	case o.InPlace && !q.bounded[side]:
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
