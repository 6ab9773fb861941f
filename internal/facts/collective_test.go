package facts

import (
	"slices"
	"testing"

	"github.com/xlagate/xlagate/internal/fuzztest"
)

func TestParseGroups(t *testing.T) {
	for _, c := range []struct {
		printed     string
		count, size int
	}{
		{"{{0,1},{2,3}}", 2, 2},
		{"{{0}}", 1, 1},
		{"{}", 0, 0},
		{"[2,4]<=[8]", 2, 4},
		{"[2,4]<=[4,2]T(1,0)", 2, 4},
		{"[8]<=[8]", 1, 8},
		{"mesh['a'=2,'b'=4] {'a'}", 4, 2},
		{"mesh['a'=2,'b'=4] {'a','b'}", 1, 8},
		{"mesh['a'=4] {'a':(1)2}", 2, 2},
		{"mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)) {'a'}", 2, 2},
		{`mesh[a=2,b=2] {a}`, 2, 2},
		{"{{0,1,2}, {3,4,5}}", 2, 3},
		{"garbage", 0, 0},
		{"mesh['a'=0] {'a'}", 0, 0},
	} {
		groups := parseGroups(c.printed)
		if len(groups) != c.count || c.count > 0 && len(groups[0]) != c.size {
			t.Errorf("parseGroups(%q) = %v, expected %d of %d", c.printed, groups, c.count, c.size)
		}
	}
}

func FuzzParseGroups(f *testing.F) {
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, s []byte) error {
		for _, group := range parseGroups(string(s)) {
			if slices.ContainsFunc(group, func(device int64) bool { return device < 0 }) {
				t.Errorf("parseGroups(%q) has the group %v", s, group)
			}
		}
		return nil
	}, []byte("{{0,1},{2,3}}"), []byte("[2,4]<=[4,2]T(1,0)"), []byte("mesh['a'=2,'b'=4] {'a':(1)2}"), []byte("mesh["), []byte("{{"))
}
