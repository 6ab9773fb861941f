// Package factstest measures real dumps for the tests of what works on facts.
package factstest

import (
	"errors"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
)

// Measure measures a dump, in which all must be readable.
func Measure(t testing.TB, path string, opts facts.Options) *facts.Report {
	t.Helper()
	d, err := dump.Open(t.Context(), path, dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := facts.Measure(t.Context(), d, opts)
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	return r
}
