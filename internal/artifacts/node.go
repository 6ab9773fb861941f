package artifacts

import (
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// newNode reads the label of an instruction:
//
//	<b>dot.2</b><br/>lhs_contracting_dims={0}<br/>f32[128,10]{1,0}
//	<b>sin.2</b><br/>sine<br/>f32[64,32]{1,0}
//
// The opcode follows the name only if the name does not begin with it.
func newNode(id, label string, group int) Node {
	name, rest := bold(label)
	n := Node{Name: name, Group: group, id: id, Inline: strings.Contains(rest, "Subcomputation: <b>")}
	for i, part := range strings.Split(strings.TrimPrefix(rest, "<br/>"), "<br/>") {
		part = unescape(part)
		if target, ok := strings.CutPrefix(part, `custom_call_target="`); ok {
			n.Target, _, _ = strings.Cut(target, `"`)
		}
		if i == 0 {
			n.Opcode, n.Kind = spelledOpcode(part)
		}
		if kind, ok := strings.CutPrefix(part, "kind="); ok {
			n.Kind = kind
		}
	}
	if strings.HasPrefix(name, "Parameter ") {
		n.Opcode = "parameter"
	}
	if n.Opcode == "" && strings.Contains(name, ":") { // older versions write the opcode first
		n.Opcode, n.Kind = spelledOpcode(name)
	}
	if n.Opcode == "" {
		n.Opcode = leadingOpcode(name)
	}
	return n
}

// spelledOpcode reads "sine", or "fusion:kLoop".
func spelledOpcode(text string) (opcode, kind string) {
	opcode, kind, _ = strings.Cut(text, ":")
	if _, known := hlo.LookupOpcode(opcode); !known {
		return "", ""
	}
	return opcode, kind
}

// leadingOpcode returns the longest opcode that is a prefix of a name.
func leadingOpcode(name string) string {
	for n := len(name); n > 0; n-- {
		if _, known := hlo.LookupOpcode(name[:n]); known {
			return name[:n]
		}
	}
	return ""
}
