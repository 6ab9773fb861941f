package fuzztest

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"
)

// limits are numbers at which readers go wrong.
var limits = []string{
	"0", "-0", "-1", "1", "007", "127", "255", "65536", "2147483647", "2147483648", "-2147483649", "4294967296", "9223372036854775807", "9223372036854775808",
	"-9223372036854775808", "18446744073709551615", "99999999999999999999999", "1e309", "-1e-400", "nan", "inf", "0x7fffffffffffffff", "0.1",
}

var number = regexp.MustCompile(`-?\d+(\.\d+)?`)

// brackets open and close what is nested.
const brackets = `()[]{}<>"'`

// Text edits lines, what stands between separators in them, and numbers.
func Text(r *rand.Rand, data []byte) []byte {
	switch r.IntN(8) {
	case 0, 1, 2:
		return bytes.Join(shuffled(r, bytes.SplitAfter(data, []byte("\n"))), nil)
	case 3, 4:
		return inLine(r, data, func(line []byte) []byte {
			separator := []string{", ", " ", ",", "=", ":", "/", "\t"}[r.IntN(7)]
			return bytes.Join(shuffled(r, bytes.Split(line, []byte(separator))), []byte(separator))
		})
	case 5, 6:
		return inLine(r, data, func(line []byte) []byte {
			found := number.FindAllIndex(line, -1)
			if len(found) == 0 {
				return line
			}
			at := found[r.IntN(len(found))]
			return slices.Concat(line[:at[0]], []byte(limits[r.IntN(len(limits))]), line[at[1]:])
		})
	default:
		at := r.IntN(len(data) + 1)
		bracket := bytes.Repeat([]byte{brackets[r.IntN(len(brackets))]}, []int{1, 1, 2, 200}[r.IntN(4)])
		return slices.Concat(data[:at], bracket, data[at:])
	}
}

// inLine edits one line.
func inLine(r *rand.Rand, data []byte, edit func(line []byte) []byte) []byte {
	lines := bytes.SplitAfter(data, []byte("\n"))
	i := r.IntN(len(lines))
	lines[i] = edit(lines[i])
	return bytes.Join(lines, nil)
}

// shuffled swaps, repeats, drops or joins some of the parts.
func shuffled(r *rand.Rand, parts [][]byte) [][]byte {
	if len(parts) == 0 {
		return parts
	}
	i, j := r.IntN(len(parts)), r.IntN(len(parts))
	i, j = min(i, j), max(i, j)
	if r.IntN(2) == 0 {
		j = min(j, i+3)
	}
	switch r.IntN(5) {
	case 0:
		parts[i], parts[j] = parts[j], parts[i]
	case 1:
		return slices.Delete(parts, i, j)
	case 2:
		return slices.Insert(parts, i, slices.Clone(parts[j:min(j+8, len(parts))])...)
	case 3: // the beginning of one, the end of another
		cut, from := r.IntN(len(parts[i])+1), r.IntN(len(parts[j])+1)
		parts[i] = slices.Concat(parts[i][:cut], parts[j][from:])
	default:
		return parts[:i]
	}
	return parts
}

// Blocks edits blocks of so many bytes, as archives have them.
func Blocks(size int) Format {
	return func(r *rand.Rand, data []byte) []byte {
		if r.IntN(3) == 0 && len(data) > 0 {
			data = bytes.Clone(data)
			data[r.IntN(len(data))] = []byte{0, 1, 0x7f, 0x80, 0xff, byte(r.Uint32())}[r.IntN(6)]
			return data
		}
		return bytes.Join(shuffled(r, slices.Collect(slices.Chunk(data, size))), nil)
	}
}
