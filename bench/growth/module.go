package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// entry is a module whose entry computation has these lines.
func entry(lines []byte) []byte {
	return []byte("HloModule jit_f, is_scheduled=true, entry_computation_layout={(f32[8]{0})->f32[8]{0}}\n\nENTRY %main (p: f32[8]) -> f32[8] {\n  %p = f32[8]{0} parameter(0)\n" +
		string(lines) + "  ROOT %z = f32[8]{0} negate(%p)\n}\n")
}

// repeated is an entry computation of n lines of each format, all of one format before the next. A format has the number of its line.
func repeated(formats ...string) func(int) []byte {
	return func(n int) []byte {
		var lines bytes.Buffer
		for _, format := range formats {
			for i := range n {
				lines.WriteString("  " + fmt.Sprintf(format, i) + "\n")
			}
		}
		return entry(lines.Bytes())
	}
}

// bodies is an entry computation of n lines that each call a computation of their own.
func bodies(body, call string) func(int) []byte {
	return func(n int) []byte {
		var all bytes.Buffer
		for i := range n {
			fmt.Fprintf(&all, "%%c%d (a: f32[8]) -> f32[8] {\n  %%a = f32[8]{0} parameter(0)\n  ROOT %%r = f32[8]{0} %s\n}\n\n", i, body)
		}
		header, rest, _ := bytes.Cut(repeated(call)(n), []byte("\n\n"))
		return bytes.Join([][]byte{header, []byte("\n\n"), all.Bytes(), rest}, nil)
	}
}

// nestedLiteral is a constant in n pairs of braces.
func nestedLiteral(n int) []byte {
	return entry([]byte("  %c = f32[2,1]{1,0} constant(" + strings.Repeat("{", n) + "1" + strings.Repeat("}", n) + ")\n"))
}

// asModule writes a module of a program that was compiled for the CPU.
func asModule(content func(int) []byte) func(string, int) error {
	return func(folder string, n int) error {
		return os.WriteFile(filepath.Join(folder, "module_0000.jit_f.cpu_after_optimizations.txt"), content(n), 0o644)
	}
}

// asPair writes a module to the folders before and after; in the latter every second line of the entry computation does something else.
func asPair(content func(int) []byte) func(string, int) error {
	return func(folder string, n int) error {
		lines := bytes.Split(content(n), []byte("\n"))
		changed := slices.Clone(lines)
		for i := 0; i < len(lines); i += 2 {
			changed[i] = bytes.Replace(lines[i], []byte("negate("), []byte("cosine("), 1)
		}
		for side, text := range map[string][][]byte{"before": lines, "after": changed} {
			dir := filepath.Join(folder, side)
			if err := os.Mkdir(dir, 0o755); err != nil {
				return err
			}
			if err := asModule(func(int) []byte { return bytes.Join(text, []byte("\n")) })(dir, n); err != nil {
				return err
			}
		}
		return nil
	}
}

var (
	inspect = []string{"inspect", ".", "-f", "json"}
	compare = []string{"diff", "before", "after", "-f", "json"}
)

// kinds are the files, each with the reader that they are for.
var kinds = []kind{
	{"kernel: dictionary", 1000, inspect, asModule(wideDictionary)},
	{"kernel: nested regions", 1000, inspect, asModule(nestedRegions)},
	{"kernel: attributes in others", 20_000, inspect, asModule(attributeChain)},
	{"kernel: call sites", 2000, inspect, asModule(callSites)},
	{"kernel: wide types", 1000, inspect, asModule(wideTypes)},
	{"launches", 10_000, inspect, asModule(repeated("%%k%d = f32[8]{0} negate(%%p)"))},
	{"transfers", 5000, inspect, asModule(repeated("%%s%d = (f32[8]{0}, f32[8]{0}) collective-permute-start(%%p), source_target_pairs={{0,1}}", "%%k%d = f32[8]{0} negate(%%p)", "%%d%[1]d = f32[8]{0} collective-permute-done(%%s%[1]d)"))},
	{"collectives", 10_000, inspect, asModule(repeated("%%k%d = f32[16]{0} all-gather(%%p), channel_id=%[1]d, replica_groups={{0,1}}, dimensions={0}"))},
	{"fusions", 5000, inspect, asModule(bodies("negate(%a)", "%%k%d = f32[8]{0} fusion(%%p), kind=kLoop, calls=%%c%[1]d"))},
	{"wrapped collectives", 3000, inspect, asModule(bodies("all-reduce(%a), channel_id=1, replica_groups={{0,1}}", "%%s%d = ((f32[8]{0}), f32[8]{0}, u32[]) async-start(%%p), calls=%%c%[1]d"))},
	{"names", 8000, inspect, asModule(repeated(`%%k%d = f32[8]{0} negate(%%p), metadata={op_name="jit(f)/x/%[1]d/n" source_file="/a/%[1]d.py" source_line=%[1]d}`))},
	{"constants", 10_000, inspect, asModule(repeated("%%k%d = f32[8]{0} constant({1,2,3,4,5,6,7,%[1]d})"))},
	{"nested literal", 200_000, inspect, asModule(nestedLiteral)},
	{"differences", 4000, compare, asPair(repeated(`%%k%d = f32[8]{0} negate(%%p), metadata={op_name="jit(f)/x/%[1]d/n" source_file="/a.py" source_line=%[1]d}`))},
	{"differences of fusions", 4000, compare, asPair(bodies("negate(%a)", "%%k%d = f32[8]{0} fusion(%%p), kind=kLoop, calls=%%c%[1]d"))},
	{"updates", 10_000, inspect, asModule(repeated("%%c%d = s32[] constant(0)", "%%k%[1]d = f32[8]{0} dynamic-update-slice(%%p, %%p, %%c%[1]d)"))},
}
