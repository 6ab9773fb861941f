package hlo

// digest is a pair of hashes: of everything, and of what stays when dimensions are scaled.
type digest struct{ full, family uint64 }

func both(v uint64) digest { return digest{v, v} }

// and appends: the order counts.
func (d digest) and(e digest) digest { return digest{mix(d.full, e.full), mix(d.family, e.family)} }

// plus adds to a multiset: the order does not count, the number does.
func (d digest) plus(e digest) digest { return digest{d.full + e.full, d.family + e.family} }

// mix appends a number to a hash: the finalizer of MurmurHash3, which loses nothing.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33 + 0x9e3779b97f4a7c15
}

// hashText hashes bytes, eight at a time.
func hashText[T string | []byte](s T) uint64 {
	h := uint64(len(s))
	for ; len(s) >= 8; s = s[8:] {
		h = mix(h, uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|
			uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56)
	}
	var rest uint64
	for i := len(s) - 1; i >= 0; i-- {
		rest = rest<<8 | uint64(s[i])
	}
	return mix(h, rest)
}

func hashNumbers(numbers []int64) uint64 {
	h := uint64(len(numbers))
	for _, n := range numbers {
		h = mix(h, uint64(n))
	}
	return h
}

func hashBool(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
