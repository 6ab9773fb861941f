package policy

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/xlagate/xlagate/internal/rule"
)

// entries compares a list of promises, such as the fusions that must be there. Those that did not change find one another first.
func entries(table rule.Option, base, head []rule.Entry) []difference {
	_, old, fresh := match(base, head, func(a, b rule.Entry) bool { return reflect.DeepEqual(a.Values, b.Values) })
	pairs, gone, added := match(old, fresh, func(a, b rule.Entry) bool { return subject(table, a) == subject(table, b) })
	var out []difference
	for _, e := range gone {
		out = append(out, difference{Looser, fmt.Sprintf("%s: %q removed", table.Key, title(e))})
	}
	for _, p := range pairs {
		for _, field := range table.Fields {
			for _, d := range aboutField(table, field).differences(p[0].Values[field.Key], p[1].Values[field.Key]) {
				out = append(out, difference{d.effect, fmt.Sprintf("%s: %q: %s", table.Key, subject(table, p[0]), d.text)})
			}
		}
	}
	for _, e := range added {
		out = append(out, difference{Stricter, fmt.Sprintf("%s: %q added", table.Key, title(e))})
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

// unplaced leaves out where entries stand in their file.
func unplaced(v any) any {
	list, ok := v.([]rule.Entry)
	if !ok {
		return v
	}
	var out []map[string]any
	for _, e := range list {
		out = append(out, e.Values)
	}
	return out
}
