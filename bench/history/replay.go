package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/xlagate/xlagate/bench/race"
	"github.com/xlagate/xlagate/bench/subject"
)

// commit is one that changes code, as history.py prints it.
type commit struct {
	Commit   string      `json:"commit"`
	Subject  string      `json:"subject"`
	Date     string      `json:"date"`
	Failure  string      `json:"failure"`  // why it, or its parent, cannot be imported
	Programs int         `json:"programs"` // that both have
	Pairs    []race.Pair `json:"pairs"`    // those that are lowered to something else
	verdicts []subject.Verdict
}

// replay reads what a folder has of earlier runs, or lets Python replay the commits.
func replay(python, project, clone, dumps string, commits []string) ([]commit, error) {
	path := filepath.Join(dumps, "history.jsonl")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = replayNow(python, project, clone, dumps, commits)
	}
	if err != nil {
		return nil, err
	}
	var all []commit
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		var c commit
		if err := d.Decode(&c); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("read the replayed commits in %s: %w", path, err)
		}
		all = append(all, c)
	}
}

func replayNow(python, project, clone, dumps string, commits []string) ([]byte, error) {
	cmd := exec.Command(python, append([]string{"bench/history/history.py", project, clone, dumps}, commits...)...)
	cmd.Stderr = os.Stderr
	data, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("replay the commits: %w", err)
	}
	return data, os.WriteFile(filepath.Join(dumps, "history.jsonl"), data, 0o644)
}

// judge accepts the parent's programs and checks the commit's, and asks what both are predicted to take.
func (c *commit) judge(x subject.Xlagate, dumps string) error {
	dumps = filepath.Join(dumps, c.Commit)
	if err := (&race.Measurement{Pairs: c.Pairs}).Predict(x, dumps); err != nil {
		return err
	}
	for _, p := range c.Pairs {
		v, err := x.Check(
			subject.Side{Dump: filepath.Join(dumps, p.Before.Dump), Source: filepath.Join(dumps, "before")},
			subject.Side{Dump: filepath.Join(dumps, p.After.Dump), Source: filepath.Join(dumps, "after")})
		if err != nil {
			return err
		}
		c.verdicts = append(c.verdicts, v)
	}
	return nil
}
