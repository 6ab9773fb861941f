package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/xlagate/xlagate/internal/result"
)

// writeJSON writes a value indented, keys of maps sorted, `<`, `>` and `&` as they are.
func writeJSON(w io.Writer, what string, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("write %s as JSON: %w", what, err)
	}
	return nil
}

// asJSON renders a value that is its own JSON form.
func asJSON[T any](w io.Writer, v T, _ Options) error { return writeJSON(w, "the report", v) }

// resultJSON writes a result in its schema. Lists that are empty are written as such, not as null.
func resultJSON(w io.Writer, r *result.Result, _ Options) error {
	out := *r
	out.Findings = filled(out.Findings)
	out.Changes = append([]result.Change{}, out.Changes...)
	for i := range out.Changes {
		c := &out.Changes[i]
		c.Variants, c.Effects, c.Findings = filled(c.Variants), filled(c.Effects), filled(c.Findings)
	}
	out.Targets = append([]result.Target{}, out.Targets...)
	for i := range out.Targets {
		t := &out.Targets[i]
		t.NotCovered = filled(t.NotCovered)
		t.Programs = append([]result.Program{}, t.Programs...)
		for j := range t.Programs {
			t.Programs[j].Variants = filledVariants(t.Programs[j].Variants)
		}
	}
	return writeJSON(w, "the result", &out)
}

func filledVariants(variants []result.Variant) []result.Variant {
	out := append([]result.Variant{}, variants...)
	for i := range out {
		v := &out[i]
		v.Modules, v.Unstable, v.Facts = filled(v.Modules), filled(v.Unstable), filledMap(v.Facts)
	}
	return out
}

func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func filledMap[M ~map[K]V, K comparable, V any](m M) M {
	if m == nil {
		return M{}
	}
	return m
}

// each is the view of every element. Of none it is an empty list, not null.
func each[T, V any](list []T, view func(*T) V) []V {
	out := make([]V, len(list))
	for i := range list {
		out[i] = view(&list[i])
	}
	return out
}
