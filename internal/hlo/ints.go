package hlo

import (
	"strconv"
	"strings"
)

// Ints reads a list of integers as attributes and layouts hold it, with or without braces: {0,1} or 1,0. It is nil when something else stands there.
func Ints(s string) []int64 {
	s = strings.Trim(s, "{} ")
	list := []int64{}
	if s == "" {
		return list
	}
	for field := range strings.SplitSeq(s, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(field), 10, 64)
		if err != nil {
			return nil
		}
		list = append(list, n)
	}
	return list
}
