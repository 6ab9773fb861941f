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

// Time is how long a launch takes on the device: its overhead, and then the slower of arithmetic and memory, unless the compiler says what it expects.
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

// compute is how long the arithmetic takes, one unit after the other: few programs keep two busy. On a GPU the last tiles may leave units idle.
func (d *Device) compute(w *Work) float64 {
	products := d.products(w)
	t := products + d.rest(w)
	if d.Family == GPU && w[Tiles] > 0 {
		t *= math.Ceil(w[Tiles]/d.Units) * d.Units / w[Tiles]
	}
	if products > 0 {
		t += d.Fill
	}
	return t
}

// products is the arithmetic of products. A GPU gets 0.83 of its rate with a product of 4,096 rows, and 0.90 with 8,192: measured on an H200.
func (d *Device) products(w *Work) (t float64) {
	attained := attainedProduct
	if d.Family == GPU {
		attained = 0.85
	}
	for kind, rate := range d.Products {
		t += ns(w[kind], attained*rate)
	}
	return t
}

// rest is the arithmetic beside products.
func (d *Device) rest(w *Work) float64 {
	vector, wide, special64 := attainedVector*d.Vector, attainedVector*d.Vector64, d.Special/2
	if wide == 0 { // a TPU makes double precision of pairs of narrower numbers
		wide = vector / 16
	}
	looped, rounds := vector, vector
	switch d.Family {
	case CPU: // a plain loop is not even put into vectors, and the compiler makes six operations of rounding to bf16
		looped, rounds = 2*d.Scalar, vector/6
	case GPU: // measured on an H200
		special64 = d.Special / 7
	}
	t := ns(w[Looped], looped) + ns(w[Rounds], rounds) + ns(w[Vector], vector) + ns(w[Vector64], wide)
	return t + ns(w[Special], d.Special) + ns(w[Special64], special64) + ns(w[Slow], d.Slow) + ns(w[Scalar], d.Scalar) + ns(w[Serial], d.Serial) + ns(w[Atomics], d.Atomic)
}

// memory is how long the data moves. What a gather reads or a scatter writes is at least a line each, of the farthest memory that the launch touches.
func (m *Memories) memory(w *Work) float64 {
	lines, farthest := max(0, w[Pieces]*m.Line-w[Near]-w[Mid]-w[Far]), m.Core
	switch {
	case w[Far] > 0 || w[OnChip] > 0:
		farthest = m.Memory
	case w[Mid] > 0:
		farthest = m.Shared
	}
	t := ns(w[Near], m.bandwidth(m.Core)) + ns(w[Mid], m.bandwidth(m.Shared)) + ns(w[Far], m.bandwidth(m.Memory)) + ns(lines, m.bandwidth(farthest))
	return t + ns(w[OnChip], m.OnChip) + ns(w[FromHost], m.Host)
}

func (m *Memories) bandwidth(l Level) float64 {
	if l.Bandwidth == 0 {
		l = m.Memory
	}
	return attainedBandwidth * l.Bandwidth
}

// network is how long a collective takes: so many messages one after the other, and its bytes over the link that all its devices are on. NCCL makes as many
// rings between machines as a machine has adapters for the devices of the group.
func (n *Network) network(w *Work) float64 {
	if w[Peers] <= 1 {
		return 0
	}
	link := n.Links
	if w[Reach] > math.Exp2(math.Ceil(math.Log2(n.Domain))) || w[Peers] > n.Domain { // Reach is a power of two, and 72 devices are nearby in a GB200
		link = n.Net
		if w[Rings] > 0 {
			link.Bandwidth = min(n.Links.Bandwidth, link.Bandwidth*max(1, n.Domain*w[Peers]/w[Reach]))
		}
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
		w[Sent], w[Hops], w[Rings] = 2*others*bytes, 2*w[Hops], 1
	case "all-gather", "reduce-scatter", "collective-reduce":
		w[Sent], w[Rings] = others*bytes, 1
	case "all-to-all", "ragged-all-to-all":
		w[Sent] = others * bytes
	default: // collective-permute, collective-broadcast, send and recv
		w[Sent], w[Hops] = bytes, 1
	}
	w[Far] = 2 * bytes // it is read, and written
}
