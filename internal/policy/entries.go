package policy

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/rules"
)

// entries compares a list of promises, such as the fusions that must be there, by name.
func entries(key string, base, head []rules.Entry) []difference {
	var out []difference
	for _, b := range base {
		h := slices.IndexFunc(head, func(e rules.Entry) bool { return title(e) == title(b) })
		switch {
		case h < 0:
			out = append(out, difference{Looser, fmt.Sprintf("%s: %q removed", key, title(b))})
		case !reflect.DeepEqual(b.Values, head[h].Values):
			out = append(out, difference{Other, fmt.Sprintf("%s: %q changed", key, title(b))})
		}
	}
	for _, h := range head {
		if !slices.ContainsFunc(base, func(e rules.Entry) bool { return title(e) == title(h) }) {
			out = append(out, difference{Stricter, fmt.Sprintf("%s: %q added", key, title(h))})
		}
	}
	return out
}

// title is what an entry is called, or all that it holds when it has no name.
func title(e rules.Entry) string {
	if name := e.Text("name"); name != "" {
		return name
	}
	return strings.TrimPrefix(fmt.Sprint(e.Values), "map")
}

// unplaced leaves out where entries stand in their file.
func unplaced(v any) any {
	list, ok := v.([]rules.Entry)
	if !ok {
		return v
	}
	var out []map[string]any
	for _, e := range list {
		out = append(out, e.Values)
	}
	return out
}
