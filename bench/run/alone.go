package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// aloneRuns is how often reading a module is timed by itself, for its best.
const aloneRuns = 3

// endings are those of a module's file in the names of the Go benchmarks.
var endings = map[form]string{text: "txt", proto: "hlo.pb"}

// aloneTable says how fast a module becomes facts within a program that runs already, on one core.
func (b *bench) aloneTable() (string, error) {
	cmd := exec.Command("go", "test", "./bench", "-run", "^$", "-bench", "^BenchmarkFacts$/.*/^100MB$", "-benchtime", "10x", "-count", strconv.Itoa(aloneRuns))
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=400")
	said, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("run the benchmark of the facts: %w", err)
	}
	best, err := fastest(said)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "### From a file to facts\n\nBy `GOMAXPROCS=1 GOGC=400 go test ./bench -run '^$' -bench '^BenchmarkFacts$/.*/^100MB$'`, the best of %d: a file of 100 MB is mapped, read and measured, without the start of a program and without JSON.\n\n", aloneRuns)
	out.WriteString("| | MB/s | of XLA's reader | of Python protobuf |\n|---|---:|---:|---:|\n")
	for _, f := range []form{text, proto} {
		fmt.Fprintf(&out, "| %s | %.0f | %s | %s |\n", f, best[f], b.timesAsFast(best[f], f, "XLA's reader"), b.timesAsFast(best[f], f, "Python protobuf"))
	}
	return out.String() + "\n", nil
}

// timesAsFast compares MB/s with those of a tool for 100 MB; "" where it has no such row.
func (b *bench) timesAsFast(rate float64, f form, tool string) string {
	for _, r := range ofTool(b.rows, f, tool) {
		if r.input.label == "100 MB" {
			return fmt.Sprintf("%.2g ×", rate/(float64(r.input.bytes)/1e6/r.cpu.Seconds()))
		}
	}
	return ""
}

var benchmarkLine = regexp.MustCompile(`^BenchmarkFacts/(\S+)/100MB\S*\s.*?([0-9.]+) MB/s`)

// fastest takes the highest MB/s for each form from what `go test -bench` prints.
func fastest(said []byte) (map[form]float64, error) {
	best := map[form]float64{}
	for lines := bufio.NewScanner(bytes.NewReader(said)); lines.Scan(); {
		found := benchmarkLine.FindStringSubmatch(lines.Text())
		if found == nil {
			continue
		}
		rate, err := strconv.ParseFloat(found[2], 64)
		if err != nil {
			return nil, fmt.Errorf("read the benchmark's line %q: %w", lines.Text(), err)
		}
		for f, ending := range endings {
			if found[1] == ending {
				best[f] = max(best[f], rate)
			}
		}
	}
	if len(best) < len(endings) {
		return nil, fmt.Errorf("the benchmark of the facts printed no MB/s for both forms:\n%s", said)
	}
	return best, nil
}
