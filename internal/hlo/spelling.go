package hlo

import (
	"encoding/binary"
	"math/bits"
)

// spelling is a stretch of the source that is looked up: a name, an opcode, a shape. Short ones are compared without looking at the
// source again.
type spelling struct {
	head  uint64 // the first eight bytes
	rest  uint64 // of a short one the other bytes, of a long one a hash of them
	at, n uint32 // where it stands, and how many bytes it has
}

const shortSpelling = 16

func (s spelling) hash() uint32 {
	h := mixed(s.head, s.rest)
	return uint32(h ^ h>>32)
}

func (s spelling) end() int      { return int(s.at + s.n) }
func (s spelling) bounds() Range { return Range{s.at, s.at + s.n} }

// spelling is the one between two offsets.
func (t text) spelling(at, end int) spelling {
	s := spelling{at: uint32(at), n: uint32(end - at)}
	switch {
	case end-at <= 8:
		s.head = t.number(at, end)
	case end-at <= shortSpelling:
		s.head, s.rest = t.eight(at), t.number(at+8, end)
	default:
		s.head, s.rest = t.eight(at), t.rest(at+8, end)
	}
	return s
}

// rest hashes what stands behind the first eight bytes of a long spelling.
func (t text) rest(i, end int) uint64 {
	h, b := uint64(0), t[i:end]
	for ; len(b) > 16; b = b[16:] {
		h = mixed(h^binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]))
	}
	return mixed(h^t.eight(end-16), t.eight(end-8)) // some bytes are mixed in twice
}

func mixed(a, b uint64) uint64 {
	high, low := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xc4ceb9fe1a85ec53)
	return high ^ low
}

// eight reads eight bytes as one number.
func (t text) eight(i int) uint64 { return binary.LittleEndian.Uint64(t[i : i+8]) }

// number reads up to eight bytes as one number.
func (t text) number(i, end int) (n uint64) {
	if i >= 0 && i <= len(t)-8 {
		return t.eight(i) & (1<<(8*uint(end-i)) - 1)
	}
	for k := end - 1; k >= i; k-- {
		n = n<<8 | uint64(t[k])
	}
	return n
}

// name is the name at i, with no bytes where none begins.
func (t text) name(i int) spelling {
	if i >= 0 && i <= len(t)-shortSpelling {
		head := t.eight(i)
		if behind := notIdent(head); behind != 0 {
			return spelling{head & below(behind), 0, uint32(i), uint32(firstMark(behind))}
		}
		rest := t.eight(i + 8)
		if behind := notIdent(rest); behind != 0 {
			return spelling{head, rest & below(behind), uint32(i), uint32(8 + firstMark(behind))}
		}
		return t.spelling(i, t.ident(i+shortSpelling))
	}
	return t.spelling(i, t.ident(i))
}

// token is what stands at i up to a byte that sorts before those of names. No name at i is longer; but a token may hold what may not
// stand in a name.
func (t text) token(i int) (head, rest uint64, n uint32) { return t.upTo(i, '-') }

// toBlank is like token, up to a blank.
func (t text) toBlank(i int) (head, rest uint64, n uint32) { return t.upTo(i, '!') }

// upTo spells what stands at i up to a byte that sorts before c. What is not a short spelling, or stands at the end of the text, has
// no n.
func (t text) upTo(i int, c byte) (head, rest uint64, n uint32) {
	if i < 0 || i > len(t)-shortSpelling {
		return 0, 0, 0
	}
	head = t.eight(i)
	if behind := before(head, c); behind != 0 {
		return head & below(behind), 0, firstMark(behind)
	}
	rest = t.eight(i + 8)
	if behind := before(rest, c); behind != 0 {
		return head, rest & below(behind), 8 + firstMark(behind)
	}
	return 0, 0, 0
}

// Eight bytes of text are looked at at once, as the bytes of one number, the first being the lowest. A mark is a byte's highest bit.
const (
	eachByte = 0x0101010101010101
	marks    = 0x80 * eachByte
)

// notIdent marks the bytes that may not stand in a name. A sum marks the bytes that are at least as large as the letter in it.
func notIdent(word uint64) uint64 {
	ascii := word &^ marks
	lower := ascii | 0x20*eachByte
	letter := (lower + (0x80-'a')*eachByte) &^ (lower + (0x7f-'z')*eachByte)
	digit := (ascii + (0x80-'-')*eachByte) &^ (ascii + (0x7f-'9')*eachByte) // or - or . or /
	notSlash := (ascii ^ '/'*eachByte) + 0x7f*eachByte
	notUnderscore := (ascii ^ '_'*eachByte) + 0x7f*eachByte
	return (^(letter|digit&notSlash)&notUnderscore | word) & marks
}

// before marks the first of the bytes that sort before c, and perhaps others behind it.
func before(word uint64, c byte) uint64 { return (word - uint64(c)*eachByte) &^ word & marks }

// below has the bits of the bytes before the first mark.
func below(marks uint64) uint64 { return (marks&-marks)>>7 - 1 }

// firstMark is how many bytes stand before the first mark.
func firstMark(marks uint64) uint32 { return uint32(bits.TrailingZeros64(marks)) >> 3 }

// ident skips the bytes of a name.
func (t text) ident(i int) int {
	for ; i >= 0 && i <= len(t)-8; i += 8 {
		if other := notIdent(t.eight(i)); other != 0 {
			return i + int(firstMark(other))
		}
	}
	for i < len(t) && class[t[i]]&classIdent != 0 {
		i++
	}
	return i
}
