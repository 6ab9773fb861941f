package price

import "testing"

// What a run touches is in the caches as far as it fits, and a byte more never makes a step.
func TestCached(t *testing.T) {
	d := &Memories{Core: Level{Size: 100}, Shared: Level{Size: 400}}
	for touched, want := range map[float64]Cached{
		0: {1, 0}, 50: {1, 0}, 100: {1, 0}, 200: {0.5, 0.5}, 400: {0.25, 0.75}, 800: {0.125, 0.375},
	} {
		if got := d.Cached(touched); got != want {
			t.Errorf("%v bytes: %+v, want %+v", touched, got, want)
		}
	}
	w := Work{Far: 800, Near: 10}
	if got := w.From(Cached{0.125, 0.375}); got[Near] != 110 || got[Mid] != 300 || got[Far] != 400 {
		t.Errorf("near %v, mid %v, far %v", got[Near], got[Mid], got[Far])
	}
}
