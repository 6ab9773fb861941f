package price

// Exchange sets what a collective sends when so many bytes are put in or got out on each device, whichever is more, between so many peers: by the
// algorithms on a ring, that all libraries come near to for large arrays.
func (w *Work) Exchange(opcode string, bytes, peers float64) {
	w[Peers], w[Hops] = peers, max(1, peers-1)
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
