package gate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/testfile"
	"github.com/xlagate/xlagate/rules"
)

// A dump that is older than an edit of a source that it names is told, and fails where it must be fresh; so does not knowing it.
func TestFreshness(t *testing.T) {
	early, late := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	for name, c := range map[string]struct {
		edits  bool // the model's source
		dump   string
		at     time.Time // when a dump outside of the repository was written
		norepo bool
		says   string
	}{
		"nothing is edited":             {dump: "good"},
		"the dump is as it was":         {edits: true, dump: "good", says: "train.py was edited, but not the dump, which is in the repository too: "},
		"an older dump":                 {edits: true, dump: "outside", at: early, says: "before the last edit of train.py at "},
		"a newer dump":                  {edits: true, dump: "outside", at: late},
		"an older dump, nothing edited": {dump: "outside", at: early},
		"no repository":                 {dump: "outside", at: early, norepo: true, says: "whether the dump is fresh is not known: there is no git repository"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "dump")
			good := os.DirFS("../../examples/quickstart/good")
			if err := errors.Join(os.CopyFS(dir, os.DirFS("../../examples/quickstart")), os.CopyFS(outside, good)); err != nil {
				t.Fatal(err)
			}
			files, err := filepath.Glob(filepath.Join(outside, "*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if err := os.Chtimes(f, c.at, c.at); err != nil {
					t.Fatal(err)
				}
			}
			if !c.norepo {
				testfile.Commit(t, dir)
			}
			source := filepath.Join(dir, "train.py")
			data, err := os.ReadFile(source)
			if err == nil && c.edits {
				err = os.WriteFile(source, []byte(strings.ReplaceAll(string(data), "jnp.exp", "jnp.exp2")), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			dump := filepath.Join(dir, "good")
			if c.dump == "outside" {
				dump = outside
			}
			for _, require := range []bool{false, true} {
				text := "version: 1\nextends: [recommended]\ntargets:\n  - {name: classifier/cpu, dump: good}\n"
				if require {
					text = strings.Replace(text, "dump: good", "dump: good, require_fresh: true", 1)
				}
				cfg, err := config.Parse(rules.All, filepath.Join(dir, "xlagate.yaml"), []byte(text))
				if err != nil {
					t.Fatal(err)
				}
				o := Options{Request: Request{Config: cfg, Dumps: []string{dump}}, Environment: Environment{Dir: dir, Now: time.Now()}}
				o.Edits = func() (*git.Edits, string) {
					return git.EditsSince(t.Context(), dir, "", func(string) string { return "" })
				}
				r := check(t, o)
				var said string
				for _, n := range r.Notes {
					if n.Kind == "stale" {
						said += n.Message
					}
				}
				for _, p := range r.Problems {
					said += p.Message
				}
				unknown := c.norepo && !require // nobody asked
				if !strings.Contains(said, c.says) && !unknown || (said != "") != (c.says != "" && !unknown) || (r.ExitCode == ExitIncomplete) != (require && c.says != "") {
					t.Errorf("require_fresh %v: exit %d, says %q, wanted %q", require, r.ExitCode, said, c.says)
				}
			}
		})
	}
}
