// Command history replays the history of a public project: programs over its functions (projects) are compiled as of each commit that changes code and as
// of its parent. The parent is accepted, the commit is checked, and both are timed in turn. What xlagate said and what the stopwatch said is printed.
// Run it from the top of the repository, with a clone of the project and a Python that has what bench/history/requirements.txt names:
//
//	go run ./bench/history -python PYTHON -project optax -clone FOLDER [-since DATE] [COMMIT…]
package main

import (
	"flag"
	"fmt"
	"os/exec"
	"strings"

	"github.com/xlagate/xlagate/bench/subject"
)

func main() {
	project := flag.String("project", "optax", "the `NAME` of a file in bench/history/projects")
	clone := flag.String("clone", "", "a `FOLDER` with a clone of the project")
	since := flag.String("since", "2025-01-01", "replay what came after a `DATE`")
	subject.Main("history", func(t subject.Timing) (string, error) { return history(t, *project, *clone, *since) })
}

// history replays the commits that are named, or those since a date.
func history(t subject.Timing, project, clone, since string) (string, error) {
	commits := t.Only
	if len(commits) == 0 {
		var err error
		if commits, err = commitsSince(clone, since); err != nil {
			return "", err
		}
	}
	replayed, err := replay(t.Python, project, clone, t.Dumps, commits)
	if err != nil {
		return "", err
	}
	for i := range replayed {
		if err := replayed[i].judge(t.Xlagate, t.Dumps); err != nil {
			return "", err
		}
	}
	return report(replayed), nil
}

// commitsSince are the commits of the main line that touch Python and have a parent, oldest first.
func commitsSince(clone, date string) ([]string, error) {
	out, err := exec.Command("git", "-C", clone, "log", "--first-parent", "--min-parents=1", "--reverse", "--format=%h", "--since="+date, "--", "*.py", ":!*_test.py").Output()
	if err != nil {
		return nil, fmt.Errorf("list the commits of %s: %w", clone, err)
	}
	return strings.Fields(string(out)), nil
}
