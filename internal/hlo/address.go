package hlo

import (
	"strconv"
	"strings"
)

// Addresses in the memory of a process lie between these; hardly any count or size does.
const (
	lowestAddress  = 1 << 40
	highestAddress = 1 << 48
)

// isAddress says whether a value in a backend_config, `139961309515568 : i64` or `"0x7f4b4822cf30"`, is an address in the memory of the
// process that compiled: what a custom call of the user's own is to work on. It is another one in every process.
func isAddress[T string | []byte](value T) bool {
	const longest = len(`"0x7fffffffffff" : ui64`)
	if len(value) < len("0x10000000000") || len(value) > longest {
		return false
	}
	number, _, _ := strings.Cut(strings.TrimSpace(string(value)), " ")
	number = strings.Trim(number, `"`)
	base := 10
	if digits, ok := strings.CutPrefix(number, "0x"); ok {
		number, base = digits, 16
	}
	n, err := strconv.ParseUint(number, base, 64)
	return err == nil && n >= lowestAddress && n < highestAddress
}
