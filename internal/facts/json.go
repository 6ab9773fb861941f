package facts

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MarshalJSON lists the opcodes, "multiply*2" for two of them.
func (o Opcodes) MarshalJSON() ([]byte, error) { return json.Marshal(o.Folded()) }

// Folded lists the opcodes, "multiply*2" for two of them.
func (o Opcodes) Folded() []string {
	list := make([]string, len(o))
	for i, op := range o {
		list[i] = op.Opcode
		if op.Times != 1 {
			list[i] += "*" + strconv.Itoa(op.Times)
		}
	}
	return list
}

// maxTimes bounds how often an opcode is in one kernel.
const maxTimes = 1 << 20

// UnmarshalJSON reads what MarshalJSON writes.
func (o *Opcodes) UnmarshalJSON(data []byte) error {
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*o = make(Opcodes, len(list))
	for i, text := range list {
		opcode, times, several := strings.Cut(text, "*")
		(*o)[i] = OpcodeTimes{opcode, 1}
		if several {
			n, err := strconv.Atoi(times)
			if err != nil || n < 1 || n > maxTimes {
				return fmt.Errorf("%q is no opcode", text)
			}
			(*o)[i].Times = n
		}
	}
	return nil
}

// MarshalJSON lists the shapes.
func (s Shapes) MarshalJSON() ([]byte, error) { return json.Marshal(s.List()) }

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Shapes) UnmarshalJSON(data []byte) error {
	var list []string
	err := json.Unmarshal(data, &list)
	*s = ShapesOf(list...)
	return err
}

// classNames are the classes of launches.
var classNames = []string{ClassKernel: "kernel", ClassLibrary: "library", ClassCopy: "copy", ClassCollective: "collective", ClassControl: "control"}

// MarshalText writes the class as a word.
func (c Class) MarshalText() ([]byte, error) { return []byte(classNames[c]), nil }

// UnmarshalText reads what MarshalText writes.
func (c *Class) UnmarshalText(text []byte) error {
	at := slices.Index(classNames, string(text))
	if at < 0 {
		return fmt.Errorf("unknown class %q of a kernel", text)
	}
	*c = Class(at)
	return nil
}
