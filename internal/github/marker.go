package github

import (
	"fmt"
	"strconv"
	"strings"
)

// Marker is the hidden first line of a comment. It says to which gate the comment belongs and which run it speaks of, so that an
// older run never overwrites what a newer one wrote.
type Marker struct {
	Key      string // the gate, where one pull request has several
	Run      Run
	Head     string // the commit that was looked at
	At       int64  // when, in seconds
	Print    string // of what was said, but for where the run is to be found
	Clean    bool   // nothing was said but that all is well
	Problems int
	Errors   int
	Warnings int
}

const markerStart = "<!-- xlagate:v1 "

// String is the marker's line.
func (m Marker) String() string {
	return fmt.Sprintf("%skey=%s run=%d attempt=%d head=%s at=%d print=%s clean=%t problems=%d errors=%d warnings=%d -->",
		markerStart, m.Key, m.Run.ID, m.Run.Attempt, m.Head, m.At, m.Print, m.Clean, m.Problems, m.Errors, m.Warnings)
}

// parseMarker reads the marker of a comment.
func parseMarker(body string) (Marker, bool) {
	rest, ok := strings.CutPrefix(body, markerStart)
	fields, _, ended := strings.Cut(rest, " -->")
	if !ok || !ended {
		return Marker{}, false
	}
	var m Marker
	for field := range strings.FieldsSeq(fields) {
		key, value, _ := strings.Cut(field, "=")
		m.set(key, value)
	}
	return m, ValidKey(m.Key)
}

func (m *Marker) set(key, value string) {
	number, _ := strconv.ParseInt(value, 10, 64)
	switch key {
	case "key":
		m.Key = value
	case "run":
		m.Run.ID = number
	case "attempt":
		m.Run.Attempt = int(number)
	case "head":
		m.Head = value
	case "at":
		m.At = number
	case "print":
		m.Print = value
	case "clean":
		m.Clean = value == "true"
	case "problems":
		m.Problems = int(number)
	case "errors":
		m.Errors = int(number)
	case "warnings":
		m.Warnings = int(number)
	}
}

// newer reports whether m speaks of a later run than other. Runs are numbered in order; where one of the two ran elsewhere, the
// clock decides.
func (m Marker) newer(other Marker) bool {
	if m.Run.ID == 0 || other.Run.ID == 0 || m.Run == other.Run {
		return m.At > other.At
	}
	if m.Run.ID != other.Run.ID {
		return m.Run.ID > other.Run.ID
	}
	return m.Run.Attempt > other.Run.Attempt
}
