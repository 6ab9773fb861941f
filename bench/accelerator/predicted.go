package main

import (
	"context"
	"path/filepath"

	"github.com/xlagate/xlagate/bench/race"
	"github.com/xlagate/xlagate/bench/subject"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/price"
)

// run is one step: what a device is predicted to run of it, and what it ran.
type run struct {
	name    string
	kernels []facts.Priced
	side    race.Side
}

// runs reads the dump of every program.
func runs(m *race.Measurement, dumps string) (all []run, err error) {
	for _, p := range m.Pairs {
		for _, r := range []run{{name: p.Name + ", before", side: p.Before}, {name: p.Name + ", after", side: p.After}} {
			if r.kernels, err = predicted(filepath.Join(dumps, r.side.Dump)); err != nil {
				return nil, err
			}
			all = append(all, r)
		}
	}
	return all, nil
}

// predicted are the prices of what a dump runs on its device, without the time that the device waits for the host.
func predicted(path string) (kernels []facts.Priced, err error) {
	d, err := dump.Open(context.Background(), path, dump.Options{})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	r, err := facts.Measure(context.Background(), d, facts.Options{})
	if err != nil {
		return nil, err
	}
	for _, p := range r.Programs {
		for _, v := range p.Variants {
			kernels = append(kernels, race.Unwaited(v).Prices(v.Device)...)
		}
	}
	return kernels, nil
}

// price sums what the kernels are predicted to take.
func (r *run) price() subject.Price {
	var sum price.Time
	for _, k := range r.kernels {
		sum.Add(k.Once, k.Runs)
	}
	return subject.Price{"step_ns": sum.Total(), "launch_ns": sum.Launch, "compute_ns": sum.Compute, "memory_ns": sum.Memory}
}
