package policy

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

// question is how the values of one option are compared.
type question struct {
	option   rule.Option
	narrower string   // what it means that less is looked at
	swapped  bool     // the baseline takes the place of what the entry says, or gives it up
	unset    [2]value // what leaving the option out comes to, in the base and in the head
}

// about asks for an option of a rule.
func about(base, head *rule.Settings, key string) question {
	r := base.Rule
	at := slices.IndexFunc(r.Options, func(o rule.Option) bool { return o.Key == key })
	q := question{option: r.Options[at], narrower: Looser}
	if boundsBetter(base) || boundsBetter(head) { // there must be so many of what it looks at, too
		q.narrower = Other
	}
	q.swapped = r.Budget != nil && r.Budget.Difference && slices.Contains(r.Bounds, key) && ownBounds(base) != ownBounds(head)
	q.unset = [2]value{unset(q.option, bounded(base)), unset(q.option, bounded(head))}
	return q
}

// aboutField asks for a key in the entries of a table.
func aboutField(table, field rule.Option) question {
	q := question{option: field, narrower: Looser, unset: [2]value{unset(field, false), unset(field, false)}}
	if table.Wanted {
		q.narrower = Stricter
	}
	return q
}

// boundsBetter says whether an entry bounds what its rule counts from the side that is better.
func boundsBetter(s *rule.Settings) bool {
	switch m := s.Rule.Budget; {
	case m == nil:
		return false
	case m.Better == rule.Higher:
		return s.Max != nil || s.Equal != nil || s.MaxIncrease != nil
	}
	return s.Min != nil || s.Equal != nil || s.MaxDecrease != nil
}

func bounded(s *rule.Settings) bool {
	return s.Max != nil || s.Min != nil || s.Equal != nil || s.MaxIncrease != nil || s.MaxDecrease != nil
}

// ownBounds says whether an option of the rule's own stands in the place of the baseline.
func ownBounds(s *rule.Settings) bool {
	return slices.ContainsFunc(s.Rule.Bounds, func(key string) bool { return s.Options[key] != nil })
}

// differences tells how a value changed.
func (q question) differences(base, head any) []difference {
	if reflect.DeepEqual(unplaced(base), unplaced(head)) {
		return nil
	}
	if q.option.Type == rule.Table && !q.swapped {
		old, _ := base.([]rule.Entry)
		fresh, _ := head.([]rule.Entry)
		return entries(q.option, old, fresh)
	}
	if q.option.Type != rule.Table && q.valueOf(base, 0).equal(q.valueOf(head, 1)) { // what goes without saying was said
		return nil
	}
	was, is := q.shown(base, head)
	return []difference{{q.effect(base, head), fmt.Sprintf("%s %s → %s", q.option.Key, was, is)}}
}

// effect is which way a value went.
func (q question) effect(base, head any) string {
	more := Other // what it means that the value is more than it was
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
	if more == Other || q.swapped {
		return Other
	}
	switch grown(q.valueOf(base, 0), q.valueOf(head, 1)) {
	case grew:
		return more
	case shrank:
		return opposite(more)
	case shifted: // something that was asked for is asked for no longer, whatever came in its place
		return Looser
	}
	return Other
}

// shown writes both values.
func (q question) shown(base, head any) (was, is string) {
	unit := ""
	switch q.option.Type {
	case rule.Size:
		unit = "bytes"
	case rule.Seconds:
		unit = "seconds"
	case rule.Nanoseconds:
		unit = "nanoseconds"
	case rule.Share:
		unit = "share"
	}
	a, hadNumber := base.(float64)
	b, hasNumber := head.(float64)
	switch {
	case hadNumber && hasNumber:
		return phrase.Apart(a, b, unit)
	case hadNumber:
		return phrase.Show(a, unit), shown(head)
	case hasNumber:
		return shown(base), phrase.Show(b, unit)
	}
	return shown(base), shown(head)
}

func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case []string:
		return strings.Join(v, ", ")
	case []rule.Entry:
		var names []string
		for _, e := range v {
			names = append(names, fmt.Sprintf("%q", title(e)))
		}
		return strings.Join(names, ", ")
	}
	return strings.TrimPrefix(fmt.Sprint(v), "map")
}
