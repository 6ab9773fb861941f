// Package hlotest changes names and order in the text of real modules for tests, and not the computation.
package hlotest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Shuffle renames every instruction and computation of a module in long text form, and puts computations and the instructions in them
// into another order that keeps callees before callers and operands before users.
func Shuffle(src string, random *rand.Rand) string {
	return rename(Reorder(src, random, func(string) bool { return true }), random)
}

// Reorder puts the computations of a module into another order, and the instructions of those that have no schedule.
func Reorder(src string, random *rand.Rand, unscheduled func(computation string) bool) string {
	head, computations := splitModule(src)
	for c, text := range computations {
		if !unscheduled(definedName(text)) {
			continue
		}
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if body := lines[1 : len(lines)-1]; len(body) > 1 {
			copy(body, reorder(body, definedName, random))
		}
		computations[c] = strings.Join(lines, "\n") + "\n"
	}
	computations = reorder(computations, definedName, random)
	return head + strings.Join(computations, "\n")
}

// splitModule splits a module into the text before the first computation and the computations.
func splitModule(src string) (head string, computations []string) {
	for _, block := range strings.Split(src, "\n\n") {
		block = strings.TrimLeft(block, "\n")
		if isComputation := strings.HasPrefix(block, "%") || strings.HasPrefix(block, "ENTRY %"); isComputation {
			computations = append(computations, strings.TrimSuffix(block, "\n")+"\n")
		} else if len(computations) == 0 {
			head += block + "\n\n"
		}
	}
	return head, computations
}

// definedName returns the name that a line or computation defines, the first one in it.
func definedName(text string) string {
	_, behind, _ := strings.Cut(text, "%")
	name, _, _ := strings.Cut(behind, " ")
	return name
}

// reorder puts items into a random order in which each is behind those whose names it contains.
func reorder(items []string, name func(string) string, random *rand.Rand) []string {
	waiting := map[string][]string{} // what each item still waits for
	for _, item := range items {
		for _, other := range items {
			if other != item && mentions(item, name(other)) {
				waiting[item] = append(waiting[item], name(other))
			}
		}
	}
	var ordered []string
	left := slices.Clone(items)
	for len(left) > 0 {
		var ready []int
		for i, item := range left {
			if len(waiting[item]) == 0 {
				ready = append(ready, i)
			}
		}
		if len(ready) == 0 {
			return items // one name stands for an instruction and a computation
		}
		next := ready[random.IntN(len(ready))]
		item := left[next]
		ordered, left = append(ordered, item), slices.Delete(left, next, next+1)
		for other, names := range waiting {
			waiting[other] = slices.DeleteFunc(names, func(n string) bool { return n == name(item) })
		}
	}
	return ordered
}

// mentions reports whether a text contains %name, and not only longer names.
func mentions(text, name string) bool {
	for _, part := range strings.Split(text, "%"+name)[1:] {
		if part == "" || !strings.ContainsRune(nameRunes, rune(part[0])) {
			return true
		}
	}
	return false
}

const nameRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

// rename replaces every %name.
func rename(src string, random *rand.Rand) string {
	numbers := random.Perm(len(src))
	names := map[string]string{}
	var b strings.Builder
	for i, part := range strings.Split(src, "%") {
		if i == 0 {
			b.WriteString(part)
			continue
		}
		end := strings.IndexFunc(part, func(r rune) bool { return !strings.ContainsRune(nameRunes, r) })
		if end <= 0 { // no name: a byte of a serialized kernel
			b.WriteString("%" + part)
			continue
		}
		if _, known := names[part[:end]]; !known {
			names[part[:end]] = fmt.Sprintf("n%d", numbers[len(names)])
		}
		b.WriteString("%" + names[part[:end]] + part[end:])
	}
	return b.String()
}
