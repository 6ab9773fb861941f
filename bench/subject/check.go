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
	Failed bool
	Rules  []string // that are broken
}

// rules is the configuration that a user begins with.
const rules = "version: 1\nextends: [recommended]\n"

// Check accepts one dump and checks another against it, in a folder of their own.
func (x Xlagate) Check(accepted, checked string) (Verdict, error) {
	dir, err := os.MkdirTemp("", "xlagate-check.")
	if err != nil {
		return Verdict{}, err
	}
	defer os.RemoveAll(dir)
	config := filepath.Join(dir, "xlagate.yaml")
	if err := os.WriteFile(config, []byte(rules), 0o644); err != nil {
		return Verdict{}, err
	}
	if out, err := exec.Command(string(x), "accept", "-c", config, "--reason", "the parent", accepted).CombinedOutput(); err != nil {
		return Verdict{}, fmt.Errorf("accept %s: %w\n%s", accepted, err, out)
	}
	out, err := x.output(checked, "check", "-c", config, "-f", "json", checked)
	if err != nil {
		return Verdict{}, err
	}
	return verdict(out)
}

func verdict(result []byte) (Verdict, error) {
	var r struct {
		Verdict  string `json:"verdict"`
		Findings []struct {
			Level string `json:"level"`
			Rule  string `json:"rule"`
		} `json:"findings"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return Verdict{}, fmt.Errorf("read the result of a check: %w", err)
	}
	v := Verdict{Failed: r.Verdict == "fail"}
	for _, f := range r.Findings {
		if f.Level == "error" && !slices.Contains(v.Rules, f.Rule) {
			v.Rules = append(v.Rules, f.Rule)
		}
	}
	return v, nil
}
