package rules

import (
	"fmt"
	"strings"
)

// counted counts things: "1 kernel", "2 kernels".
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// are counts things and says that they are: "1 argument is", "2 arguments are".
func are(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return fmt.Sprintf("%d %ss are", n, noun)
}

// OrOf lists words: "max, min or equal".
func OrOf(words []string) string { return ListOf(words, "or") }

// ListOf lists words with another one before the last: "max, min and equal".
func ListOf(words []string, before string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " " + before + " " + words[last]
}

// shorten lists the first of many, and how many more there are.
func shorten(list []string, most int) []string {
	if len(list) <= most {
		return list
	}
	return append(append([]string{}, list[:most]...), fmt.Sprintf("%d more", len(list)-most))
}
