package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// bench is one run.
type bench struct {
	python, xlagate, work string
	dumps                 string // a folder with dumps that are checked; "" for none
	times                 int
	rows                  []row
	agreed                int // modules in which XLA's reader saw the same as xlagate
}

// row is what one tool took for one input, or why it was not run.
type row struct {
	tool  string
	input input
	sample
	skipped string
}

// enough is how long a tool is run again on one input, for its best.
const enough = 15 * time.Second

// measure measures everything that reads an input, which lies on the disk only meanwhile.
func (b *bench) measure(make maker) error {
	work := filepath.Join(b.work, "input")
	defer os.RemoveAll(work)
	in, err := make(work)
	if err != nil {
		return fmt.Errorf("make an input: %w", err)
	}
	var seen []sight
	for _, t := range tools {
		if !slices.Contains(t.forms, in.form) {
			continue
		}
		r, saw, err := b.best(t, in)
		if err != nil {
			return fmt.Errorf("%s of %s: %w", in.form, in.label, err)
		}
		b.rows = append(b.rows, r)
		if saw.Instructions > 0 {
			seen = append(seen, saw)
		}
		fmt.Fprintln(os.Stderr, r)
	}
	return b.compare(in, seen)
}

// best runs a tool a few times on an input.
func (b *bench) best(t tool, in input) (r row, saw sight, err error) {
	r = row{tool: t.name, input: in}
	if need, have := int64(t.memory*float64(in.bytes)), memoryLeft(); need > have {
		r.skipped = fmt.Sprintf("would take %s of memory; %s may be taken", megabytes(need), megabytes(have))
		return r, saw, nil
	}
	start := time.Now()
	for n := 0; n < b.times && (n == 0 || time.Since(start) < enough); n++ {
		var s sample
		if s, saw, err = t.once(*b, in); err != nil {
			return r, saw, err
		}
		if n == 0 {
			r.sample = s
		}
		r.sample = r.better(s)
	}
	return r, saw, nil
}

// compare fails when the readers of one module did not see the same in it.
func (b *bench) compare(in input, seen []sight) error {
	if in.form != text && in.form != proto {
		return nil
	}
	if len(seen) == 0 {
		return fmt.Errorf("%s of %s: xlagate lists no module", in.form, in.label)
	}
	for _, other := range seen[1:] {
		if err := seen[0].unlike(other); err != nil {
			return fmt.Errorf("%s of %s: xlagate does not see what XLA's reader sees: %w", in.form, in.label, err)
		}
	}
	if len(seen) == withXLA {
		b.agreed++
	}
	return nil
}

// withXLA is how many readers saw a module when XLA's was among them.
const withXLA = 2

// String is the row as it is shown while measuring goes on.
func (r row) String() string {
	if r.skipped != "" {
		return fmt.Sprintf("%-10s %-12s %-24s not run: %s", r.input.form, r.input.label, r.tool, r.skipped)
	}
	return fmt.Sprintf("%-10s %-12s %-24s %7.2f s wall %7.2f s CPU %9s", r.input.form, r.input.label, r.tool, r.wall.Seconds(), r.cpu.Seconds(), megabytes(r.peak))
}
