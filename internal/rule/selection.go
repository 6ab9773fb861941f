package rule

import (
	"fmt"
	"path"
	"slices"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// place is where in the model something that was compiled is.
type place struct {
	opName, file string
	function     string // of a kernel that was written by hand
}

// selections are the keys that select a part of the model, each with what says whether a place is in it.
var selections = map[string]func(pattern string, at place) bool{
	"op_name":  func(pattern string, at place) bool { return phrase.Glob(pattern, at.opName) },
	"source":   func(pattern string, at place) bool { return FitsPath(pattern, at.file) },
	"function": func(pattern string, at place) bool { return at.function != "" && phrase.Glob(pattern, at.function) },
}

// FitsPath matches a glob against a whole path, or against its base name when the glob has no slash.
func FitsPath(pattern, file string) bool {
	return phrase.Glob(pattern, file) || phrase.Glob(pattern, path.Base(file))
}

func (c *Context) noteEmpty(programs []*changes.Program, value func(key string) any, keys ...string) {
	for _, key := range keys {
		fits := selections[key]
		patterns := as[[]string](value(key))
		if one := as[string](value(key)); one != "" {
			patterns = []string{one}
		}
		for _, pattern := range patterns {
			if !hasPlace(programs, func(at place) bool { return fits(pattern, at) }) {
				c.NotCovered = append(c.NotCovered, fmt.Sprintf("%s (nothing in the model fits %s: %s)", c.Rule.ID, key, pattern))
			}
		}
	}
}

// hasPlace reports whether something of the programs that was compiled is at such a place: what the model computes, or a kernel with all that is in it.
func hasPlace(programs []*changes.Program, such func(place) bool) bool {
	for _, p := range programs {
		for _, v := range p.Variants {
			if v.New != nil && (slices.ContainsFunc(v.New.Model, func(s facts.Statement) bool { return such(place{opName: s.OpName, file: s.Source.File}) }) ||
				slices.ContainsFunc(v.New.Kernels, func(k facts.Kernel) bool { return kernelHas(&k, such) })) {
				return true
			}
		}
	}
	return false
}

func kernelHas(k *facts.Kernel, such func(place) bool) bool {
	return such(place{k.OpName, k.Source.File, k.Function}) ||
		slices.ContainsFunc(k.Ops, func(op facts.FusedOp) bool { return such(place{opName: op.OpName, file: op.Source.File}) })
}
