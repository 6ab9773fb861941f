package hlo

import (
	"encoding/binary"
	"math/bits"
)

// spelling is a range of the source that is looked up in a table: a name, an opcode, a shape. Two short spellings are compared without the source.
type spelling struct {
	head  uint64 // the first eight bytes
	rest  uint64 // the other bytes, or a hash of them if the spelling is long
	at, n uint32 // offset and length
}

// shortSpelling is the length of the longest short spelling.
const shortSpelling = 16

func (s spelling) hash() uint32 {
	h := mixed(s.head, s.rest)
	return uint32(h ^ h>>32)
}

func (s spelling) end() int      { return int(s.at + s.n) }
func (s spelling) bounds() Range { return Range{s.at, s.at + s.n} }

// spelling returns the spelling between two offsets.
func (t text) spelling(at, end int) spelling {
	s := spelling{at: uint32(at), n: uint32(end - at)}
	switch {
	case end-at <= 8:
		s.head = t.number(at, end)
	case end-at <= shortSpelling:
		s.head, s.rest = t.eight(at), t.number(at+8, end)
	default:
		s.head = t.eight(at)
		b := t[at+8 : end]
		for ; len(b) > 16; b = b[16:] {
			s.rest = mixed(s.rest^binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]))
		}
		s.rest = mixed(s.rest^t.eight(end-16), t.eight(end-8)) // some bytes are mixed in twice
	}
	return s
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

// name returns the name at i. It is empty when no name begins there.
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

// token returns the spelling at i up to the first byte that sorts before the bytes of names. The name at i may be shorter.
func (t text) token(i int) (head, rest uint64, n uint32) { return t.upTo(i, '-') }

// upTo returns the spelling at i up to the first byte that sorts before c. It returns n = 0 when the spelling is long or ends near the end of the text.
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

// The functions below look at eight bytes of text at once, as one little-endian number. A mark is the highest bit of a byte.
const (
	eachByte = 0x0101010101010101
	marks    = 0x80 * eachByte
)

// notIdent marks the bytes that are not part of a name. Each sum marks the bytes that are at least as large as the character in it.
func notIdent(word uint64) uint64 {
	ascii := word &^ marks
	lower := ascii | 0x20*eachByte
	letter := (lower + (0x80-'a')*eachByte) &^ (lower + (0x7f-'z')*eachByte)
	digit := (ascii + (0x80-'-')*eachByte) &^ (ascii + (0x7f-'9')*eachByte) // or one of - . /
	notSlash := (ascii ^ '/'*eachByte) + 0x7f*eachByte
	notUnderscore := (ascii ^ '_'*eachByte) + 0x7f*eachByte
	return (^(letter|digit&notSlash)&notUnderscore | word) & marks
}

// before marks the first of the bytes that sort before c, and maybe some behind it.
func before(word uint64, c byte) uint64 { return (word - uint64(c)*eachByte) &^ word & marks }

// below returns a mask of the bytes before the first mark.
func below(marks uint64) uint64 { return (marks&-marks)>>7 - 1 }

// firstMark returns the number of bytes before the first mark.
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
