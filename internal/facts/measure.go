package facts

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/dump"
)

// Options are the options of a measurement.
type Options struct {
	Jobs        int                  // how many modules, and parts of large ones, are read at once; 0: one a processor
	Include     []string             // globs of programs; empty: all but the framework's one-operation helpers
	Exclude     []string             // globs of programs that are left out; their modules are not read
	Root        string               // the repository's folder: source paths below it are written relative to it; "" leaves them
	AnyStage    bool                 // of a single file that was named on its own, measure whatever stage it is
	AllStages   bool                 // read every stage, list each module file in Report.Modules, and count what was only drawn
	Passes      bool                 // with AllStages: say what each pass left, in Report.Passes
	Profiles    []string             // profiles of a run that are outside the dump; those inside are read with AllStages
	Logs        []string             // logs that are outside the dump
	Assembler   *artifacts.Assembler // says what registers kernels take; nil: nobody does
	Cache       Cache                // what is known of large modules from earlier runs; nil: read every file again
	CacheFrom   int64                // the size of a final module's file from which the cache is asked; 0: where it pays
	KeepModules bool                 // keep the optimized modules open in Variant.Module until the report is closed

	MaxMemory int64                   // how much memory reading may take, as far as that can be foreseen; 0: no matter
	Progress  func(read, total int64) // is told how much was read, in bytes: nothing at first, all at last even of a run that failed
	Warn      func(string)            // is told what a person should know and no fact depends on

	torch    bool // the dump is PyTorch/XLA's, whatever its modules are called
	workers  *workers
	interner *interner
	traced   []*tracedFile
}

// Measure reads and measures the modules of a dump. The report's problems list what could not be read; the error is for a run that was
// interrupted.
func Measure(ctx context.Context, d *dump.Dump, opts Options) (*Report, error) {
	s, err := MeasureShare(ctx, d, opts, dump.NewDealer(dump.Shard{Count: 1}))
	if err != nil {
		return nil, err
	}
	return s.Report(), nil
}

// MeasureShare measures the part of a dump that the dealer assigns to this machine. It reads only names and headers of the rest.
func MeasureShare(ctx context.Context, d *dump.Dump, opts Options, dealer *dump.Dealer) (*Share, error) {
	opts.AnyStage, opts.torch, opts.workers, opts.interner, opts.traced = opts.AnyStage && d.Single, FromTorch(d), newWorkers(opts.Jobs), newInterner(), tracedFiles(d)
	wanted := wantedModules(d, opts)
	mine, besides := deal(d, wanted, opts, dealer)
	work := units(wanted, mine, d.Single, opts)
	s := &Share{Dump: list(d, wanted, opts, dealer)}
	done := make([]*measuring, len(work))
	if err := measureUnits(ctx, work, done, opts); err != nil {
		return nil, fmt.Errorf("measuring %s: %w", d.Path, err)
	}
	if err := assemble(ctx, done, opts); err != nil {
		return nil, fmt.Errorf("assembling the PTX of %s: %w", d.Path, err)
	}
	if besides {
		s.DumpWide = readDumpWide(d, opts)
	}
	s.close(d, done)
	return s, nil
}

// measureUnits measures all units. When ctx ends it returns at once; what is being read goes on until the program ends, and is lost.
func measureUnits(ctx context.Context, work []unit, done []*measuring, opts Options) error {
	memory, progress := newMemoryLimit(opts.MaxMemory), newProgress(work, opts)
	defer progress.end()
	if err := weighUnits(ctx, work, memory, opts); err != nil {
		return err
	}
	if said := memory.exceeded(work, opts.MaxMemory); said != "" && opts.Warn != nil {
		opts.Warn(said)
	}
	finished := make(chan error, 1)
	go func() {
		finished <- inParallel(ctx, opts.Jobs, len(work), func(ctx context.Context, i int) error {
			releaseMemory, err := memory.acquire(ctx, work[i].weight)
			if err != nil {
				return err
			}
			defer releaseMemory()
			release, err := opts.workers.acquire(ctx)
			if err != nil {
				return err
			}
			defer release()
			err = dump.Guard(func() error {
				done[i] = work[i].measure()
				done[i].At = work[i].at
				return nil
			})
			progress.add(work[i].size)
			return err
		})
	}()
	select {
	case err := <-finished:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// weighUnits estimates the memory that each unit takes, where that matters.
func weighUnits(ctx context.Context, work []unit, memory *memoryLimit, opts Options) error {
	if memory == nil {
		return nil
	}
	return inParallel(ctx, opts.Jobs, len(work), func(_ context.Context, i int) error {
		return dump.Guard(func() error {
			work[i].weight = work[i].weigh()
			return nil
		})
	})
}

// inParallel calls do(0) to do(work-1), n at a time, one a processor when n is 0.
func inParallel(ctx context.Context, n, work int, do func(ctx context.Context, i int) error) error {
	jobs, ctx := errgroup.WithContext(ctx)
	jobs.SetLimit(cmp.Or(max(0, n), runtime.GOMAXPROCS(0)))
	for i := range work {
		jobs.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return do(ctx, i)
		})
	}
	return jobs.Wait()
}

// unit is a module to measure, or a further stage of one that is only listed.
type unit struct {
	at      int // among the wanted modules
	name    string
	size    int64 // how many bytes are read
	weight  int64 // about how much memory that takes, once it was weighed
	weigh   func() int64
	measure func() *measuring
}

func units(modules []*dump.Module, mine []bool, single bool, opts Options) []unit {
	var work []unit
	for at, m := range modules {
		if !mine[at] {
			continue
		}
		work = append(work, unit{at, m.ID, moduleSize(m, false), 0, func() int64 { return moduleWeight(m) }, func() *measuring { return measureCached(m, single, opts) }})
		if !opts.AllStages {
			continue
		}
		for _, s := range otherStages(m) {
			var size int64
			if f := s.HLO(); f != nil {
				size = f.Size
			}
			work = append(work, unit{at, m.ID + " " + s.Label, size, 0, func() int64 { return stageWeight(s) }, func() *measuring { return listStage(m, s, opts) }})
		}
	}
	return work
}

// progress adds up how many bytes were read and reports them.
type progress struct {
	sync.Mutex
	read, total int64
	tell        func(read, total int64)
}

func newProgress(work []unit, opts Options) *progress {
	p := &progress{tell: opts.Progress}
	for _, u := range work {
		p.total += u.size
	}
	p.add(0)
	return p
}

func (p *progress) add(n int64) {
	p.Lock()
	defer p.Unlock()
	if p.read += n; p.tell != nil {
		p.tell(p.read, p.total)
	}
}

// end reports that nothing more will be read, also of a run that failed.
func (p *progress) end() {
	p.Lock()
	defer p.Unlock()
	if p.tell != nil {
		p.tell(p.total, p.total)
	}
	p.tell = nil
}
