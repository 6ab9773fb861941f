package facts

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Options are the options of a measurement.
type Options struct {
	Jobs        int                  // how many modules are read at once; 0: one a processor
	Include     []string             // globs of programs; empty: all but the framework's one-operation helpers
	Exclude     []string             // globs of programs that are left out; their modules are not read
	Root        string               // the repository's folder: source paths below it are written relative to it; "" leaves them
	AnyStage    bool                 // of a single file that was named on its own, measure whatever stage it is
	AllStages   bool                 // read every stage, list each module file in Report.Modules, and count what was only drawn
	Passes      bool                 // with AllStages: say what each pass left, in Report.Passes
	Profiles    []string             // profiles of a run that are outside the dump; those inside are read with AllStages
	Logs        []string             // logs that are outside the dump
	Backend     string               // the kind of device of modules that do not say it; "" if that is not known either
	Assembler   *artifacts.Assembler // says what registers kernels take; nil: nobody does
	Samples     bool                 // the dump holds one of several compiles of the same source: keep what JAX's cache hashes of each
	KeepModules bool                 // keep the optimized modules open in Variant.Module until the report is closed

	MaxMemory int64        // how much memory reading may take, as far as that can be foreseen; 0: no matter
	Limit     *ReadLimit   // that measurements which run at the same time share; nil: one of its own
	Warn      func(string) // is told what a person should know and no fact depends on
}

// measurer measures the modules of one dump.
type measurer struct {
	Options
	dump     *dump.Dump
	torch    bool // the dump is PyTorch/XLA's, whatever its modules are called
	interner *interner
	traced   []*tracedFile
}

// Measure reads and measures the modules of a dump, several at once. The report lists what could not be read; the error is for a run that was interrupted.
func Measure(ctx context.Context, d *dump.Dump, opts Options) (*Report, error) {
	r := &measurer{Options: opts, dump: d, torch: FromTorch(d), interner: newInterner(), traced: tracedFiles(d)}
	r.AnyStage = opts.AnyStage && d.Single
	done, err := measureUnits(ctx, r.units(), opts)
	if err != nil {
		return nil, fmt.Errorf("measuring %s: %w", d.Path, err)
	}
	if err := r.assemble(ctx, done); err != nil {
		return nil, fmt.Errorf("assembling the PTX of %s: %w", d.Path, err)
	}
	return r.report(done), nil
}

// measureUnits measures all units. When ctx ends it returns at once; what is being read goes on until the program ends, and is lost.
func measureUnits(ctx context.Context, work []unit, opts Options) ([]*measuring, error) {
	limit, done := opts.Limit, make([]*measuring, len(work))
	if limit == nil {
		limit = NewReadLimit(opts.Jobs, opts.MaxMemory)
	}
	if limit.memory != nil {
		err := inParallel(ctx, opts.Jobs, len(work), func(_ context.Context, i int) error {
			return dump.Guard(func() error {
				work[i].weight = work[i].weigh()
				return nil
			})
		})
		if err != nil {
			return nil, err
		}
	}
	if said := limit.exceeded(work); said != "" && opts.Warn != nil {
		opts.Warn(said)
	}
	finished := make(chan error, 1)
	go func() {
		finished <- inParallel(ctx, opts.Jobs, len(work), func(ctx context.Context, i int) error {
			release, err := limit.acquire(ctx, work[i].weight)
			if err != nil {
				return err
			}
			defer release()
			return dump.Guard(func() error {
				done[i] = work[i].measure()
				return nil
			})
		})
	}()
	select {
	case err := <-finished:
		return done, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// inParallel calls do(0) to do(work-1), n at a time, one a processor when n is 0. A goroutine does many: the stack of a new one has to grow.
func inParallel(ctx context.Context, n, work int, do func(ctx context.Context, i int) error) error {
	jobs, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(processors(n), work) {
		jobs.Go(func() error {
			for i := next.Add(1); i <= int64(work); i = next.Add(1) {
				if ctx.Err() != nil {
					break
				}
				if err := do(ctx, int(i-1)); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	return jobs.Wait()
}

// processors is how many goroutines work for a number of jobs.
func processors(jobs int) int { return cmp.Or(max(0, jobs), runtime.GOMAXPROCS(0)) }

// unit is a module to measure, or a further stage of one that is only listed.
type unit struct {
	name    string
	weight  int64 // about how much memory that takes, once it was weighed
	weigh   func() int64
	measure func() *measuring
}

// newUnit is a unit that reads stages, and the files beside them, one after the other. A stage that was only drawn is not read.
func newUnit(name string, stages []*dump.Stage, beside []*dump.File, measure func() *measuring) unit {
	u, files := unit{name: name, measure: measure}, slices.Clone(beside)
	for _, s := range stages {
		if f := s.HLO(); f != nil {
			files = append(files, f)
		}
	}
	u.weigh = func() (most int64) {
		for _, f := range files {
			most = max(most, weight(f))
		}
		return most
	}
	return u
}

// units lists the modules of the programs that the options do not leave out.
func (r *measurer) units() []unit {
	var work []unit
	for _, m := range r.dump.Modules {
		program := dump.ProgramName(m.Name)
		if len(r.Include) > 0 && !phrase.AnyGlob(r.Include, program) || phrase.AnyGlob(r.Exclude, program) {
			continue
		}
		work = append(work, newUnit(m.ID, measuredStages(m), m.Companions, func() *measuring { return r.measureModule(m) }))
		if !r.AllStages {
			continue
		}
		for i := range m.Stages {
			if s := &m.Stages[i]; !slices.Contains(measuredStages(m), s) {
				work = append(work, newUnit(m.ID+" "+s.Label, []*dump.Stage{s}, nil, func() *measuring { return r.listStage(m, s) }))
			}
		}
	}
	return work
}

// measuredStages are the stages that facts come from.
func measuredStages(m *dump.Module) (stages []*dump.Stage) {
	for _, s := range []*dump.Stage{m.Optimized(), m.Unoptimized(), m.Stage(dump.StageAfterCodegen)} {
		if s != nil && !slices.Contains(stages, s) {
			stages = append(stages, s)
		}
	}
	return stages
}

// The memory that reading a file takes, as a multiple of its content: the content, the module and what is computed of it. Measured on real
// modules of 9 and 24 MB: 2.3 to 2.9 times a text, 3.4 times a proto.
const (
	textWeight  = 3
	protoWeight = 4
	otherWeight = 2 // of a companion file
)

// baseMemory is the memory of the program before it reads anything.
const baseMemory = 32 << 20

// weight estimates the memory that reading a file takes. A companion is as large as it is stored unless its name says that it is compressed: a dump for a
// CPU has thousands, and to open each takes as long as to read those that facts come from.
func weight(f *dump.File) int64 {
	switch {
	case f.Kind == dump.KindHLOText:
		return textWeight * f.ContentSize()
	case f.Kind == dump.KindHLOProto:
		return protoWeight * f.ContentSize()
	case f.Packed():
		return otherWeight * f.ContentSize()
	}
	return otherWeight * f.Size
}

// ReadLimit bounds how many modules are read at the same time, and the memory that they take.
type ReadLimit struct {
	modules *semaphore.Weighted
	memory  *semaphore.Weighted // nil: no limit
	size    int64               // of memory: what the limit leaves to modules
	given   int64
}

// NewReadLimit returns a limit of jobs modules, one a processor when it is 0, and of memory in bytes, none when it is 0.
func NewReadLimit(jobs int, memory int64) *ReadLimit {
	l := &ReadLimit{modules: semaphore.NewWeighted(int64(processors(jobs))), given: memory}
	if memory > 0 {
		l.size = max(memory-baseMemory, 1)
		l.memory = semaphore.NewWeighted(l.size)
	}
	return l
}

// acquire waits until a unit may be read. A unit above the limit runs alone.
func (l *ReadLimit) acquire(ctx context.Context, weight int64) (release func(), err error) {
	weight = min(weight, l.size)
	if l.memory != nil {
		err = l.memory.Acquire(ctx, weight)
	}
	if err != nil {
		return nil, err
	}
	freeMemory := func() {
		if l.memory != nil {
			l.memory.Release(weight)
		}
	}
	if err := l.modules.Acquire(ctx, 1); err != nil {
		freeMemory()
		return nil, err
	}
	return func() {
		l.modules.Release(1)
		freeMemory()
	}, nil
}

// exceeded names the largest unit above the limit, which is read all the same; "" when all fit.
func (l *ReadLimit) exceeded(work []unit) string {
	var largest unit
	n := 0
	for _, u := range work {
		if l.memory == nil || u.weight <= l.size {
			continue
		}
		if n++; u.weight > largest.weight {
			largest = u
		}
	}
	if n == 0 {
		return ""
	}
	others := ""
	if n > 1 {
		others = fmt.Sprintf(", like %d more", n-1)
	}
	return fmt.Sprintf("%s takes about %s to read, more than the %s that were given: it is read by itself%s",
		largest.name, phrase.Bytes(float64(largest.weight+baseMemory)), phrase.Bytes(float64(l.given)), others)
}
