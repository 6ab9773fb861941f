package xlagate_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/result"
)

var howManyRemoved = flag.Int("removals", 4, "how many things are removed from each dump that the test takes; .ci/run promise takes sixty of every dump, and 0 takes all")

// unpackedInto writes the files of an archive into a folder, and returns them by their paths.
func unpackedInto(t *testing.T, dir, archive string) map[string][]byte {
	t.Helper()
	content := map[string][]byte{}
	for _, e := range unpacked(t, archive) {
		if e.FileInfo().IsDir() {
			continue
		}
		name := filepath.Clean(e.Name)
		content[name] = e.data
		replaceFile(t, filepath.Join(dir, name), e.data)
	}
	return content
}

// replaceFile writes a file, or removes it if there is nothing to write.
func replaceFile(t *testing.T, file string, data []byte) {
	t.Helper()
	var err error
	if data == nil {
		err = os.Remove(file)
	} else {
		err = cmp.Or(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, data, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// wholeDumps are one dump of each back end, with all that lies beside its modules.
var wholeDumps = []string{"testdata/whole/cpu.tar.xz", "testdata/whole/h100.tar.xz", "testdata/whole/tpu.tar.xz", "testdata/whole/tf.tar.xz", "testdata/torch-total/before.tar.xz"}

// Cut at any line, a file says so, or every fact is the same. A list of flags has no end: what is lost of it is told as flags that differ.
func TestCutAtEveryLine(t *testing.T) {
	for _, archive := range wholeDumps {
		t.Run(archive, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			content := unpackedInto(t, dir, archive)
			measure := func() (string, bool) {
				r, err := facts.Measure(t.Context(), openedAt(t, dir), facts.Options{Jobs: 1})
				if err != nil {
					t.Fatal(err)
				}
				refused := len(r.Problems) > 0
				r.Problems, r.Logs, r.Ignored, r.Toolchain.Flags, r.Toolchain.Every = nil, nil, nil, nil, nil
				return told(t, r, dir), refused
			}
			want, refused := measure()
			if refused {
				t.Fatal("the whole dump is refused")
			}
			for _, name := range slices.Sorted(maps.Keys(content)) {
				data := content[name]
				for _, n := range lineEnds(data) {
					replaceFile(t, filepath.Join(dir, name), data[:n])
					if got, refused := measure(); got != want && !refused {
						t.Errorf("%s passes with %d of %d lines:\n%s", name, bytes.Count(data[:n], []byte("\n")), bytes.Count(data, []byte("\n")), gocmp.Diff(want, got))
						break
					}
				}
				replaceFile(t, filepath.Join(dir, name), data)
			}
		})
	}
}

// lineEnds are where the lines of a text end; of a long list of flags some, of a serialized message a hundredth each.
func lineEnds(data []byte) []int {
	ends := []int{0}
	if bytes.IndexByte(data, 0) >= 0 {
		for i := 1; i < 100; i++ {
			ends = append(ends, i*len(data)/100)
		}
		return ends
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	at, every := 0, 1+len(lines)/500*10
	for i, line := range lines[:max(0, len(lines)-2)] {
		if at += len(line); i%every == 0 {
			ends = append(ends, at)
		}
	}
	return ends
}

// removal is one thing that a dump lacks: files by their paths that are gone, nil, or have other content.
type removal struct {
	what  string
	files map[string][]byte
}

var deviceTag = regexp.MustCompile(`\.sm_[0-9.]+[af]?_gpu_|\.gfx[0-9a-f]+_gpu_`)

// removals are the ways to remove one thing from a dump: a module, a program, a file, the end of a file, the device, a version.
func removals(t *testing.T, dir string, content map[string][]byte) (list []removal) {
	d := openedAt(t, dir)
	inside := func(f *dump.File) string {
		name, err := filepath.Rel(dir, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	programs, device := map[string]map[string][]byte{}, map[string][]byte{}
	for _, m := range d.Modules {
		gone, program := map[string][]byte{}, dump.ProgramName(m.Name)
		if programs[program] == nil {
			programs[program] = map[string][]byte{}
		}
		for _, f := range m.Files() {
			gone[inside(f)], programs[program][inside(f)] = nil, nil
			if f.Kind == dump.KindTargetConfig || f.Kind == dump.KindTopology || strings.HasSuffix(f.Path, ".target_arguments.txt") {
				device[inside(f)] = nil
			}
		}
		list = append(list, removal{"the module " + m.ID, gone})
	}
	for _, program := range slices.Sorted(maps.Keys(programs)) {
		list = append(list, removal{"the program " + program, programs[program]})
	}
	for _, name := range slices.Sorted(maps.Keys(content)) {
		list = append(list, removal{name, map[string][]byte{name: nil}})
		if tag := deviceTag.FindString(path.Base(name)); tag != "" {
			device[name] = nil
			device[strings.Replace(name, tag, ".gpu_", 1)] = content[name]
		}
		ends := lineEnds(content[name])
		for i := range 4 {
			n := ends[(len(ends)-1)*(i+1)/4]
			list = append(list, removal{fmt.Sprintf("%s behind byte %d of %d", name, n, len(content[name])), map[string][]byte{name: content[name][:n]}})
		}
		list = append(list, withoutVersion(name, content[name])...)
	}
	if len(device) > 0 {
		list = append(list, removal{"the device", device})
	}
	return list
}

// withoutVersion removes each version from the record of a capture.
func withoutVersion(name string, data []byte) (list []removal) {
	var record map[string]any
	if path.Base(name) != "toolchain.json" || json.Unmarshal(data, &record) != nil {
		return nil
	}
	versions, _ := record["versions"].(map[string]any)
	for _, part := range slices.Sorted(maps.Keys(versions)) {
		left := maps.Clone(versions)
		delete(left, part)
		record["versions"] = left
		if text, err := json.Marshal(record); err == nil {
			list = append(list, removal{"the version of " + part, map[string][]byte{name: text}})
		}
	}
	return list
}

// argumentName is what a file beside the modules may call an argument: a name is no fact.
var argumentName = regexp.MustCompile(`[^(, ]+: `)

// factsOf is all that a result knows of the variants of each program. A memory space of no bytes is none.
func factsOf(t *testing.T, r *result.Result) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, target := range r.Targets {
		for _, p := range target.Programs {
			for _, v := range p.Variants {
				known := maps.Clone(v.Facts)
				maps.DeleteFunc(known, func(fact facts.ID, n float64) bool {
					return n == 0 && strings.HasPrefix(string(fact), "memory.spaces.")
				})
				text, err := json.MarshalIndent(known, "", " ")
				if err != nil {
					t.Fatal(err)
				}
				all[p.Name] = append(all[p.Name], argumentName.ReplaceAllString(v.Signature, "")+" "+string(text))
			}
		}
	}
	return all
}

// lost says what of the facts is not the same: another fact of a variant, or a program or variant that is gone, unless the result says that the program changed.
func lost(was map[string][]string, r *result.Result, is map[string][]string) string {
	for _, program := range slices.Sorted(maps.Keys(was)) {
		for _, v := range is[program] {
			if !slices.Contains(was[program], v) {
				return program + ": " + gocmp.Diff(was[program], is[program])
			}
		}
		told := slices.ContainsFunc(r.Targets[0].Programs, func(p result.Program) bool { return p.Name == program && p.Change == "changed" })
		if gone := len(was[program]) - len(is[program]); gone > 0 && (len(is[program]) == 0 || !told) {
			return fmt.Sprintf("%s: %d of %d variants are gone", program, gone, len(was[program]))
		}
	}
	return ""
}

// The first promise: a gate that did not look is never green. Whatever is removed from a dump, the gate fails, says that it could not look, or knows the same.
func TestNeverGreenUnseen(t *testing.T) {
	for i, archive := range everyDump(t) {
		if *howManyRemoved > 0 && i%3 != 0 {
			continue
		}
		t.Run(archive, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			content := unpackedInto(t, dir, archive)
			size := 0
			for _, data := range content {
				size += len(data)
			}
			if size > 4<<20 || *howManyRemoved > 0 && size > 1<<20 {
				t.Skip("it is large")
			}
			g := gatedBy(t, every(dir))
			if _, err := gate.Accept(t.Context(), g.options(dir), gate.AcceptOptions{Reason: "start"}); err != nil {
				t.Skip(err) // TestAcceptedPasses says which may be refused
			}
			whole := g.check(dir)
			if whole.ExitCode == gate.ExitIncomplete {
				return
			}
			want := factsOf(t, whole)
			list := removals(t, dir, content)
			for n := range list {
				if *howManyRemoved > 0 {
					if n == *howManyRemoved {
						break
					}
					n = (n*37 + i) % len(list)
				}
				for name, data := range list[n].files {
					if _, known := content[name]; known || data != nil {
						replaceFile(t, filepath.Join(dir, name), data)
					}
				}
				r := g.check(dir)
				if why := lost(want, r, factsOf(t, r)); r.ExitCode == gate.ExitPass && why != "" {
					t.Errorf("passes without %s:\n%s%s", list[n].what, findings(r), why)
				}
				for name := range list[n].files {
					replaceFile(t, filepath.Join(dir, name), content[name])
				}
			}
		})
	}
}
