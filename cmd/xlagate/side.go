package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/registry"
)

// baselineSide reads one side of a diff as a stored baseline: nil when it is none.
func baselineSide(c *cli.Context, w world, name string) (*facts.Report, error) {
	if registry.Is(name) {
		return pulledSide(c, w, name)
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, nil
	case info.IsDir():
		set, err := baseline.Load(os.DirFS(name), ".")
		if err != nil {
			return nil, nil
		}
		return named(set, name), nil
	case !strings.HasSuffix(name, ".yaml"):
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the baseline: %w", err)
	}
	p, err := baseline.Parse(name, data)
	if err != nil {
		return nil, err
	}
	return named(&baseline.Set{Programs: []*baseline.Program{p}}, name), nil
}

func pulledSide(c *cli.Context, w world, name string) (*facts.Report, error) {
	ref, err := registry.Parse(name)
	if err != nil {
		return nil, gate.UsageError{Message: err.Error()}
	}
	client := registryClient(c, w)
	kind, err := client.Type(c.Context, ref)
	if err != nil || kind != registry.TypeBaseline {
		return nil, gate.Explained(err)
	}
	store, err := gate.OpenBaseline(c.Context, gate.Options{Config: &config.Config{Baseline: name}, Registry: client})
	if err != nil {
		return nil, err
	}
	targets, err := baseline.Targets(store)
	if err == nil && len(targets) != 1 {
		err = gate.UsageError{Message: fmt.Sprintf("%s holds the baselines of %d targets (%s); pull it and name the folder of one: oras pull %s", name, len(targets), strings.Join(targets, ", "), strings.TrimPrefix(name, "oci://"))}
	}
	if err != nil {
		return nil, err
	}
	set, err := baseline.Load(store, targets[0])
	if err != nil {
		return nil, err
	}
	return named(set, name), nil
}

func named(set *baseline.Set, name string) *facts.Report {
	r := set.Report()
	r.Dump = name
	return r
}
