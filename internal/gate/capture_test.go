package gate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/testfile"
	"github.com/xlagate/xlagate/rules"
)

// Where a stranger's checkout may be around secrets, only the very command is run that the base branch names for this target.
func TestReviewedCommand(t *testing.T) {
	const reviewed = "version: 1\nextends: [recommended]\ntargets:\n  - {name: a, capture: {run: \"touch ran\", env: {X: \"1\"}}}\n  - {name: b, dump: x}\n"
	for name, c := range map[string]struct {
		old, new string // what the checkout changes in the configuration
		target   int
		base     string // "": the commit of the base branch
		may      bool
	}{
		"as it was reviewed":            {may: true},
		"another command":               {old: "touch ran", new: "touch  ran"},
		"another environment":           {old: `X: "1"`, new: `X: "2"`},
		"another variable":              {old: `X: "1"`, new: `X: "1", LD_PRELOAD: x`},
		"another target":                {old: "name: a", new: "name: c"},
		"of a target that had none":     {old: "{name: b, dump: x}", new: `{name: b, capture: {run: "touch ran", env: {X: "1"}}}`, target: 1},
		"a commit that is not there":    {base: strings.Repeat("0", 40)},
		"no commit that could be":       {base: "--all"},
		"anything, where none asks":     {old: "touch ran", new: "touch  ran", base: "none", may: true},
		"a file that cannot be read":    {base: "HEAD~1"},
		"a file that was not there":     {base: "HEAD~2"},
		"the waivers are not looked at": {old: "targets:", new: "fail_on: never\ntargets:", may: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "xlagate.yaml")
			for _, text := range []string{"", "version: [", reviewed} {
				if text != "" {
					write(t, file, text)
				}
				write(t, filepath.Join(dir, "other"), text)
				testfile.Commit(t, dir)
			}
			text := reviewed
			if c.old != "" {
				text = strings.Replace(reviewed, c.old, c.new, 1)
			}
			cfg, err := config.Parse(rules.All, file, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Request: Request{Config: cfg, Targets: []string{cfg.Targets[c.target].Name}}, Environment: Environment{Dir: dir, Now: time.Now(), Reviewed: "HEAD"}}
			switch c.base {
			case "":
			case "none":
				o.Reviewed = ""
			default:
				o.Reviewed = c.base
			}
			if err := o.MayCapture(t.Context(), cfg.Targets[c.target]); (err == nil) != c.may {
				t.Errorf("%v", err)
			}
			if _, err := Check(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(filepath.Join(dir, "ran")); errors.Is(err, fs.ErrNotExist) == c.may {
				t.Errorf("may be run: %v; %v", c.may, err)
			}
		})
	}
}

// Of a dump that is no file nobody knows how old it is, also where nothing was edited.
func TestFreshnessOfAStream(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.py"), "x\n")
	testfile.Commit(t, dir)
	o := Options{Environment: Environment{Edits: func() (*git.Edits, string) {
		return git.EditsSince(t.Context(), dir, "", func(string) string { return "" })
	}}}
	for require, want := range map[bool]string{true: "whether the dump is fresh is not known: it is not a file", false: ""} {
		l := measuredTarget{Target: config.Target{RequireFresh: require}, dumps: []string{"-"}, report: &facts.Report{}}
		if stale, unknown := l.stale(t.Context(), o); stale != "" || unknown != want {
			t.Errorf("require_fresh %v: %q, %q", require, stale, unknown)
		}
	}
}
