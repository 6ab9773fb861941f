package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"google.golang.org/protobuf/encoding/protowire"
)

// beside writes a small module, and a file beside it: n lines of a format between a head and an end. The format has the number of its line.
func beside(name, head, format, end string) func(string, int) error {
	return func(folder string, n int) error {
		var text bytes.Buffer
		text.WriteString(head)
		for i := range n {
			fmt.Fprintf(&text, format, i)
		}
		text.WriteString(end)
		if err := asModule(func(int) []byte { return entry(nil) })(folder, 1); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, name), text.Bytes(), 0o644)
	}
}

// manyFiles writes n files with this content. The name has the number of the file.
func manyFiles(name, content string) func(string, int) error {
	return func(folder string, n int) error {
		for i := range n {
			path := filepath.Join(folder, fmt.Sprintf(name, i))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				return err
			}
		}
		return nil
	}
}

// profile writes an XSpace with a device of n lines, each with a module that it ran and an event of one kind with n statistics.
func profile(folder string, n int) error {
	message := func(number protowire.Number, fields ...[]byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), bytes.Join(fields, nil))
	}
	number := func(field protowire.Number, v int) []byte {
		return protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), uint64(v))
	}
	kind := func(id int, name string, more ...[]byte) []byte {
		return message(4, number(1, id), message(2, append(more, message(2, []byte(name)))...))
	}
	var plane, stats bytes.Buffer
	for range n {
		stats.Write(message(5, number(1, 1), message(5, []byte("none"))))
	}
	plane.Write(message(2, []byte("/device:GPU:0")))
	plane.Write(kind(1, "jit_f(1)"))
	plane.Write(kind(2, "negate.1", stats.Bytes()))
	for i := range n {
		plane.Write(message(3, message(2, []byte("XLA Modules")), number(3, i), message(4, number(1, 1), number(3, 1000))))
		plane.Write(message(3, message(2, []byte("XLA Ops")), number(3, i), message(4, number(1, 2), number(3, 1000))))
	}
	if err := asModule(func(int) []byte { return entry(nil) })(folder, 1); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "host.xplane.pb"), message(1, plane.Bytes()), 0o644)
}

// besides are the files beside modules, and dumps of many files.
var besides = []kind{
	{"profile", 5000, []string{"inspect", ".", "-f", "json", "--trace", "host.xplane.pb"}, profile},
	{"unreadable modules", 2500, inspect, manyFiles("module_%05d.jit_f.cpu_after_optimizations.txt", "garbage\n")},
	{"cut-off modules", 2500, inspect, manyFiles("module_0001.jit_f%d.cpu_after_optimizations.txt", "HloModule jit_f\n\nENTRY e {\n")},
	{"passes", 2500, inspect, manyFiles("module_0001.jit_f.%05d.pipeline.after_a.before_b.txt", string(entry(nil)))},
	{"files of a user's names", 2500, inspect, manyFiles("%d.txt", "HloModule jit_f\n\nENTRY e {\n")},
	{"files of modules", 2500, inspect, manyFiles("%[1]d/module_0001.jit_f/%[1]d.mlir", "module {\n}\n")},
	{"buffer assignment", 50_000, inspect, beside("module_0000.jit_f.cpu_after_optimizations-buffer-assignment.txt",
		"BufferAssignment:\nallocation 0: size 32, parameter 0, shape |f32[8]| at ShapeIndex {}:\n", " value: <%d p @0> (size=32,offset=0): f32[8]{0}\n", "\n")},
	{"thunks", 50_000, inspect, beside("module_0000.jit_f.thunk_sequence.txt", "", "%03d: kCustomKernel loop_fusion grid: [1, 1, 1] threads: [1, 1, 1]  shared_memory: 0 bytes\n", "")},
	{"nested thunks", 100_000, inspect, beside("module_0000.jit_f.thunk_sequence.txt", "", "%03d: kSequential ", "001: kCopy\n")},
	{"drawing", 20_000, inspect, beside("module_0001.jit_g.cpu_after_optimizations.dot", "digraph G {\n", "%d [label=<<b>negate</b>>, shape=rect];\n", "}\n")},
	{"drawing of one instruction", 100_000, inspect, beside("module_0001.jit_g.cpu_after_optimizations.dot", "digraph G {\n1 [label=<<b>", "x%d\n", "</b>>, shape=rect];\n}\n")},
	{"rules", 1200, []string{"check", ".", "--quiet"}, beside("xlagate.yaml", "version: 1\nrules:\n", "  - {rule: max-kernels, program: f%d, name: r%[1]d, max: %[1]d}\n", "  - {rule: max-kernels, max: 9}\n")},
	{"exceptions in a log", 5000, inspect, beside("run.log", "", "Traceback (most recent call last):\n  File \"a.py\", line %d, in f\nValueError: %[1]d\n", "")},
	{"modules in a log", 5000, inspect, beside("run.log", "", "*** Begin module_%d.f.txt ***\n", "")},
	{"graphs in a log", 5000, inspect, beside("run.log", "", "node {\n  name: \"n%d\"\n  op: \"Exp\"\n}\n", "versions {\n}\n")},
}
