package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// unreadable says why the library could not read a document. The most common reason, which it cannot name, is looked for first.
func unreadable(data []byte, err error) error {
	if line := Conflict(data); line > 0 {
		return fmt.Errorf("line %d: a merge conflict of git begins here; settle it first", line)
	}
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	place, problem, placed := strings.Cut(message, ": ")
	if line, _ := strconv.Atoi(strings.TrimPrefix(place, "line ")); placed && line > 0 && slices.Contains(early, problem) {
		last := bytes.Count(bytes.TrimRight(data, "\n"), []byte("\n")) + 1
		return errors.New("line " + strconv.Itoa(min(line+1, last)) + ": " + problem)
	}
	return errors.New(message)
}

// early are the complaints for which the library names the line before the one that it means: those of its parser, which counts from 0.
var early = []string{
	"did not find expected key", "did not find expected '-' indicator", "did not find expected ',' or ']'", "did not find expected ',' or '}'",
	"did not find expected node content", "did not find expected <document start>", "found undefined tag handle",
}

// Conflict is the line of the first marker that git left of a merge, 0 for none.
func Conflict(data []byte) int {
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		if strings.HasPrefix(text, "<<<<<<< ") || strings.HasPrefix(text, ">>>>>>> ") {
			return line
		}
	}
	return 0
}

// mistyped puts what the library says of values of another type, in the names of Go's types, into the terms of the file.
func mistyped(err error) error {
	var wrong *yaml.TypeError
	if !errors.As(err, &wrong) || len(wrong.Errors) == 0 {
		return err
	}
	first := wrong.Errors[0] // the others are of the same kind, and often of the same line
	line, rest, ok := strings.Cut(first, ": cannot unmarshal ")
	at := strings.LastIndex(rest, " into ")
	if !ok || at < 0 {
		return errors.New(first)
	}
	return errors.New(line + ": " + found(rest[:at]) + " stands where " + expected(rest[at+len(" into "):]) + " is expected")
}

func found(value string) string {
	tag, text, _ := strings.Cut(value, " ")
	switch {
	case text != "":
		return text
	case tag == "!!seq":
		return "a list"
	case tag == "!!map":
		return "a mapping"
	}
	return "a value"
}

func expected(goType string) string {
	switch {
	case strings.HasPrefix(goType, "int"), strings.HasPrefix(goType, "float"):
		return "a number"
	case goType == "string":
		return "a text"
	case goType == "bool":
		return "true or false"
	case strings.HasPrefix(goType, "[]"):
		return "a list"
	}
	return "a mapping"
}
