package hlo

import (
	"strconv"
	"strings"
)

// KnownTrips is how often a while runs its body, where the compiler wrote it down (known_trip_count in backend_config); -1
// where it did not.
func (m *Module) KnownTrips(i InstrID) int64 {
	config, _ := m.Attr(i, "backend_config")
	_, count, _ := strings.Cut(config, `"known_trip_count":{"n":"`)
	digits, _, _ := strings.Cut(count, `"`)
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil && n >= 0 {
		return n
	}
	return -1
}
