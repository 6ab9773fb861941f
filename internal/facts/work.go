package facts

import (
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
)

// work is what a launch asks of a device.
func (r *reader) work(l launch) price.Work {
	if r.meter == nil {
		r.meter = price.NewMeter(r.alike(), r.price(), r.trips, r.multiplied)
	}
	if l.class == ClassCollective && l.moves != hlo.NoInstr {
		w := r.exchange(l)
		return w.Rounded()
	}
	w := r.meter.Of(l.id)
	if l.class == ClassControl && r.m.Instrs[l.id].Opcode != hlo.OpWhile {
		w[price.Decisions] = 1
	}
	return w.Rounded()
}

// multiplied is a product as prices know it.
func (r *reader) multiplied(id hlo.InstrID) (price.Product, bool) {
	if !r.isProduct(id) {
		return price.Product{}, false
	}
	p := r.product(id)
	return price.Product{Type: p.Type, Precision: p.Precision, Flops: float64(p.Flops)}, true
}

// exchange is what a collective asks for.
func (r *reader) exchange(l launch) (w price.Work) {
	count, peers := parseGroups(r.attr(l.moves, "replica_groups"))
	if count == 0 {
		peers = int(r.m.Header.ReplicaCount * r.m.Header.NumPartitions)
	}
	if _, pairs := r.m.Attr(l.moves, "source_target_pairs"); pairs {
		peers = max(2, peers)
	}
	w.Exchange(plainOpcode(r.opcode(l.moves)), float64(r.moved(l.moves)), float64(peers))
	return w
}

func (r *reader) attr(id hlo.InstrID, key string) string {
	value, _ := r.m.Attr(id, key)
	return value
}
