package dump

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	header = "HloModule jit_f, is_scheduled=true\n\nENTRY main {\n  ROOT x = f32[] parameter(0)\n}\n"
	other  = "HloModule jit_g\n\nENTRY main {\n  ROOT x = f32[] parameter(0)\n}\n"
)

// TestProblems breaks dumps in every way that can be noticed without reading the modules.
func TestProblems(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string // part of the only problem's message; "" for none
		file  string // the end of the file named
	}{
		"whole": {files: map[string]string{
			"module_0001.jit_f.before_optimizations.txt":    header,
			"module_0001.jit_f.cpu_after_optimizations.txt": header,
		}},
		"nothing":     {want: "the dump is empty"},
		"only a note": {files: map[string]string{"README.md": "hello"}, want: "the dump holds no HLO module"},
		"only an archive": {files: map[string]string{"dump.zip": "PK\x03\x04"},
			want: "name the archive itself"},
		"cut off and compressed": {files: map[string]string{"stdout.log.gz": "\x1f\x8b\x08\x00"}, want: "cannot be read"},
		"only the compiler's inputs": {files: map[string]string{"module_0001.jit_f/compile_options.textproto": "x: 1"},
			want: "--xla_dump_hlo_module_re matched none"},
		"empty module": {files: map[string]string{"module_0001.jit_f.cpu_after_optimizations.txt": ""},
			want: "the file is empty", file: "cpu_after_optimizations.txt"},
		"no text": {files: map[string]string{"module_0001.jit_f.cpu_after_optimizations.txt": "%x = f32[] parameter(0)"},
			want: `does not begin with "HloModule"`, file: "cpu_after_optimizations.txt"},
		"garbage": {files: map[string]string{"module_0001.jit_f.cpu_after_optimizations.hlo.pb": "\x00\x01\x02"},
			want: "no serialized HLO module", file: "hlo.pb"},
		"broken compression": {files: map[string]string{"module_0001.jit_f.cpu_after_optimizations.hlo.pb.gz": "\x1f\x8b\x08\x00"},
			want: "cannot be read", file: "hlo.pb.gz"},
		"another's name": {files: map[string]string{"module_0001.jit_f.cpu_after_optimizations.txt": other},
			want: "the file holds the module jit_g"},
		"never finished": {files: map[string]string{"module_0001.jit_f.before_optimizations.txt": header},
			want: "never after it: the compilation failed", file: "before_optimizations.txt"},
		"stopped": {files: map[string]string{
			"module_0001.jit_f.before_optimizations.txt": header, "module_0001.jit_f.debug_options": "xla_dump_max_hlo_modules: 1\n"},
			want: "--xla_dump_max_hlo_modules stopped"},
		"drawings": {files: map[string]string{"module_0001.jit_f.cpu_after_optimizations.dot": "digraph G {}"},
			want: "was only drawn (dot)", file: ".dot"},
		"shared": {files: map[string]string{
			"module_0001.jit_f.cpu_after_optimizations.txt": header, "module_0001.jit_g.cpu_after_optimizations.txt": other},
			want: "shares its number with module_0001.jit_f"},
		"two compilers in one process": {files: map[string]string{
			"module_0001.jit_f.cl_933746096.after_optimizations.txt": header, "module_0001.jit_g.cpu_after_optimizations.txt": other}},
		"several runs": {files: map[string]string{
			"1795247831679955.module_0001.jit_f.cpu_after_optimizations.txt": header,
			"1795247839999999.module_0001.jit_f.cpu_after_optimizations.txt": header},
			want: "shares its number with 1795247831679955/module_0001.jit_f"},
		"one directory per process": {files: map[string]string{
			"rank0/module_0001.jit_f.cpu_after_optimizations.txt": header, "rank1/module_0001.jit_f.cpu_after_optimizations.txt": header}},
		"out of memory": {files: map[string]string{
			"module_0001.jit_f.after_optimizations.txt": header, "module_0001.jit_f.oom_intermediate_module.txt": header},
			want: "does not fit into the device's memory"},
		"graphs only": {files: map[string]string{"mark_for_compilation.pbtxt": "node {\n  name: \"x\"\n}\n"}},
		"cut log": {files: map[string]string{
			"module_0001.jit_f.cpu_after_optimizations.txt": header,
			"stdout.log": "*** Begin module_0002.jit_g.before_optimizations.txt ***\nHloModule jit_g\n"},
			want: "the log ends inside of module_0002"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, content := range c.files {
				write(t, filepath.Join(dir, file), []byte(content))
			}
			checkProblem(t, open(t, dir), c.want, c.file)
		})
	}
}

// A file that somebody took for a dump is told apart from a dump without a module.
func TestFileThatIsNoDump(t *testing.T) {
	path := filepath.Join(t.TempDir(), "train.py")
	write(t, path, []byte("print(1)\n"))
	checkProblem(t, open(t, path), "the file is not part of a dump", "train.py")
}

// TestProcesses tells equal modules of several processes apart, by their directories or by when a run began.
func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{
		"rank0/module_0001.jit_f.cpu_after_optimizations.txt", "rank1/module_0001.jit_f.cpu_after_optimizations.txt",
		"rank1/module_0003.jit_f.cpu_after_optimizations.txt", "jit_f/host_17/module_0005.jit_f.cpu_after_optimizations.txt",
		"jit_f/host_18/module_0005.jit_f.cpu_after_optimizations.txt",
	} {
		write(t, filepath.Join(dir, file), []byte(header))
	}
	var got []string
	for _, m := range open(t, dir).Modules {
		got = append(got, m.Process+": "+m.ID)
	}
	want := []string{
		"host_17: host_17/module_0005.jit_f", "host_18: host_18/module_0005.jit_f",
		"rank0: rank0/module_0001.jit_f", "rank1: rank1/module_0001.jit_f", "rank1: module_0003.jit_f",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}

func checkProblem(t *testing.T, d *Dump, want, file string) {
	t.Helper()
	if want == "" {
		if len(d.Problems) != 0 {
			t.Errorf("problems of a whole dump: %+v", d.Problems)
		}
		return
	}
	if len(d.Problems) != 1 || !strings.Contains(d.Problems[0].Message, want) || !strings.HasSuffix(d.Problems[0].File, file) || d.Problems[0].Fix == "" {
		t.Errorf("%d problems %+v, expected %q of %q", len(d.Problems), d.Problems, want, file)
	}
}

// TestStaleFiles sets the files' times: only large differences mean something, copying sets new ones.
func TestStaleFiles(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		ages map[string]time.Duration
		want string
	}{
		"in order": {ages: map[string]time.Duration{
			"module_0001.jit_f.before_optimizations.txt": time.Minute, "module_0001.jit_f.cpu_after_optimizations.txt": 0}},
		"copied": {ages: map[string]time.Duration{
			"module_0001.jit_f.before_optimizations.txt": 0, "module_0001.jit_f.cpu_after_optimizations.txt": time.Second}},
		"refused": {ages: map[string]time.Duration{
			"module_0001.jit_f.before_optimizations.txt": 0, "module_0001.jit_f.cpu_after_optimizations.txt": time.Hour},
			want: "the optimized module is older than the unoptimized one"},
		"left over": {ages: map[string]time.Duration{
			"module_0001.jit_f.before_optimizations.txt": 0, "module_0001.jit_f.cpu_after_optimizations.txt": 0,
			"module_0002.jit_f.before_optimizations.txt": time.Hour, "module_0002.jit_f.cpu_after_optimizations.txt": time.Hour},
			want: "an earlier run left it"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, age := range c.ages {
				write(t, filepath.Join(dir, file), []byte(header))
				if err := os.Chtimes(filepath.Join(dir, file), now, now.Add(-age)); err != nil {
					t.Fatal(err)
				}
			}
			checkProblem(t, open(t, dir), c.want, "")
		})
	}
}

// TestLinks looks into a directory with links: what lies inside is found once, what leads outside or nowhere is told.
func TestLinks(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "module_0001.jit_f.cpu_after_optimizations.txt"), []byte(header))
	write(t, filepath.Join(dir, "run1", "module_0001.jit_f.cpu_after_optimizations.txt"), []byte(header))
	for link, target := range map[string]string{"latest": "run1", "module_0002.jit_f.cpu_after_optimizations.txt": "run1/module_0001.jit_f.cpu_after_optimizations.txt"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	d := open(t, dir)
	if len(d.Modules) != 2 || len(d.Problems) != 0 {
		t.Errorf("%s", describe(d))
	}
	for link, want := range map[string]string{"elsewhere": "outside of the dump", "nowhere": "cannot be read"} {
		target := map[string]string{"elsewhere": outside, "nowhere": "/does/not/exist"}[link]
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
		checkProblem(t, open(t, dir), want, link)
		if err := os.Remove(filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if d := open(t, filepath.Join(dir, "latest")); len(d.Modules) != 1 {
		t.Errorf("a link as the dump itself: %s", describe(d))
	}
}

// TestCannotOpen names what is wrong with a path that is no dump at all.
func TestCannotOpen(t *testing.T) {
	dir := t.TempDir()
	tarball, err := os.ReadFile("testdata/cache-hit.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "empty.txt"), nil)
	write(t, filepath.Join(dir, "cut.tar.gz"), tarball[:60])
	write(t, filepath.Join(dir, "cut.zip"), []byte("PK\x03\x04 and no more"))
	for path, want := range map[string]string{
		"missing":    "no such file",
		"empty.txt":  "is empty",
		"cut.tar.gz": "cut off",
		"cut.zip":    "archive",
	} {
		d, err := Open(context.Background(), filepath.Join(dir, path), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v %v", path, d, err)
		}
	}
	if _, err := Open(context.Background(), "-", Options{}); err == nil {
		t.Error("standard input without one")
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(cancelled, dir, Options{}); err == nil {
		t.Error("opened although it was cancelled")
	}
}

// TestCutArchive cuts a plain tar archive anywhere: never is less found without a word.
func TestCutArchive(t *testing.T) {
	packed, err := os.ReadFile("testdata/cache-hit.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	tarball, err := compressionOf(packed).decompress(packed, 0)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cut.tar")
	whole := len(tarball)
	for whole > 512 && strings.Trim(string(tarball[whole-512:whole]), "\x00") == "" {
		whole -= 512
	}
	for size := 512; size <= whole; size += 256 {
		write(t, path, tarball[:size])
		d, err := Open(context.Background(), path, Options{})
		if err == nil {
			if len(d.Problems) == 0 {
				t.Errorf("%d of %d bytes pass for a whole archive", size, len(tarball))
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
