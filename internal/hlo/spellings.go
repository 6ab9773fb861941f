package hlo

import "slices"

// OpcodeNames lists the spellings of all opcodes, in order.
func OpcodeNames() []string {
	var names []string
	for _, name := range opcodeNames {
		if name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// TypeNames lists the spellings of the types that an array can have, in order.
func TypeNames() []string {
	var names []string
	for t, name := range typeNames {
		if name != "" && Type(t).Bytes() > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
