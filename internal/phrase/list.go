package phrase

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Count counts things: "1 kernel", "2 kernels".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Some counts things that are called by a regular noun: "1 kernel", "1,204 kernels", "2 branches of a conditional".
func Some(n int, noun string) string {
	if head, rest, ok := strings.Cut(noun, " of "); ok {
		return Some(n, head) + " of " + rest
	}
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "ay"):
		noun = strings.TrimSuffix(noun, "y") + "ie"
	case strings.HasSuffix(noun, "ch"):
		noun += "e"
	}
	return Number(float64(n)) + " " + noun + "s"
}

// Are counts things and says that they are: "1 argument is", "2 arguments are".
func Are(n int, noun string) string { return Count(n, noun+" is", noun+"s are") }

// Or lists words: "max, min or equal".
func Or(words []string) string { return List(words, "or") }

// List lists words with another one before the last: "max, min and equal". A list of nothing is "".
func List(words []string, before string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " " + before + " " + words[last]
}

// First lists the first of many, and how many more there are.
func First(list []string, most int) []string {
	if len(list) <= most {
		return list
	}
	return append(append([]string{}, list[:most]...), fmt.Sprintf("%d more", len(list)-most))
}

// Within lists at most so many; the last one may say how many more there are.
func Within(list []string, most int) []string {
	if len(list) <= most {
		return list
	}
	return First(list, most-1)
}

// Map lists what a function makes of each item.
func Map[T, R any](list []T, of func(T) R) []R {
	var out []R
	for _, item := range list {
		out = append(out, of(item))
	}
	return out
}

// Filter lists the items that are to be kept.
func Filter[S ~[]T, T any](list S, keep func(T) bool) S {
	var out S
	for _, item := range list {
		if keep(item) {
			out = append(out, item)
		}
	}
	return out
}

// Pick lists the items that are wanted, themselves and not copies.
func Pick[T any](list []T, wanted func(*T) bool) []*T {
	var out []*T
	for i := range list {
		if wanted(&list[i]) {
			out = append(out, &list[i])
		}
	}
	return out
}

// Group groups the items of a list that have the same key, in the order in which the keys first occur.
func Group[T any, K comparable](list []T, key func(T) K) [][]T {
	at := map[K]int{}
	var groups [][]T
	for _, item := range list {
		k := key(item)
		i, known := at[k]
		if !known {
			i = len(groups)
			at[k], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], item)
	}
	return groups
}

// CompareBools orders false before true.
func CompareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// Cut shortens a text to n runes: its first ones, as many as head, an ellipsis and its last ones.
func Cut(s string, n, head int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	return string(runes[:head]) + "…" + string(runes[len(runes)-(n-1-head):])
}

// CutLast is [strings.Cut] at the last separator.
func CutLast(s, sep string) (before, after string, found bool) {
	at := strings.LastIndex(s, sep)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(sep):], true
}

// AllDigits reports whether a text is one or more decimal digits.
func AllDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// Shell writes a command so that sh splits it into the same words.
func Shell(command []string) string {
	words := make([]string, len(command))
	for i, word := range command {
		words[i] = word
		if word == "" || strings.ContainsFunc(word, func(r rune) bool { return !strings.ContainsRune(plain, r) }) {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// plain are the characters that mean nothing to sh.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+"
