// Command history replays the history of optax: programs over its losses, optimizers and projections are compiled as of each commit that
// changes code and as of its parent. The parent is accepted, the commit is checked, and both are timed in turn. What xlagate said and
// what the stopwatch said is written into docs/price-measured.md. Run it from the top of the repository, with a clone of optax and a Python
// that has what bench/history/requirements.txt names:
//
//	go run ./bench/history -python PYTHON -optax CLONE [-since DATE] [COMMIT…]
//
// With commits named, nothing is written.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/xlagate/xlagate/bench/page"
	"github.com/xlagate/xlagate/bench/subject"
)

// The document that shows the figures, and the mark in it.
const (
	document = "docs/price-measured.md"
	command  = "go run ./bench/history"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "history:", err)
		os.Exit(1)
	}
}

func run() error {
	python := flag.String("python", "python3", "a `PROGRAM` that has what bench/history/requirements.txt names")
	clone := flag.String("optax", "", "a `FOLDER` with a clone of github.com/google-deepmind/optax")
	since := flag.String("since", "2025-01-01", "replay what came after a `DATE`")
	dumps := flag.String("dumps", "", "a `FOLDER` that keeps the dumps and the times; what it has is not measured again")
	built := flag.String("xlagate", "", "a `PROGRAM` to ask, not the one that is built from this tree")
	flag.Parse()
	work, err := os.MkdirTemp("", "xlagate-history.")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if *dumps == "" {
		*dumps = filepath.Join(work, "dumps")
	}
	xlagate, err := subject.At(*built, work)
	if err != nil {
		return err
	}
	commits := flag.Args()
	if len(commits) == 0 {
		if commits, err = commitsSince(*clone, *since); err != nil {
			return err
		}
	}
	replayed, err := replay(*python, *clone, *dumps, commits)
	if err != nil {
		return err
	}
	for i := range replayed {
		if err := replayed[i].judge(xlagate, *dumps); err != nil {
			return err
		}
	}
	text := report(replayed)
	fmt.Print(text)
	if flag.NArg() > 0 {
		return nil
	}
	return page.Fill(document, command, text)
}

// commitsSince are the commits of the main line that touch the package, oldest first.
func commitsSince(clone, date string) ([]string, error) {
	out, err := exec.Command("git", "-C", clone, "log", "--first-parent", "--reverse", "--format=%h", "--since="+date, "--", "optax/*.py", ":!*_test.py").Output()
	if err != nil {
		return nil, fmt.Errorf("list the commits of %s: %w", clone, err)
	}
	return strings.Fields(string(out)), nil
}
