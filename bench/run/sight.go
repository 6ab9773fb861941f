package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"time"
)

// sight is what a reader saw in a module.
type sight struct {
	Computations int                `json:"computations"`
	Instructions int                `json:"instructions"`
	InEntry      int                `json:"entry_instructions"`
	Opcodes      map[string]int     `json:"opcodes"`
	Cost         map[string]float64 `json:"cost"`
}

// ownSight reads it from what `xlagate facts` wrote about one module. A dump has many: nothing is compared.
func ownSight(output string, s sample) (sample, sight, error) {
	var facts struct {
		Modules []sight `json:"modules"`
	}
	if err := readJSON(output, &facts); err != nil {
		return s, sight{}, err
	}
	if len(facts.Modules) != 1 {
		return s, sight{}, nil
	}
	return s, facts.Modules[0], nil
}

// peerSight reads it from what peers.py wrote, which knows as well what the reading took without the start of Python.
func peerSight(output string, s sample) (sample, sight, error) {
	var peer struct {
		Wall, CPU float64
		Peak      int64
		Saw       sight
	}
	err := readJSON(output, &peer)
	return sample{wall: seconds(peer.Wall), cpu: seconds(peer.CPU), peak: peer.Peak}, peer.Saw, err
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func readJSON(path string, into any) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := json.NewDecoder(f).Decode(into); err != nil {
		return fmt.Errorf("read what a tool wrote: %w", err)
	}
	return nil
}

// unlike says in what two sights of a module differ. A cost may be off by a thousandth: XLA adds it up in 32 bits.
func (s sight) unlike(o sight) error {
	switch {
	case s.Computations != o.Computations:
		return fmt.Errorf("%d computations, not %d", s.Computations, o.Computations)
	case s.Instructions != o.Instructions:
		return fmt.Errorf("%d instructions, not %d", s.Instructions, o.Instructions)
	case s.InEntry != o.InEntry:
		return fmt.Errorf("%d instructions in the entry computation, not %d", s.InEntry, o.InEntry)
	case !maps.Equal(s.Opcodes, o.Opcodes):
		return fmt.Errorf("the opcodes %v, not %v", s.Opcodes, o.Opcodes)
	}
	for name, want := range o.Cost {
		if math.Abs(s.Cost[name]-want) > want/1000 {
			return fmt.Errorf("%s %.0f, not %.0f", name, s.Cost[name], want)
		}
	}
	return nil
}
