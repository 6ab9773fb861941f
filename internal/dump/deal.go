package dump

import (
	"cmp"
	"slices"
)

// ShardPiece is work that is not cut any further, with its size in bytes.
type ShardPiece struct {
	Name string
	Size int64
}

// Dealer deals out the pieces of one dump after the other. What a part gets follows from the pieces alone: every machine that sees
// the same pieces in the same order deals alike.
type Dealer struct {
	shard Shard
	load  []int64 // by part
}

// NewDealer deals for one part.
func NewDealer(s Shard) *Dealer { return &Dealer{s, make([]int64, s.Count)} }

// Whole says whether there is one part only.
func (d *Dealer) Whole() bool { return len(d.load) <= 1 }

// opening is what a piece costs beside its bytes, so that small ones are spread as well.
const opening = 4096

// Mine says which pieces are this part's: the largest is dealt first, each to the part that has least so far.
func (d *Dealer) Mine(pieces []ShardPiece) []bool {
	order := make([]int, len(pieces))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(pieces[b].Size, pieces[a].Size), cmp.Compare(pieces[a].Name, pieces[b].Name))
	})
	mine := make([]bool, len(pieces))
	for _, i := range order {
		to := d.least()
		d.load[to] += pieces[i].Size + opening
		mine[i] = to == d.shard.Index
	}
	return mine
}

// least is the first of the parts that have least.
func (d *Dealer) least() int {
	least := 0
	for i, load := range d.load {
		if load < d.load[least] {
			least = i
		}
	}
	return least
}
