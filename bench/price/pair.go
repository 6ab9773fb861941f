package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
)

// pair are two dumps of one program, before and after a change; of a single dump before is all.
type pair struct {
	name          string
	Kind          string // regression, improvement, benign
	Stopwatch     *stopwatch
	before, after *facts.Report
}

// stopwatch is how long a step took.
type stopwatch struct {
	Before float64 `json:"before_us"`
	After  float64 `json:"after_us"`
	Noise  float64 `json:"noise"` // the share by which runs of the same program differ
}

func readPair(path string) (*pair, error) {
	p := &pair{name: filepath.Base(path)}
	data, err := os.ReadFile(filepath.Join(path, "case.json"))
	if errors.Is(err, fs.ErrNotExist) {
		p.before, err = measure(path)
		return p, err
	}
	if err == nil {
		err = json.Unmarshal(data, p)
	}
	if err == nil {
		p.before, err = measure(filepath.Join(path, "before"))
	}
	if err == nil {
		p.after, err = measure(filepath.Join(path, "after"))
	}
	return p, err
}

func measure(path string) (*facts.Report, error) {
	d, err := dump.Open(context.Background(), path, dump.Options{})
	if err != nil {
		return nil, err
	}
	r, err := facts.Measure(context.Background(), d, facts.Options{})
	return r, errors.Join(err, d.Close())
}

// step is what one step is predicted to take: every program of the dump, helpers too, once.
func step(r *facts.Report) (ns float64) {
	for _, p := range slices.Concat(r.Programs, r.Helpers) {
		for _, v := range p.Variants {
			ns += v.Facts["price.step_ns"]
		}
	}
	return ns
}
