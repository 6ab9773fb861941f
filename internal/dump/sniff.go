package dump

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/xlagate/xlagate/internal/wire"
)

// headSize is the number of bytes that are read to identify a file.
const headSize = 4096

// sniff returns a file's kind from the beginning of its content, "" if it is not recognized.
func sniff(head []byte) Kind {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	if isText(head) {
		return sniffText(skipBlank(head))
	}
	switch {
	case bytes.HasPrefix(head, []byte("\x83\xafp\xd1\r\x88J?")):
		return KindRiegeli
	case isHLOProto(head):
		return KindHLOProto
	case isGraphDef(head):
		return KindGraph
	}
	return ""
}

// textKinds maps the beginning of a text to its kind.
var textKinds = []struct {
	start string
	kind  Kind
}{
	{"HloModule", KindHLOText},
	{"node {", KindGraph},
	{"signature {", KindGraph},
	{"library {", KindGraph},
	{"versions {", KindGraph},
	{"digraph ", KindDot},
	{"<!DOCTYPE html", KindHTML},
	{"<html", KindHTML},
	{"BufferAssignment:", KindBufferAssignment},
	{"HloLiveRange ", KindLiveRange},
	{"Memory Space:", KindMemoryReport},
	{"Total bytes used:", KindMemoryReport},
	{"// -----// IR Dump", KindMLIR},
	{"module @", KindMLIR},
	{"module {", KindMLIR},
	{"#loc", KindMLIR},
	{"[ScheduleSyncTensorsGraph]", KindTensorsGraph},
	{"TensorsGraphInfo:", KindTensorsGraph},
	{"[MetricsData;", KindTorchMetrics},
	{"Compilation Analysis: ", KindTorchReasons},
	{"Execution Analysis: ", KindTorchReasons},
	{"Unexpected Execution Analysis: ", KindTorchReasons},
}

func sniffText(text []byte) Kind {
	for _, t := range textKinds {
		if bytes.HasPrefix(text, []byte(t.start)) {
			return t.kind
		}
	}
	return ""
}

// isText reports whether a file's first bytes are text. The last character may be incomplete.
func isText(head []byte) bool {
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	for i := 0; i < utf8.UTFMax && i < len(head); i++ {
		if utf8.Valid(head[:len(head)-i]) {
			return !bytes.ContainsAny(head, "\x01\x02\x03\x04\x05\x06\x0e\x0f\x12\x1a")
		}
	}
	return len(head) == 0
}

// skipBlank skips blanks and comments before a text's first word.
func skipBlank(text []byte) []byte {
	for {
		text = bytes.TrimLeft(text, " \t\r\n")
		end := -1
		switch {
		case bytes.HasPrefix(text, []byte("/*")):
			if end = bytes.Index(text, []byte("*/")); end >= 0 {
				end += 2
			}
		case bytes.HasPrefix(text, []byte("//")) && !bytes.HasPrefix(text, []byte("// -----//")):
			end = bytes.IndexByte(text, '\n')
		}
		if end < 0 {
			return text
		}
		text = text[end:]
	}
}

// protoFields returns the first length-delimited field of each number from a possibly truncated serialized message.
func protoFields(head []byte) map[int][]byte {
	fields := map[int][]byte{}
	for number, content := range wire.Bodies(head) {
		if fields[number] == nil {
			fields[number] = content
		}
	}
	return fields
}

// isHLOProto reports whether a message is an HloProto{1: HloModuleProto} or a bare HloModuleProto{1: name, 2: entry's name, 3: computation}.
func isHLOProto(head []byte) bool {
	_, ok := protoModuleName(head)
	return ok
}

// protoModuleName returns the module's name from the beginning of a serialized HloProto or HloModuleProto.
func protoModuleName(head []byte) (name string, ok bool) {
	fields := protoFields(head)
	if isModuleProto(fields) {
		return string(fields[1]), true
	}
	if fields = protoFields(fields[1]); isModuleProto(fields) {
		return string(fields[1]), true
	}
	return "", false
}

// isModuleProto reports whether a message is an HloModuleProto: its first computation has a name and instructions with a name and an opcode.
func isModuleProto(fields map[int][]byte) bool {
	if !isName(fields[1]) || !isName(fields[2]) {
		return false
	}
	computation := protoFields(fields[3])
	instruction := protoFields(computation[2])
	return isName(computation[1]) && isName(instruction[1]) && isName(instruction[2])
}

// isGraphDef reports whether a message is a GraphDef{1: NodeDef{1: name, 2: op}}.
func isGraphDef(head []byte) bool {
	node := protoFields(protoFields(head)[1])
	return isName(node[1]) && isName(node[2])
}

func isName(b []byte) bool {
	return len(b) > 0 && utf8.Valid(b) && !strings.ContainsFunc(string(b), func(r rune) bool { return r < ' ' })
}

// textModuleName returns the module's name from the first line of HLO text.
func textModuleName(head []byte) (name string, ok bool) {
	line, ok := bytes.CutPrefix(skipBlank(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))), []byte("HloModule"))
	if !ok {
		return "", false
	}
	line = bytes.TrimLeft(line, " \t")
	if i := bytes.IndexAny(line, ", \t\r\n"); i >= 0 {
		line = line[:i]
	}
	return string(bytes.TrimPrefix(line, []byte("%"))), true
}

// headerName reads the module's name from the header of a module file.
func headerName(f *File) (name string, ok bool, err error) {
	head, err := f.head(headSize)
	if err != nil {
		return "", false, err
	}
	if f.Kind == KindHLOProto {
		name, ok = protoModuleName(head)
	} else {
		name, ok = textModuleName(head)
	}
	return name, ok, nil
}
