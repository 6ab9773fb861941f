package dump

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Shard{"0/1": {0, 1}, "0/4": {0, 4}, "3/4": {3, 4}, "9999/10000": {9999, 10000}} {
		if got, err := ParseShard(text); err != nil || got != want || got.Whole() {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for text, says := range map[string]string{
		"4/4": "the last of 4 is 3/4", "1/1": "the last of 1 is 0/1", "0/10001": "at most 10000",
		"": "expected I/N", "1": "expected I/N", "-1/4": "expected I/N", "0/0": "expected I/N", "0/-1": "expected I/N", "01/4": "expected I/N",
		"1/4/4": "expected I/N", "a/b": "expected I/N", " 1/4": "expected I/N", "1.0/4": "expected I/N", "99999999999999999999/4": "expected I/N",
	} {
		if _, err := ParseShard(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, wanted %q", text, err, says)
		}
	}
}

func pieces() *rapid.Generator[[]ShardPiece] {
	return rapid.Map(rapid.SliceOfN(rapid.Int64Range(0, 1<<30), 0, 40), func(sizes []int64) []ShardPiece {
		list := make([]ShardPiece, len(sizes))
		for i, size := range sizes {
			list[i] = ShardPiece{fmt.Sprint(i), size}
		}
		return list
	})
}

// Every piece goes to just one part, whatever was dealt before, and no part gets more than its share and the largest piece.
func TestDeal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 9).Draw(t, "count")
		dumps := rapid.SliceOfN(pieces(), 1, 4).Draw(t, "dumps")
		var total, largest int64
		loads := make([]int64, count)
		owners := make([]map[string]int, len(dumps))
		for index := range count {
			dealer := NewDealer(Shard{index, count})
			for i, dump := range dumps {
				if owners[i] == nil {
					owners[i] = map[string]int{}
				}
				for j, mine := range dealer.Mine(dump) {
					cost := dump[j].Size + opening
					if index == 0 {
						total, largest = total+cost, max(largest, cost)
					}
					if mine {
						owners[i][dump[j].Name]++
						loads[index] += cost
					}
				}
			}
		}
		for i, dump := range dumps {
			for _, p := range dump {
				if owners[i][p.Name] != 1 {
					t.Fatalf("piece %s of dump %d went to %d parts", p.Name, i, owners[i][p.Name])
				}
			}
		}
		for index, load := range loads {
			if load > total/int64(count)+largest {
				t.Fatalf("part %d has %d of %d, the largest piece is %d", index, load, total, largest)
			}
		}
	})
}

// In which order the pieces stand makes no difference: a machine may list them otherwise.
func TestDealInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Shard{0, rapid.IntRange(1, 9).Draw(t, "count")}
		dump := pieces().Draw(t, "dump")
		moved := rapid.Permutation(dump).Draw(t, "moved")
		if a, b := dealt(s, dump), dealt(s, moved); !maps.Equal(a, b) {
			t.Fatalf("%v, and in another order %v", a, b)
		}
	})
}

// dealt are the names of the pieces that a part gets.
func dealt(s Shard, dump []ShardPiece) map[string]bool {
	names := map[string]bool{}
	for i, mine := range NewDealer(s).Mine(dump) {
		if mine {
			names[dump[i].Name] = true
		}
	}
	return names
}

// The largest piece is dealt first, and small ones fill the other part.
func TestDealFills(t *testing.T) {
	dump := []ShardPiece{{"a", 1 << 20}, {"b", 1 << 20}, {"c", 1 << 20}, {"d", 3 << 20}}
	if got := dealt(Shard{0, 2}, dump); !maps.Equal(got, map[string]bool{"d": true}) {
		t.Errorf("the first of two parts gets %v", got)
	}
}

func TestComplaint(t *testing.T) {
	for _, c := range []struct{ parts, says string }{
		{"0/1", ""}, {"1/3 0/3 2/3", ""},
		{"0/3 2/3", "has 2 of its 3 parts: 1/3 did not run"},
		{"0/9", "5/9, 6/9, 7/9, 8/9 did not run"},
		{"0/20", "has 1 of its 20 parts: 1/20, 2/20, 3/20, 4/20, 5/20, 6/20, 7/20, 8/20 and 11 more did"},
		{"0/2 1/2 0/2", "has part 0/2 twice: in a.json and in c.json"},
		{"0/2 1/3", "was cut into 2 parts in a.json and into 3 in b.json"},
	} {
		var parts []ShardFound
		for i, text := range strings.Fields(c.parts) {
			s, err := ParseShard(text)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, ShardFound{s, string(rune('a'+i)) + ".json"})
		}
		if got := ShardComplaint(parts); (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: %q, wanted %q", c.parts, got, c.says)
		}
	}
}
