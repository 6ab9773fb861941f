package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/report"
)

// parts says to which stage the time belongs that is spent in a source file, or called from there: the first row that fits counts.
var parts = []struct{ file, stage string }{
	{"internal/hlo/fingerprint", "fingerprints"},
	{"internal/price/", "cost"},
	{"internal/hlo/text_shape", "shapes and names"},
	{"internal/hlo/proto_shape", "shapes and names"},
	{"internal/hlo/shape", "shapes and names"},
	{"internal/hlo/index", "shapes and names"},
	{"internal/hlo/spelling", "shapes and names"},
	{"internal/hlo/text_", "scanning"},
	{"internal/hlo/proto_", "scanning"},
	{"internal/hlo/", "the module's graph"},
	{"internal/dump/", "opening"},
	{"internal/facts/", "kernels and the other facts"},
	{"internal/report/", "JSON"},
	{"internal/", "the rest"},
}

// unowned is the stage of what the Go runtime does by itself.
const unowned = "collecting garbage"

// stages says where the time goes in a large module of each form.
func (b *bench) stages() (string, error) {
	var out strings.Builder
	out.WriteString("### Where the time goes\n\nShares of the CPU time of `xlagate facts --jobs 1`, by a profile of the same code in 100 MB.\n\n")
	for _, f := range []form{text, proto} {
		in, err := madeModule(filepath.Join(b.work, "profiled"), f, 100)
		if err != nil {
			return "", err
		}
		shares, err := profile(filepath.Join(b.work, "profile"), in.paths[0])
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "| %s | share |\n|---|---:|\n", f)
		for _, s := range shares {
			fmt.Fprintf(&out, "| %s | %.0f %% |\n", s.stage, 100*s.part)
		}
		fmt.Fprintf(&out, "| of all, in the kernel: mapping the file, giving out memory | %.0f %% |\n\n", 100*kernelShare(b.rows, f))
	}
	return out.String(), nil
}

// kernelShare is the part of the CPU time that the kernel took for the module of a form that is profiled.
func kernelShare(rows []row, f form) float64 {
	for _, r := range ofTool(rows, f, ours+"1") {
		if r.input.label == "100 MB" {
			return r.system.Seconds() / r.cpu.Seconds()
		}
	}
	return 0
}

type share struct {
	stage string
	part  float64
}

// profile does what `xlagate facts` does, under a profile.
func profile(path, module string) ([]share, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, err
	}
	for range 3 {
		err = cmp.Or(err, readOnce(module))
	}
	pprof.StopCPUProfile()
	if err != nil {
		return nil, err
	}
	traces, err := exec.Command("go", "tool", "pprof", "-traces", "-files", path).Output()
	if err != nil {
		return nil, fmt.Errorf("read the profile: %w", err)
	}
	return sharesOf(traces)
}

func readOnce(module string) error {
	facts, err := gate.MeasureDump(context.Background(), gate.Options{Request: gate.Request{Config: &config.Config{}}, Run: gate.Run{EveryStage: true, Jobs: 1}}, module, nil)
	if err != nil {
		return err
	}
	return report.Inspect(io.Discard, facts, "json", report.Options{})
}

// sharesOf adds up the samples of a profile, as `go tool pprof -traces -files` prints them: the time before the innermost file, its callers below.
func sharesOf(traces []byte) ([]share, error) {
	times, whole := map[string]time.Duration{}, time.Duration(0)
	_, samples, _ := bytes.Cut(traces, []byte("-----------+"))
	for trace := range strings.SplitSeq(string(samples), "-----------+") {
		_, stack, _ := strings.Cut(trace, "\n")
		fields := strings.Fields(stack)
		if len(fields) == 0 {
			continue
		}
		took, err := time.ParseDuration(fields[0])
		if err != nil {
			return nil, fmt.Errorf("read the profile: %w", err)
		}
		times[stageOf(fields[1:])] += took
		whole += took
	}
	var shares []share
	for stage, took := range times {
		shares = append(shares, share{stage, took.Seconds() / whole.Seconds()})
	}
	slices.SortFunc(shares, func(a, b share) int { return cmp.Or(cmp.Compare(b.part, a.part), cmp.Compare(a.stage, b.stage)) })
	return shares, nil
}

// stageOf is the stage of the innermost file in a stack that belongs to one.
func stageOf(stack []string) string {
	for _, file := range stack {
		for _, p := range parts {
			if strings.Contains(file, p.file) && !strings.Contains(file, "/src/internal/") {
				return p.stage
			}
		}
	}
	return unowned
}
