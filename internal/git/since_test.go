package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// checkout is a real repository that a test edits.
type checkout struct {
	*testing.T
	dir string
	env map[string]string
}

const model = `import jax

class Block:
    def __call__(self, x):
        """Doc
that is not indented.
"""
        return jax.nn.gelu(
            x,
        )

@jax.jit
def loss(x):
    y = x * 2
    return y

def main():
    print(loss(1))
`

// newCheckout is a repository whose branch main holds some files.
func newCheckout(t *testing.T, files map[string]string) checkout {
	t.Helper()
	c := checkout{t, t.TempDir(), map[string]string{}}
	c.git("init", "-q", "-b", "main")
	for name, text := range files {
		c.write(name, text)
	}
	if len(files) > 0 {
		c.commit("start")
	}
	return c
}

func (c checkout) git(args ...string) string {
	c.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = c.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (c checkout) commit(message string) string {
	c.Helper()
	c.git("add", "-A")
	c.git("commit", "-q", "-m", message)
	return c.git("rev-parse", "HEAD")
}

func (c checkout) write(name, text string) {
	c.Helper()
	file := filepath.Join(c.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		c.Fatal(err)
	}
}

// edit replaces a text that a file holds once.
func (c checkout) edit(name, old, now string) {
	c.Helper()
	data, err := os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(name)))
	if err != nil || strings.Count(string(data), old) != 1 {
		c.Fatalf("%s: %q is not there once: %v", name, old, err)
	}
	c.write(name, strings.Replace(string(data), old, now, 1))
}

func (c checkout) since(base string) *Edits {
	c.Helper()
	e, unknown := c.ask(base)
	if e == nil || unknown != "" {
		c.Fatalf("no edits: %s", unknown)
	}
	return e
}

func (c checkout) ask(base string) (*Edits, string) {
	return EditsSince(context.Background(), c.dir, base, func(name string) string { return c.env[name] })
}

// list writes hunks in one line each.
func list(hunks []Hunk) string {
	var lines []string
	for _, h := range hunks {
		line := fmt.Sprintf("%s -%d,%d +%d,%d", h.File, h.OldFirst, h.OldLines, h.First, h.Lines)
		if h.OldFile != h.File {
			line += " from " + h.OldFile
		}
		if h.Code {
			line += " code"
		}
		if h.New {
			line += " new"
		}
		lines = append(lines, strings.TrimSuffix(line+" in "+h.Function, " in "))
	}
	return strings.Join(lines, "\n")
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n%s\nwant:\n%s", what, got, want)
	}
}

// On main only the work tree counts; on a branch its commits do too. What is staged, unstaged or new is edited alike.
func TestSinceWhat(t *testing.T) {
	c := newCheckout(t, map[string]string{"m.py": model, "data.txt": "1\n"})
	c.edit("m.py", "x * 2", "x * 3")
	c.commit("on main")
	expect(t, "clean main", list(c.since("").Hunks()), "")
	c.git("switch", "-q", "-c", "topic")
	c.edit("m.py", "x * 3", "x * 4")
	c.commit("on topic")
	c.edit("m.py", "gelu", "relu")
	c.git("add", "-A")
	c.edit("m.py", "print", "repr")
	c.write("new.py", "a = 1\nprint(a)")
	c.write("dump/notes.txt", "no source\n")
	want := `m.py -8,1 +8,1 code in Block.__call__
m.py -14,1 +14,1 code in loss
m.py -18,1 +18,1 code in main`
	expect(t, "topic", list(c.since("").Hunks()), want+"\nnew.py -0,0 +1,2 from  code")
	expect(t, "before the last commit on main", list(c.since("main~1").Hunks()), want+"\nnew.py -0,0 +1,2 from  code")
	expect(t, "since HEAD", list(c.since("HEAD").Hunks()), strings.Replace(want, "m.py -14,1 +14,1 code in loss\n", "", 1)+"\nnew.py -0,0 +1,2 from  code")
	c.git("stash", "-q", "-u")
	c.git("switch", "-q", "main")
	c.edit("m.py", "return y", "return -y")
	c.commit("main goes on")
	c.git("switch", "-q", "topic")
	expect(t, "main goes on", list(c.since("").Hunks()), "m.py -14,1 +14,1 code in loss")
}

// A name of the module does nothing by itself: what uses it is edited too.
func TestDefinitions(t *testing.T) {
	for edit, code := range map[string]bool{
		"A = 1\nB: int = 2\n\n": false, "A = 1\n# c\n": false, "A = 1\nset(A)\n": true, "config.x = 1\n": true, "    A = 1\n": true, "A == 1\n": true, "OLD = 2\n": true,
	} {
		c := newCheckout(t, map[string]string{"m.py": "OLD = 1\nx = f(OLD)\n"})
		if edit == "OLD = 2\n" {
			c.edit("m.py", "OLD = 1\n", edit)
		} else {
			c.edit("m.py", "x =", edit+"x =")
		}
		if hunks := c.since("").Hunks(); len(hunks) != 1 || hunks[0].Code != code {
			t.Errorf("%q: %+v", edit, hunks)
		}
	}
}

// Two versions of a file may have the same size and the same time.
func TestEqualTimes(t *testing.T) {
	c := newCheckout(t, nil)
	c.git("config", "core.trustctime", "false")
	released := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	put := func(text string) {
		for _, name := range []string{"conf/model.json", "train.py"} {
			c.write(name, text)
			if err := os.Chtimes(filepath.Join(c.dir, name), released, released); err != nil {
				t.Fatal(err)
			}
		}
	}
	put("WIDTH = 32\n")
	c.commit("start")
	expect(t, "edited before any edit", list(c.since("").Hunks()), "")
	put("WIDTH = 64\n")
	expect(t, "edited", list(c.since("").Hunks()), "conf/model.json -1,1 +1,1 code\ntrain.py -1,1 +1,1 code")
}

func TestNoCommitYet(t *testing.T) {
	c := newCheckout(t, nil)
	c.write("staged.py", "print(1)\n")
	c.git("add", "-A")
	c.write("new.py", "def f():\n    pass\n")
	expect(t, "everything is new", list(c.since("").Hunks()), "new.py -0,0 +1,2 from  code in f\nstaged.py -0,0 +1,1 from  code")
}

// A repository's own settings change nothing, and no program of theirs is run.
func TestSettings(t *testing.T) {
	c := newCheckout(t, map[string]string{"sub/m.py": model, ".gitattributes": "*.py diff=own\n"})
	for name, value := range map[string]string{
		"diff.noprefix": "true", "diff.context": "9", "diff.interHunkContext": "9", "diff.external": "false", "diff.own.textconv": "false", "diff.own.command": "false",
		"diff.relative": "true", "diff.renames": "false", "color.ui": "always", "core.quotePath": "true",
	} {
		c.git("config", name, value)
	}
	c.edit("sub/m.py", "x * 2", "x * 3")
	c.edit("sub/m.py", "print", "repr")
	want := "sub/m.py -14,1 +14,1 code in loss\nsub/m.py -18,1 +18,1 code in main"
	expect(t, "at the top", list(c.since("").Hunks()), want)
	c.dir = filepath.Join(c.dir, "sub")
	expect(t, "below", list(c.since("").Hunks()), want)
}

// A pull request on GitHub is held against its target, whatever of the two is checked out.
func TestPullRequest(t *testing.T) {
	c := newCheckout(t, map[string]string{"m.py": model})
	c.git("switch", "-q", "-c", "topic")
	c.edit("m.py", "x * 2", "x * 3")
	c.commit("topic")
	c.git("switch", "-q", "main")
	c.edit("m.py", "print", "repr")
	c.commit("main goes on")
	c.git("branch", "release")
	c.git("switch", "-q", "--detach")
	c.git("-c", "merge.ff=false", "merge", "-q", "topic")
	want := "m.py -14,1 +14,1 code in loss"
	c.env = map[string]string{"GITHUB_BASE_REF": "release", "GITHUB_REF": "refs/pull/7/merge", "GITHUB_SHA": c.git("rev-parse", "HEAD")}
	expect(t, "merge", list(c.since("").Hunks()), want)
	shallow := c
	shallow.dir = c.TempDir()
	shallow.git("clone", "-q", "--depth=2", "file://"+c.dir, ".")
	expect(t, "shallow merge", list(shallow.since("").Hunks()), want)
	c.git("switch", "-q", "topic")
	expect(t, "head", list(c.since("").Hunks()), want)
}

// What git cannot tell is told in a sentence that says what to do.
func TestUnknown(t *testing.T) {
	c := newCheckout(t, map[string]string{"m.py": model})
	c.edit("m.py", "print", "repr")
	c.commit("more")
	shallow := c
	shallow.dir, shallow.env = t.TempDir(), map[string]string{"GITHUB_BASE_REF": "release/1"}
	shallow.git("clone", "-q", "--depth=1", "file://"+c.dir, ".")
	apart := newCheckout(t, map[string]string{"m.py": model})
	apart.git("checkout", "-q", "--orphan", "other")
	apart.commit("no parent")
	none := checkout{t, t.TempDir(), nil}
	nowhere := checkout{t, filepath.Join(t.TempDir(), "nowhere"), nil}
	for want, found := range map[string]func() (*Edits, string){
		"does not hold release/1: fetch it with git fetch origin release/1": func() (*Edits, string) { return shallow.ask("") },
		"does not hold --help: fetch":                                       func() (*Edits, string) { return c.ask("--help") },
		"too shallow to find where it left main":                            func() (*Edits, string) { return apart.ask("") },
		"there is no git repository":                                        func() (*Edits, string) { return none.ask("") },
		"git cannot be run":                                                 func() (*Edits, string) { return nowhere.ask("") },
	} {
		e, unknown := found()
		if len(e.Hunks()) > 0 || !strings.Contains(unknown, want) {
			t.Errorf("%v, %q, want %q", e, unknown, want)
		}
		if file := e.File("/ci/m.py"); file != "m.py" && strings.Contains(want, "where it left") || file == "m.py" && e.Text("/ci/m.py", 1, "") == "" {
			t.Errorf("%q: m.py is called %q", want, file)
		}
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if e, unknown := EditsSince(stopped, c.dir, "", os.Getenv); e != nil || !strings.Contains(unknown, "did not answer") {
		t.Errorf("%v, %q", e, unknown)
	}
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	if e, unknown := c.ask(""); e != nil || !strings.Contains(unknown, "dubious ownership") || !strings.Contains(unknown, "; run: git config --global --add safe.directory ") {
		t.Errorf("a repository of another user: %v, %q", e, unknown)
	}
}

// A command that prints more than is wanted is ended.
func TestBounded(t *testing.T) {
	c := newCheckout(t, map[string]string{"m.py": strings.Repeat("x = 1\n", 1<<15)})
	cmd := exec.Command("git", "show", "HEAD:m.py")
	out := &bounded{left: 1 << 10}
	cmd.Stdout = out
	if err := run(cmd, c.dir, "show"); err == nil || out.left >= 0 || out.out.Len() > 1<<10 {
		t.Errorf("%v, %d bytes were kept", err, out.out.Len())
	}
}
