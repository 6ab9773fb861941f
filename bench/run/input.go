package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/xlagate/xlagate/bench/chain"
)

// The originals of what is measured: a training step of a small GPT for large modules, the README's classifier for large dumps.
const (
	step       = "bench/testdata/module_0000.jit_adam_step.cpu_after_optimizations"
	classifier = "examples/quickstart/good/module_0000.jit_train_step.cpu_after_optimizations.txt"
)

// form is a kind of input.
type form string

const (
	text  form = "HLO text"
	proto form = "HloProto"
	pair  form = "two modules"
	dir   form = "a dump"
)

// input is what the tools are given.
type input struct {
	form  form
	label string
	paths []string
	bytes int64
	made  bool
}

// madeModule writes a module of so many megabytes, or two that differ in one operation.
func madeModule(work string, f form, mb int64) (input, error) {
	in := input{form: f, label: fmt.Sprintf("%d MB", mb), made: true}
	ending := ".txt"
	if f == proto {
		ending = ".hlo.pb"
	}
	src, err := chain.Read(step + ending + ".zst")
	if err != nil {
		return in, err
	}
	name := fmt.Sprintf("module_0000.jit_adam_step.cpu_after_optimizations%s", ending)
	if f == pair {
		in.label = "2 × " + in.label
	}
	for i, side := range []string{"old", "new"}[:sides(f)] {
		path := filepath.Join(work, side, name)
		size, err := write(path, src, mb*1e6, i > 0)
		if err != nil {
			return in, err
		}
		in.paths, in.bytes = append(in.paths, path), in.bytes+size
	}
	return in, nil
}

func sides(f form) int {
	if f == pair {
		return 2
	}
	return 1
}

func write(path string, src []byte, size int64, change bool) (int64, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return 0, err
	}
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<20)
	if _, err := chain.Write(out, src, size); err != nil {
		return 0, err
	}
	if err := out.Flush(); err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil || !change {
		return info.Size(), err
	}
	return info.Size(), changeMiddle(f, info.Size()/2)
}

// changeMiddle makes the first product behind an offset a difference.
func changeMiddle(f *os.File, offset int64) error {
	window := make([]byte, 1<<16)
	n, err := f.ReadAt(window, offset)
	at := bytes.Index(window[:n], []byte(" multiply("))
	if at < 0 {
		return fmt.Errorf("%s has nothing to change behind byte %d: %w", f.Name(), offset, err)
	}
	_, err = f.WriteAt([]byte(" subtract("), offset+int64(at))
	return err
}

// madeDump writes a dump of so many modules.
func madeDump(work string, n int) (input, error) {
	in := input{form: dir, label: fmt.Sprintf("%d modules", n), paths: []string{filepath.Join(work, "dump")}, made: true}
	src, err := chain.Read(classifier)
	if err != nil {
		return in, err
	}
	in.bytes = int64(len(src)) * int64(n)
	return in, chain.Dump(in.paths[0], src, n)
}

// realModule is one that somebody names.
func realModule(path string) (input, error) {
	info, err := os.Stat(path)
	if err != nil {
		return input{}, err
	}
	in := input{form: text, label: fmt.Sprintf("%.1f MB, real", float64(info.Size())/1e6), paths: []string{path}, bytes: info.Size()}
	if filepath.Ext(path) == ".pb" {
		in.form = proto
	}
	return in, nil
}
