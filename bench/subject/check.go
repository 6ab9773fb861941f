package subject

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// Verdict is what the gate says of a dump beside an accepted one.
type Verdict struct {
	Failed    bool
	Rules     []string // that are broken
	Slower    string   // the level of what it says of the step's time: error, warning, or nothing
	Low, High float64  // between which the step is expected to grow, in microseconds
}

// rules is the configuration that a user begins with.
const rules = "version: 1\nextends: [recommended]\n"

// Side is one side of an edit: a dump, and the folder with the sources that it was made from; "" where git is not to know of the edit.
type Side struct{ Dump, Source string }

// Check accepts one dump and checks another against it, in a repository of their own.
func (x Xlagate) Check(accepted, checked Side) (Verdict, error) {
	dir, err := os.MkdirTemp("", "xlagate-check.")
	if err != nil {
		return Verdict{}, err
	}
	defer os.RemoveAll(dir)
	if accepted.Source != "" {
		if err := edit(dir, accepted.Source, checked.Source); err != nil {
			return Verdict{}, err
		}
	}
	config := filepath.Join(dir, "xlagate.yaml")
	if err := os.WriteFile(config, []byte(rules), 0o644); err != nil {
		return Verdict{}, err
	}
	if out, err := exec.Command(string(x), "accept", "-c", config, "--reason", "the parent", accepted.Dump).CombinedOutput(); err != nil {
		return Verdict{}, fmt.Errorf("accept %s: %w\n%s", accepted.Dump, err, out)
	}
	out, err := x.output(checked.Dump, "check", "-c", config, "-f", "json", checked.Dump)
	if err != nil {
		return Verdict{}, err
	}
	return verdict(out)
}

// edit makes a repository whose commit holds one folder's sources and whose work tree another's.
func edit(dir, committed, edited string) error {
	committed, err := filepath.Abs(committed)
	if err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"--work-tree=" + committed, "add", "-A"}, {"-c", "user.name=bench", "-c", "user.email=bench@example.invalid", "commit", "-qm", "the parent"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("commit %s: %w\n%s", committed, err, out)
		}
	}
	return os.CopyFS(dir, os.DirFS(edited))
}

func verdict(result []byte) (Verdict, error) {
	var r struct {
		Verdict  string `json:"verdict"`
		Findings []struct {
			Level string `json:"level"`
			Rule  string `json:"rule"`
		} `json:"findings"`
		Changes []struct {
			Price struct {
				Low  float64 `json:"low_ns"`
				High float64 `json:"high_ns"`
			} `json:"price"`
		} `json:"changes"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return Verdict{}, fmt.Errorf("read the result of a check: %w", err)
	}
	v := Verdict{Failed: r.Verdict == "fail"}
	for _, c := range r.Changes {
		v.Low, v.High = v.Low+c.Price.Low/1e3, v.High+c.Price.High/1e3
	}
	for _, f := range r.Findings {
		if f.Rule == "max-step-time" && v.Slower != "error" {
			v.Slower = f.Level
		}
		if f.Level == "error" && !slices.Contains(v.Rules, f.Rule) {
			v.Rules = append(v.Rules, f.Rule)
		}
	}
	return v, nil
}
