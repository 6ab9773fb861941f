package tensorflow

import "bytes"

// Embedded is a graph that was written into a log (TF_DUMP_GRAPH_PREFIX=-).
type Embedded struct {
	Line int // where it starts, from 1
	Text []byte
}

// FindEmbedded finds the text graphs in a log. Each starts with a field of a GraphDef at the start of a line and ends with its versions.
func FindEmbedded(log []byte) []Embedded {
	var out []Embedded
	start, startLine, inVersions := -1, 0, false
	pos, line := 0, 0
	for pos < len(log) {
		end := bytes.IndexByte(log[pos:], '\n')
		if end < 0 {
			end = len(log) - pos - 1
		}
		text := bytes.TrimRight(log[pos:pos+end+1], "\r\n")
		line++
		if start < 0 && isGraphField(text) {
			start, startLine = pos, line
		}
		pos += end + 1
		switch {
		case start < 0:
		case bytes.Equal(text, []byte("versions {")):
			inVersions = true
		case inVersions && bytes.Equal(text, []byte("}")):
			out = append(out, Embedded{Line: startLine, Text: log[start:pos]})
			start, inVersions = -1, false
		}
	}
	if start >= 0 {
		out = append(out, Embedded{Line: startLine, Text: log[start:]})
	}
	return out
}

func isGraphField(line []byte) bool {
	return bytes.Equal(line, []byte("node {")) || bytes.Equal(line, []byte("library {"))
}
