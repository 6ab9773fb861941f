package webpage

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText bounds one text out of a dump.
const maxText = 600

// cut bounds a text. Names of one model begin alike and differ at their ends, so the middle goes.
func cut(s string) string {
	if len(s) <= maxText {
		return s
	}
	head, tail := s[:maxText/3], s[len(s)-maxText*2/3:]
	return strings.ToValidUTF8(head, "") + "…" + strings.ToValidUTF8(tail, "")
}

func cutAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = cut(s)
	}
	return out
}

func phraseNumber(n int32) string { return strconv.Itoa(int(n)) }

// scopeOf is the outer part of an op_name: two steps of the model below the program itself.
func scopeOf(opName string) string {
	steps := strings.Split(opName, "/")
	if len(steps) > 1 {
		steps = steps[1 : len(steps)-1]
	}
	if len(steps) == 0 {
		return "no scope"
	}
	return strings.Join(steps[:min(2, len(steps))], "/")
}

// visible writes invisible characters, and those that reorder or hide others, as escapes.
func visible(document []byte) []byte {
	var out []byte
	for at := 0; at < len(document); {
		r, size := utf8.DecodeRune(document[at:])
		if r >= utf8.RuneSelf && !unicode.IsPrint(r) {
			if out == nil {
				out = append(make([]byte, 0, len(document)+64), document[:at]...)
			}
			out = fmt.Appendf(out, `\\u%04x`, r)
		} else if out != nil {
			out = append(out, document[at:at+size]...)
		}
		at += size
	}
	if out == nil {
		return document
	}
	return out
}

// encode is a document as the page reads it.
func encode(v any) ([]byte, error) {
	document, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode the page's data: %w", err)
	}
	return visible(document), nil
}
