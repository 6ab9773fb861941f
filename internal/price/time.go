package price

import "math"

// Time is how long something takes on a device, in nanoseconds, by what it waits for.
type Time struct {
	Launch, Compute, Memory, Network, Host float64
}

// Whole rounds every part to a nanosecond.
func (t Time) Whole() Time { return t.rounded(1) }

func (t Time) rounded(parts float64) Time {
	for _, part := range []*float64{&t.Launch, &t.Compute, &t.Memory, &t.Network, &t.Host} {
		*part = math.Round(*part*parts) / parts
	}
	return t
}

// Total is the sum of all parts.
func (t Time) Total() float64 { return t.Launch + t.Compute + t.Memory + t.Network + t.Host }

// Add adds n times another time.
func (t *Time) Add(o Time, n float64) {
	t.Launch += n * o.Launch
	t.Compute += n * o.Compute
	t.Memory += n * o.Memory
	t.Network += n * o.Network
	t.Host += n * o.Host
}

// Time is how long a launch takes on the device: its overhead, and then as long as the slower of arithmetic and memory, to which the whole is
// put down. What the compiler expects goes before.
func (d *Device) Time(w *Work) (t Time) {
	t.Launch = d.Launch*(1+w[Launches]) + d.Turn*w[Iterations] + d.Step*math.Ceil(w[Steps]/max(1, d.Units))
	t.Host = d.Decision*w[Decisions] + d.Call*w[Calls]
	t.Network = d.network(w)
	compute, memory := d.compute(w), d.memory(w)
	if w[Cycles] > 0 && d.Clock > 0 {
		expected := w[Cycles] / d.Clock * giga
		share := min(1, expected/max(1, t.Launch))
		t.Launch *= share
		expected -= t.Launch
		if compute > memory {
			compute, memory = expected, 0
		} else {
			compute, memory = 0, expected
		}
	}
	if compute > memory {
		t.Compute = compute
	} else {
		t.Memory = memory
	}
	queued := d.Queue * w[Queued] * (1 + w[Launches])
	if d.Family == CPU {
		t.Launch += queued
	} else if queued > 0 {
		t.Launch = max(t.Launch, queued-compute-memory-t.Network)
	}
	share := 1 - min(1, w[Hidden]) // of what a transfer takes; its launch and what the host does stay whole
	t.Network, t.Compute, t.Memory = share*t.Network, share*t.Compute, share*t.Memory
	return t.rounded(1024) // so that sums are the same in whatever order
}

// Transfer is how long a transfer takes when nothing runs beside it.
func (d *Device) Transfer(w *Work, c Cached) float64 {
	apart := w.From(c)
	apart[Hidden] = 0
	t := d.Time(apart)
	return t.Network + t.Compute + t.Memory
}

// ns is how long an amount takes at a rate a second.
func ns(amount, rate float64) float64 {
	if amount == 0 || rate == 0 {
		return 0
	}
	return amount / rate * giga
}

// compute is how long the arithmetic takes. Units work one after the other here: few programs keep two of them busy.
func (d *Device) compute(w *Work) float64 {
	products := d.products(w)
	t := d.waves(w[Tiles]) * (products + d.rest(w))
	if products > 0 {
		t += d.Fill
	}
	return t
}

func (d *Device) products(w *Work) (t float64) {
	for kind, rate := range d.Products {
		t += ns(w[kind], d.attained()*rate)
	}
	return t
}

// rest is the arithmetic beside products.
func (d *Device) rest(w *Work) float64 {
	t := ns(w[Looped], d.looped()) + ns(w[Rounds], d.rounds()) + ns(w[Vector], attainedVector*d.Vector) + ns(w[Vector64], attainedVector*d.wide())
	return t + ns(w[Special], d.Special) + ns(w[Special64], d.special64()) + ns(w[Slow], d.Slow) + ns(w[Scalar], d.Scalar) + ns(w[Serial], d.Serial) + ns(w[Atomics], d.Atomic)
}

// waves is how many times longer work takes that is cut into tiles: units of a GPU take one tile each, and the last may leave units idle.
func (d *Device) waves(tiles float64) float64 {
	if d.Family != GPU || tiles == 0 {
		return 1
	}
	return math.Ceil(tiles/d.Units) * d.Units / tiles
}

// attained is what a good program gets of the rate of products. Measured on an H200: 0.83 of it with a product of 4,096 rows, 0.90 with 8,192.
func (d *Device) attained() float64 {
	if d.Family == GPU {
		return 0.85
	}
	return attainedProduct
}

// special64 is how fast functions are computed in double precision: on a GPU at a seventh of the rate of single precision, measured on an H200.
func (d *Device) special64() float64 {
	if d.Family == GPU {
		return d.Special / 7
	}
	return d.Special / 2
}

// looped is how fast a plain loop multiplies and adds: a CPU does not even put it into vectors.
func (d *Device) looped() float64 {
	if d.Family == CPU {
		return 2 * d.Scalar
	}
	return attainedVector * d.Vector
}

// rounds is how fast numbers are rounded to bf16: in one operation, but for a CPU, for which the compiler makes six of it.
func (d *Device) rounds() float64 {
	if d.Family == CPU {
		return attainedVector * d.Vector / 6
	}
	return attainedVector * d.Vector
}

// wide is how fast double precision is computed. A TPU makes it of pairs of narrower numbers.
func (r *Rates) wide() float64 {
	if r.Vector64 > 0 {
		return r.Vector64
	}
	return r.Vector / 16
}

// memory is how long the data moves. What a gather reads or a scatter writes is at least a line each.
func (m *Memories) memory(w *Work) float64 {
	lines := max(0, w[Pieces]*m.Line-w[Near]-w[Mid]-w[Far])
	t := ns(w[Near], m.bandwidth(m.Core)) + ns(w[Mid], m.bandwidth(m.Shared)) + ns(w[Far], m.bandwidth(m.Memory)) + ns(lines, m.bandwidth(m.farthest(w)))
	return t + ns(w[OnChip], m.OnChip) + ns(w[FromHost], m.Host)
}

// farthest is the level of memory that holds what a launch touches.
func (m *Memories) farthest(w *Work) Level {
	switch {
	case w[Far] > 0 || w[OnChip] > 0:
		return m.Memory
	case w[Mid] > 0:
		return m.Shared
	}
	return m.Core
}

func (m *Memories) bandwidth(l Level) float64 {
	if l.Bandwidth == 0 {
		l = m.Memory
	}
	return attainedBandwidth * l.Bandwidth
}

// network is how long a collective takes: so many messages one after the other, and its bytes over the link that all its devices are on.
func (n *Network) network(w *Work) float64 {
	if w[Peers] <= 1 {
		return 0
	}
	link := n.Links
	if w[Reach] > n.Domain {
		link = n.Net
	}
	return w[Hops]*link.Latency + ns(w[Sent], attainedBandwidth*link.Bandwidth)
}

// Exchange sets what a collective sends when so many bytes are put in or got out on each device, whichever is more, between so many peers: by the
// algorithms on a ring, that all libraries come near to for large arrays.
func (w *Work) Exchange(opcode string, bytes, peers, reach float64) {
	w[Peers], w[Reach], w[Hops] = peers, reach, max(1, peers-1)
	others := (peers - 1) / max(1, peers)
	switch opcode {
	case "all-reduce":
		w[Sent], w[Hops] = 2*others*bytes, 2*w[Hops]
	case "all-gather", "reduce-scatter", "all-to-all", "ragged-all-to-all", "collective-reduce":
		w[Sent] = others * bytes
	default: // collective-permute, collective-broadcast, send and recv
		w[Sent], w[Hops] = bytes, 1
	}
	w[Far] = 2 * bytes // it is read, and written
}
