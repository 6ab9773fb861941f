package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The bounds of a usual dump, and how often it is checked; the median counts.
const (
	usualModules = 20
	usualBytes   = 20e6
	checks       = 9
)

// checkTable says how long a check of real dumps takes, DIR/*/dump, each a target.
func (b *bench) checkTable(dir string) (string, error) {
	repo := filepath.Join(b.work, "repository")
	modules, bytes, err := writeTargets(repo, dir)
	if err != nil {
		return "", err
	}
	config := filepath.Join(repo, "xlagate.yaml")
	if err := os.Setenv("XDG_CACHE_HOME", filepath.Join(b.work, "cache")); err != nil {
		return "", err
	}
	if _, err := execute([]string{b.xlagate, "accept", "--config", config, "--reason", "first"}, io.Discard, true); err != nil {
		return "", err
	}
	var all []sample
	for range checks {
		s, err := execute([]string{b.xlagate, "check", "--config", config}, io.Discard, true)
		if err != nil {
			return "", err
		}
		all = append(all, s)
	}
	s := middle(all)
	const text = "### A check\n\n`xlagate check` of %d real modules, %.0f MB of text, with their baselines in a git repository, takes %.0f ms, %.0f ms of CPU, and %.0f MB of memory: the median of %d.\n\n"
	return fmt.Sprintf(text, modules, float64(bytes)/1e6, 1e3*s.wall.Seconds(), 1e3*s.cpu.Seconds(), float64(s.peak)/1e6, checks), nil
}

// writeTargets makes a repository whose configuration has a target for each dump, the largest first, until there are as many modules as a usual dump has.
func writeTargets(repo, dir string) (modules int, bytes int64, err error) {
	dumps, err := filepath.Glob(filepath.Join(dir, "*", "dump"))
	if err != nil {
		return 0, 0, err
	}
	var all []target
	for _, dump := range dumps {
		t, err := targetOf(dump)
		if err != nil {
			return 0, 0, err
		}
		all = append(all, t)
	}
	slices.SortStableFunc(all, func(a, b target) int { return cmp.Compare(b.bytes, a.bytes) })
	var config strings.Builder
	config.WriteString("version: 1\nextends: [recommended]\ntargets:\n")
	for _, t := range all {
		if t.modules > 0 && modules+t.modules <= usualModules && bytes+t.bytes <= usualBytes {
			modules, bytes = modules+t.modules, bytes+t.bytes
			fmt.Fprintf(&config, "  - {name: %s, dump: %q}\n", filepath.Base(filepath.Dir(t.dump)), t.dump)
		}
	}
	if modules == 0 {
		return 0, 0, fmt.Errorf("%s holds no dump of a CPU", filepath.Join(dir, "*", "dump"))
	}
	if out, err := exec.Command("git", "init", "-q", repo).CombinedOutput(); err != nil {
		return 0, 0, fmt.Errorf("make a repository: %w\n%s", err, out)
	}
	return modules, bytes, os.WriteFile(filepath.Join(repo, "xlagate.yaml"), []byte(config.String()), 0o600)
}

// target is a dump with the number of its final modules and the bytes of HLO text in it.
type target struct {
	dump    string
	modules int
	bytes   int64
}

func targetOf(dump string) (target, error) {
	t := target{dump: dump}
	entries, err := os.ReadDir(dump)
	if err != nil {
		return t, err
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), "_optimizations.txt") {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return t, err
		}
		t.bytes += info.Size()
		if strings.HasSuffix(e.Name(), ".cpu_after_optimizations.txt") {
			t.modules++
		}
	}
	return t, nil
}

// middle is the median of samples in each of their numbers.
func middle(list []sample) (m sample) {
	walls, cpus, peaks := make([]int64, len(list)), make([]int64, len(list)), make([]int64, len(list))
	for i, s := range list {
		walls[i], cpus[i], peaks[i] = int64(s.wall), int64(s.cpu), s.peak
	}
	for _, numbers := range [][]int64{walls, cpus, peaks} {
		slices.Sort(numbers)
	}
	at := len(list) / 2
	m.wall, m.cpu, m.peak = time.Duration(walls[at]), time.Duration(cpus[at]), peaks[at]
	return m
}
