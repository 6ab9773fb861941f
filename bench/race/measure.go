package race

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/xlagate/xlagate/bench/subject"
)

// Measured reads the times that a folder has, or lets a script in Python take them, and asks xlagate for the price of every program.
func Measured(t subject.Timing, script string) (*Measurement, error) {
	path := filepath.Join(t.Dumps, "times.json")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = measure(t, script, path)
	}
	if err != nil {
		return nil, err
	}
	var m Measurement
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("read the times in %s: %w", path, err)
	}
	if len(m.Pairs) == 0 {
		return nil, fmt.Errorf("no pair is called as %q", t.Only)
	}
	return &m, m.Predict(t.Xlagate, t.Dumps)
}

// measure lets the script compile and time the pairs, and keeps what it prints.
func measure(t subject.Timing, script, path string) ([]byte, error) {
	cmd := exec.Command(t.Python, append([]string{script, t.Dumps}, t.Only...)...)
	cmd.Stderr = os.Stderr
	data, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("time the programs: %w", err)
	}
	return data, os.WriteFile(path, data, 0o644)
}
