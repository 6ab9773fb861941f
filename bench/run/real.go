package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/gate"
)

// rounds is how often each reader reads each real module, one reader after the other; the median counts.
const rounds = 5

// realTable says how fast real modules become facts, beside how fast others read them: those of real.py, and those that were named.
func (b *bench) realTable(named []string) (string, error) {
	made, err := b.compiled()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "### Real modules: from a file to facts\n\nThe CPU time in which a running program maps, reads and measures a file, the median of %d; how many times as long other readers take; and the peak of the resident memory of `xlagate inspect --jobs 1`.\n\n", rounds)
	out.WriteString("| | MB | ms | MB/s | XLA's reader | Python protobuf | resident MB |\n|---|---:|---:|---:|---:|---:|---:|\n")
	rows, err := b.realRows(append(made, named...))
	if err != nil {
		return "", err
	}
	return out.String() + rows + "\n", nil
}

func (b *bench) realRows(paths []string) (rows string, err error) {
	for _, path := range paths {
		line, err := b.realLine(path)
		if err != nil {
			return rows, fmt.Errorf("%s: %w", path, err)
		}
		rows += line
	}
	return rows, nil
}

// compiled has real.py compile its models, and lists their final modules.
func (b *bench) compiled() ([]string, error) {
	work := filepath.Join(b.work, "real")
	if out, err := exec.Command(b.python, filepath.Join("bench", "run", "real.py"), work).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compile the models of real.py: %w\n%s", err, out)
	}
	var list []string
	for _, ending := range []string{".txt", ".hlo.pb"} {
		found, err := filepath.Glob(filepath.Join(work, "*", "*after_optimizations"+ending))
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	slices.Sort(list)
	return list, nil
}

// realLine is the row of one module.
func (b *bench) realLine(path string) (string, error) {
	in, err := realModule(path)
	if err != nil {
		return "", err
	}
	readers := []string{"xla"}
	if in.form == proto {
		readers = append(readers, "protobuf")
	}
	took := map[string][]time.Duration{}
	for range rounds {
		own, err := timed(path)
		if err != nil {
			return "", err
		}
		took["xlagate"] = append(took["xlagate"], own)
		for _, reader := range readers {
			s, _, err := tool{command: peer(reader), saw: peerSight}.once(*b, in)
			if err != nil {
				return "", err
			}
			took[reader] = append(took[reader], s.cpu)
		}
	}
	whole, err := execute([]string{b.xlagate, "inspect", "--jobs", "1", path}, io.Discard, false)
	if err != nil {
		return "", err
	}
	own, size := median(took["xlagate"]), float64(in.bytes)
	beside := func(reader string) string {
		if len(took[reader]) == 0 {
			return ""
		}
		return fmt.Sprintf("%.1f ×", median(took[reader]).Seconds()/own.Seconds())
	}
	return fmt.Sprintf("| %s | %.1f | %.0f | %.0f | %s | %s | %.0f |\n", nameOf(path), size/1e6, 1e3*own.Seconds(), size/1e6/own.Seconds(),
		beside("xla"), beside("protobuf"), float64(whole.peak)/1e6), nil
}

// nameOf is what the table calls a module: the folder that it lies in, its dump's where that is one, and the form.
func nameOf(path string) string {
	dir := filepath.Dir(path)
	if filepath.Base(dir) == "dump" {
		dir = filepath.Dir(dir)
	}
	return filepath.Base(dir) + filepath.Ext(path)
}

// usualGarbage is the percentage by which the heap of a dump grows before xlagate collects garbage; see cmd/xlagate/memory.go.
const usualGarbage = 1200

// timed is the CPU time in which a file becomes facts, with as much garbage as xlagate lets lie.
func timed(path string) (time.Duration, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(usualGarbage))
	runtime.GC()
	before := ownCPU()
	_, err := gate.MeasureDump(context.Background(), gate.Options{Request: gate.Request{Config: &config.Config{}}, Run: gate.Run{Jobs: 1}}, path, nil)
	return ownCPU() - before, err
}

// ownCPU is the CPU time of this process.
func ownCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // it cannot fail for this process
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}
