package hlo

import (
	"bytes"
	"strconv"
	"strings"
)

// canonicalLayout spells a layout as XLA does today: without blanks and without the level types of sparse arrays.
func canonicalLayout(layout text) string {
	order, properties, _ := bytes.Cut(withoutBlanks(layout), []byte{':'})
	if bytes.HasPrefix(properties, []byte("D(")) {
		properties = properties[text(properties).balanced(1):]
	}
	if len(properties) == 0 {
		return string(order)
	}
	return string(order) + ":" + string(properties)
}

func withoutBlanks(t text) (out []byte) {
	for i := t.blanks(0); i < len(t); i = t.blanks(i + 1) {
		out = append(out, t[i])
	}
	return out
}

// isLayout tells whether a layout orders so many dimensions, each once, and goes on with properties.
func isLayout(layout string, rank int) bool {
	order, properties, _ := strings.Cut(layout, ":")
	var seen uint64
	n := 0
	for word := range strings.SplitSeq(order, ",") {
		d, err := strconv.ParseUint(word, 10, 8)
		if order == "" {
			break
		}
		if err != nil || d >= uint64(rank) || d < 64 && seen&(1<<d) != 0 {
			return false
		}
		seen |= 1 << d
		n++
	}
	return (n == rank || order == "") && areProperties(properties)
}

// areProperties tells whether a string is made of words with parentheses: T(8,128)(2,1)S(1), #(u32)*(u64).
func areProperties(s string) bool {
	for s != "" {
		word, _, ok := strings.Cut(s, "(")
		if !ok || strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ#*") != "" {
			return false
		}
		end := text(s).balanced(len(word))
		if s[end-1] != ')' {
			return false
		}
		s = s[end:]
	}
	return true
}
