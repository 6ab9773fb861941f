// Guards changes code that guards something, one place after the other, and says which changes no test notices.
//
//	go run ./bench/guards [-every N] [-only TEXT]
//
// The table of the changes is mutants.txt. Each names a file, its text before and after, and the tests that have to fail. The checkout is not changed.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed mutants.txt
var table string

// mutant is one change of the code.
type mutant struct {
	file     string
	old, new string
	tests    [][]string // the arguments of go test, each
}

// mutants reads the table.
func mutants(table string) (list []mutant, err error) {
	var now mutant
	end := func() {
		if now.old != "" {
			list = append(list, now)
		}
		now.old, now.new = "", ""
	}
	for n, line := range strings.Split(table, "\n") {
		kind, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "", kind == "#":
			end()
		case kind == "in":
			now.file = rest
		case kind == "test":
			now.tests = nil
			for test := range strings.SplitSeq(rest, " & ") {
				now.tests = append(now.tests, strings.Fields(test))
			}
		case line[0] == '-' && now.new == "":
			now.old = joined(now.old, line[1:])
		case line[0] == '+' && now.old != "":
			now.new = joined(now.new, line[1:])
		default:
			return nil, fmt.Errorf("mutants.txt:%d: %q is no line of the table", n+1, line)
		}
	}
	end()
	return list, nil
}

func joined(text, line string) string {
	if text == "" {
		return line
	}
	return text + "\n" + line
}

// apply returns the file with the change, and the line of the change.
func (m *mutant) apply() (changed []byte, line int, err error) {
	data, err := os.ReadFile(m.file)
	if err != nil {
		return nil, 0, err
	}
	if n := bytes.Count(data, []byte(m.old)); n != 1 {
		return nil, 0, fmt.Errorf("%s has %q %d times; the table wants a text that is there once", m.file, m.old, n)
	}
	before, _, _ := bytes.Cut(data, []byte(m.old))
	return bytes.Replace(data, []byte(m.old), []byte(m.new), 1), 1 + bytes.Count(before, []byte("\n")), nil
}

// killed runs the tests with the changed file in place of the file, and reports whether one failed.
func (m *mutant) killed(changed []byte) (bool, error) {
	dir, err := os.MkdirTemp("", "guards")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	file, err := filepath.Abs(m.file)
	if err != nil {
		return false, err
	}
	place, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {file: place}})
	if err := errors.Join(err, os.WriteFile(place, changed, 0o600), os.WriteFile(overlay, text, 0o600)); err != nil {
		return false, err
	}
	for _, test := range m.tests {
		args := append([]string{"test", "-overlay", overlay, "-vet=off", "-failfast", "-timeout=60s"}, test...)
		// A change may remove a bound on memory.
		cmd := exec.Command("sh", append([]string{"-c", `ulimit -v 12000000; exec go "$@"`, "sh"}, args...)...)
		switch out, err := cmd.CombinedOutput(); {
		case bytes.Contains(out, []byte("[build failed]")), bytes.Contains(out, []byte("no tests to run")), bytes.Contains(out, []byte("[setup failed]")):
			return false, fmt.Errorf("go test %s: %s", strings.Join(test, " "), out)
		case err != nil:
			return true, nil
		}
	}
	return false, nil
}

func main() {
	every := flag.Int("every", 1, "take one of `N` changes")
	only := flag.String("only", "", "take those whose file or text holds `TEXT`")
	flag.Parse()
	if err := run(*every, *only); err != nil {
		fmt.Fprintln(os.Stderr, "guards:", err)
		os.Exit(1)
	}
}

func run(every int, only string) error {
	list, err := mutants(table)
	if err != nil {
		return err
	}
	var broken error
	killed, tried, start := 0, 0, time.Now()
	for i := 0; i < len(list); i += every {
		m := &list[i]
		if !strings.Contains(m.file+"\n"+m.old+"\n"+m.new, only) {
			continue
		}
		changed, line, err := m.apply()
		if err != nil {
			return err
		}
		tried++
		switch noticed, err := m.killed(changed); {
		case err != nil:
			broken = errors.Join(broken, fmt.Errorf("%s:%d: %w", m.file, line, err))
		case noticed:
			killed++
		default:
			fmt.Printf("survived  %s:%d\n  -%s\n  +%s\n", m.file, line, m.old, m.new)
		}
	}
	fmt.Printf("%d of %d changes noticed in %.0f s\n", killed, tried, time.Since(start).Seconds())
	if killed*100 < tried*95 {
		return errors.Join(broken, errors.New("fewer than 95 of 100"))
	}
	return broken
}
