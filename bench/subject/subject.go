// Package subject is xlagate as the benchmarks use it: built as it is released, and started as a user starts it.
package subject

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Build builds the program as it is released.
func Build(path string) error {
	build := exec.Command("go", "build", "-trimpath", "-tags=urfave_cli_no_docs", "-ldflags=-s -w", "-o", path, "./cmd/xlagate")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build xlagate: %w\n%s", err, out)
	}
	return nil
}

// Xlagate is the path of a built program.
type Xlagate string

// At is a program that was built before, or one that is built in a folder.
func At(built, folder string) (Xlagate, error) {
	if built != "" {
		return Xlagate(built), nil
	}
	path := filepath.Join(folder, "xlagate")
	return Xlagate(path), Build(path)
}

// Price is what a step is predicted to cost: each fact whose name begins with "price.", summed over the programs of a dump.
type Price map[string]float64

// Step is the whole of it in microseconds.
func (p Price) Step() float64 { return p["step_ns"] / 1e3 }

// Price asks for the price of everything in a dump.
func (x Xlagate) Price(dump string) (Price, error) {
	out, err := x.output(dump, "inspect", "-f", "json", dump)
	if err != nil {
		return nil, err
	}
	var report struct {
		Programs []struct {
			Variants []struct {
				Facts map[string]float64 `json:"facts"`
			} `json:"variants"`
		} `json:"programs"`
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return nil, fmt.Errorf("read what xlagate inspect says of %s: %w", dump, err)
	}
	price := Price{}
	for _, program := range report.Programs {
		for _, variant := range program.Variants {
			price.add(variant.Facts)
		}
	}
	if _, ok := price["step_ns"]; !ok {
		return nil, fmt.Errorf("xlagate inspect gives no price.step_ns for %s", dump)
	}
	return price, nil
}

func (p Price) add(facts map[string]float64) {
	for name, value := range facts {
		if part, ok := strings.CutPrefix(name, "price."); ok {
			p[part] += value
		}
	}
}

// output is what a command of xlagate prints. Its exit code 1 is an answer, not a failure.
func (x Xlagate) output(what string, args ...string) ([]byte, error) {
	cmd := exec.Command(string(x), args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("xlagate %s of %s: %w\n%s", args[0], what, err, said.String())
	}
	return out, nil
}
