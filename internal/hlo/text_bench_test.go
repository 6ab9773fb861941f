package hlo

import (
	"bytes"
	"fmt"
	"testing"
)

// BenchmarkParseText reads a module made of many copies of the computations of a real one.
func BenchmarkParseText(b *testing.B) {
	src := copies(b, "text/real/jax0102_mlp_cpu.txt", 8<<20)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseText(src, "t"); err != nil {
			b.Fatal(err)
		}
	}
}

// copies repeats a module's computations under names with a number until the text has so many bytes. Only the last is the ENTRY.
func copies(b *testing.B, name string, size int) []byte {
	b.Helper()
	src := readFile(b, name)
	start := bytes.Index(src, []byte("\n\n%"))
	if start < 0 {
		b.Fatalf("%s has no computation", name)
	}
	header, body := src[:start], src[start:]
	out := bytes.Clone(header)
	for n := 0; len(out) < size; n++ {
		last := len(out)+2*len(body) >= size
		out = append(out, renamed(body, fmt.Sprintf(".copy%d", n), last)...)
		if last {
			break
		}
	}
	return out
}

// renamed appends a suffix to every %name.
func renamed(body []byte, suffix string, entry bool) []byte {
	var out []byte
	for t, i := text(body), 0; i < len(t); {
		end := i + 1
		if t[i] == '%' {
			end = t.ident(end)
		}
		out = append(out, t[i:end]...)
		if t[i] == '%' {
			out = append(out, suffix...)
		}
		i = end
	}
	if !entry {
		out = bytes.Replace(out, []byte("\nENTRY %"), []byte("\n%"), 1)
	}
	return out
}
