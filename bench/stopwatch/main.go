// Command stopwatch runs pairs of programs under JAX on one core, times their steps, asks xlagate what it predicts for the same
// programs from their dumps, and writes how well both agree into docs/price-measured.md. Run it from the top of the repository, with a
// Python that has what bench/requirements.txt names:
//
//	go run ./bench/stopwatch -python PYTHON [PAIR…]
//	go run ./bench/stopwatch -dumps FOLDER
//
// A PAIR is a regular expression; with one, nothing is written. -dumps keeps the dumps and the times in a folder, or takes them from
// there: a prediction can be tried again without another run.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/xlagate/xlagate/bench/race"
	"github.com/xlagate/xlagate/bench/subject"
)

func main() { subject.Main("stopwatch", stopwatch) }

// stopwatch times the pairs and says how well xlagate predicts them.
func stopwatch(t subject.Timing) (string, error) {
	m, err := measured(t.Python, t.Dumps, t.Only)
	if err == nil {
		err = m.Predict(t.Xlagate, t.Dumps)
	}
	if err != nil {
		return "", err
	}
	return m.Report(), nil
}

// measured reads the times that a folder has, or takes them.
func measured(python, dumps string, pairs []string) (*race.Measurement, error) {
	path := filepath.Join(dumps, "times.json")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = measure(python, dumps, pairs)
	}
	if err != nil {
		return nil, err
	}
	var m race.Measurement
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("read the times in %s: %w", path, err)
	}
	if len(m.Pairs) == 0 {
		return nil, fmt.Errorf("no pair is called as %q", pairs)
	}
	return &m, nil
}

// measure lets Python compile and time the pairs, and keeps what it prints.
func measure(python, dumps string, pairs []string) ([]byte, error) {
	cmd := exec.Command(python, append([]string{"bench/stopwatch/stopwatch.py", dumps}, pairs...)...)
	cmd.Stderr = os.Stderr
	data, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("time the programs: %w", err)
	}
	return data, os.WriteFile(filepath.Join(dumps, "times.json"), data, 0o644)
}
