package main

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
)

// last is the last check in a repository. It is kept so that the commands which a result prints work when they are pasted.
type last struct {
	config string // the rule file
	dir    string // the working directory
	result func() (*result.Result, error)
}

// lastHead is the first line of the file with the last check. The result follows, as check -f json writes it.
type lastHead struct {
	Config string `json:"config"`
	Dir    string `json:"dir"`
}

// lastPlace returns the name of the file that keeps the last check in the repository, or in the working directory outside of one.
func lastPlace(w world) (string, error) {
	dir, err := files.UserDir()
	if err != nil {
		return "", err
	}
	here, err := workingDir()
	if err != nil {
		return "", err
	}
	place := cmp.Or(repositoryRoot(w), here)
	return filepath.Join(dir, "last", fmt.Sprintf("%.16x.json", sha256.Sum256([]byte(place)))), nil
}

// keepLast stores a check as the last one. A check that cannot be stored counts all the same.
func keepLast(w world, o gate.Options, r *result.Result) {
	const mostLast = mostResult // bytes of the last checks of all repositories
	name, err := lastPlace(w)
	if err != nil || os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	if len(r.Findings) == 0 {
		r = r.WithoutAccept()
	}
	_, missing := os.Stat(name)
	err = files.Replace(name, func(f *os.File) error {
		if err := json.NewEncoder(f).Encode(lastHead{absoluteOr(o.Config.Path), o.Dir}); err != nil {
			return err
		}
		return report.Result.Render(f, r, "json", report.Options{})
	})
	if err == nil && missing != nil { // a look at thousands of files takes as long as a check
		files.Prune(filepath.Dir(name), ".json", mostLast, 0)
	}
}

// lastCheck finds the last check in the repository; nil if there is none. Its result, which may be large, is read when it is asked for.
func lastCheck(w world) *last {
	name, err := lastPlace(w)
	if err != nil {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	line, err := bufio.NewReader(f).ReadBytes('\n')
	var head lastHead
	if err != nil || json.Unmarshal(line, &head) != nil {
		return nil
	}
	return &last{head.Config, head.Dir, sync.OnceValues(func() (*result.Result, error) {
		data, err := files.Read(name, mostResult)
		if err == nil {
			var r *result.Result
			if r, err = parseResult(name, bytes.TrimPrefix(data, line)); err == nil {
				return r, nil
			}
		}
		return nil, wrongUsage("another version of xlagate made the last result, and this one cannot read it; run xlagate check again")
	})}
}

// holds reports whether the result of a last check, which may be nil, has the findings or changes of all ids.
func (l *last) holds(ids []string) bool {
	if l == nil {
		return false
	}
	r, err := l.result()
	return err == nil && !slices.ContainsFunc(ids, func(id string) bool { return !r.Holds(id) })
}

// chooseConfig sets --config to the rule file of the last check, if accept is given ids of its result, finds no other rule file, or says nothing of what to
// accept where that check was made.
func (l *last) chooseConfig(c *cli.Context, w world, ids []string) error {
	if l == nil || c.IsSet("config") || len(ids) == 0 && !isThere(l.config) {
		return nil
	}
	here, err := workingDir()
	if err != nil {
		return err
	}
	found, err := config.Find(".")
	named := c.Args().Present() || c.IsSet("target") || c.IsSet("from") || c.IsSet("baseline") // what to accept
	switch {
	case len(ids) > 0 && !l.holds(ids), len(ids) == 0 && err == nil && (here != l.dir || named):
		return nil
	case err == nil && found != l.config:
		w.say("accepting by " + gate.Relative(here, l.config) + ", as the last check did; -c names another rule file")
	}
	return c.Set("config", gate.Relative(here, l.config))
}

// resultOr reads the result file that a command names, or else the last one; nil if there is none.
func resultOr(w world, name string) (*result.Result, error) {
	if name != "" {
		return readResult(w, name)
	}
	l := lastCheck(w)
	if l == nil {
		return nil, nil
	}
	return l.result()
}
