package facts

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A list of shapes is what it was made of, however many of them differ, and equals another exactly when that is the same.
func TestShapes(t *testing.T) {
	shape := rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf("f32[%d]", rapid.IntRange(0, 2*maxShapes).Draw(t, "elements"))
	})
	lists := rapid.SliceOfN(rapid.OneOf(shape, rapid.SampledFrom([]string{"f32[]", "bf16[8,128]"})), 0, 3*maxShapes)
	rapid.Check(t, func(t *rapid.T) {
		one, other := lists.Draw(t, "one"), lists.Draw(t, "other")
		s := ShapesOf(one...)
		if !slices.Equal(s.List(), one) || s.Len() != len(one) {
			t.Errorf("%d shapes became %d: %v", len(one), s.Len(), s)
		}
		if !s.Equal(ShapesOf(slices.Clone(one)...)) || s.Equal(ShapesOf(other...)) != slices.Equal(one, other) {
			t.Errorf("%v and %v were not told apart, or the same was", one, other)
		}
	})
}

func TestPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOf(rapid.Int32Range(0, 1<<22)).Draw(t, "places")
		slices.Sort(list)
		by := rapid.Int32Range(0, 1<<22).Draw(t, "by")
		p := PlacesOf(list...)
		if got := slices.Collect(p.All()); !slices.Equal(got, list) {
			t.Errorf("%v became %v", list, got)
		}
		for i := range list {
			list[i] += by
		}
		if p.shifted(by) != PlacesOf(list...) {
			t.Errorf("shifted by %d they are %v", by, slices.Collect(p.shifted(by).All()))
		}
	})
}
