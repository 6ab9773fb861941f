package hlo

import "math/bits"

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
