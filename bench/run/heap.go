package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/hlo"
)

// heapTable says how much of the heap stays in use beside a module of each form, as a share of its file.
func (b *bench) heapTable(real []string) (string, error) {
	var inputs []input
	for _, path := range real {
		in, err := realModule(path)
		if err != nil {
			return "", err
		}
		inputs = append(inputs, in)
	}
	for _, f := range []form{text, proto} {
		in, err := madeModule(filepath.Join(b.work, "held"), f, 100)
		if err != nil {
			return "", err
		}
		inputs = append(inputs, in)
	}
	var out strings.Builder
	out.WriteString("### What stays in memory\n\nThe heap in use beside the file, as a share of it: the model with every computation by itself, as XLA's reader holds it, and what was measured.\n\n")
	out.WriteString("| | | model | facts |\n|---|---|---:|---:|\n")
	for _, in := range inputs {
		model, err := heldBy(in, modelled)
		if err != nil {
			return "", err
		}
		kept, err := heldBy(in, measured)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "| %s | %s | %.3f | %.3f |\n", in.form, in.label, model, kept)
	}
	return out.String() + "\n", nil
}

// heldBy is the heap that what a function makes of a module keeps in use, by the size of the module. The module itself does not count.
func heldBy(in input, read func(src []byte, path string) (any, error)) (float64, error) {
	path := in.paths[0]
	src, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	before := heapInUse()
	made, err := read(src, path)
	if err != nil {
		return 0, err
	}
	held := heapInUse() - before
	runtime.KeepAlive(made)
	runtime.KeepAlive(src)
	return float64(held) / float64(in.bytes), nil
}

func modelled(src []byte, path string) (any, error) { return hlo.Parse(src, path) }

func measured(_ []byte, path string) (any, error) {
	return gate.MeasureDump(context.Background(), gate.Options{Request: gate.Request{Config: &config.Config{}}, Run: gate.Run{Jobs: 1}}, path, nil)
}

// heapInUse is signed: less may be in use afterwards.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // what has a finalizer goes the second time
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
