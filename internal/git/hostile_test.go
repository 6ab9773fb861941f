package git

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// trapped is a repository whose own configuration names programs wherever git takes one. Each leaves a file when it is run.
type trapped struct {
	checkout
	sprung string // the folder of these files
}

// trap returns a command that leaves a file, and does nothing else.
func (r trapped) trap(name string) string {
	return "touch '" + filepath.Join(r.sprung, name) + "'; false #"
}

// ran returns the traps that were sprung, and sets them again.
func (r trapped) ran() (names []string) {
	r.Helper()
	entries, err := os.ReadDir(r.sprung)
	if err != nil {
		r.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
		if err := os.Remove(filepath.Join(r.sprung, e.Name())); err != nil {
			r.Fatal(err)
		}
	}
	return names
}

// plain runs git as a person does.
func (r trapped) plain(args ...string) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	_ = cmd.Run() // some traps fail
}

func newTrapped(t *testing.T) trapped {
	r := trapped{newCheckout(t, map[string]string{
		"model.py": model, "notes.txt": "a\n", "data.bin": "b\n", ".gitattributes": "other.py filter=clean\n*.txt diff=command\n*.bin diff=word\n*.md filter=process\n*.cfg filter=tree\n", "odd.md": "e\n", "a.cfg": "a\n", "other.py": "x = 1\n",
	}), t.TempDir()}
	r.submodule()
	r.signed()
	for key, value := range map[string]string{
		"core.fsmonitor": r.trap("fsmonitor"), "core.sshCommand": r.trap("ssh"), "core.askPass": r.trap("askpass"), "core.editor": r.trap("editor"), "core.pager": r.trap("pager"),
		"core.gitProxy": filepath.Join(r.dir, "proxy"), "credential.helper": "!" + r.trap("credential"), "diff.external": r.trap("external"),
		"diff.command.command": r.trap("command"), "diff.word.textconv": r.trap("textconv"), "gpg.program": filepath.Join(r.dir, "gpg"), "log.showSignature": "true",
		"filter.clean.clean": strings.Replace(r.trap("clean"), "false", "cat", 1), "filter.clean.required": "true", "filter.process.process": r.trap("process"),
		"pager.diff": r.trap("pager"), "pager.log": r.trap("pager"), "pager.show": r.trap("pager"),
		"protocol.ext.allow": "always", "extensions.partialClone": "origin", "core.repositoryFormatVersion": "1",
		"remote.origin.url": "ext::sh -c touch% " + filepath.Join(r.sprung, "remote"), "remote.origin.promisor": "true", "remote.near.url": r.dir, "remote.near.uploadpack": r.trap("uploadpack"),
	} {
		r.git("config", key, value)
	}
	r.git("config", "extensions.worktreeConfig", "true")
	r.git("config", "--worktree", "filter.tree.clean", r.trap("tree"))
	r.script("gpg", r.trap("gpg"))
	r.script("proxy", r.trap("proxy"))
	for _, hook := range []string{"post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman"} {
		r.script(".git/hooks/"+hook, r.trap("hook"))
	}
	r.write("model.py", strings.Replace(model, "x * 2", "x * 3", 1))
	r.write("notes.txt", "c\n")
	r.write("data.bin", "d\n")
	r.write("odd.md", "f\n")
	r.write("a.cfg", "b\n")
	r.write("other.py", "x = 2\n")
	r.ran()
	return r
}

func (r trapped) script(name, command string) {
	r.Helper()
	r.write(name, "#!/bin/sh\n"+command+"\n")
	if err := os.Chmod(filepath.Join(r.dir, name), 0o700); err != nil {
		r.Fatal(err)
	}
}

// submodule adds a repository inside of the repository, with a configuration of its own.
func (r trapped) submodule() {
	inner := trapped{newCheckout(r.T, map[string]string{"a": "a\n", ".gitattributes": "a filter=inner\n"}), r.sprung}
	if err := os.Rename(inner.dir, filepath.Join(r.dir, "sub")); err != nil {
		r.Fatal(err)
	}
	inner.dir = filepath.Join(r.dir, "sub")
	r.git("-c", "advice.addEmbeddedRepo=false", "add", "sub")
	r.git("commit", "-q", "-m", "sub")
	inner.git("config", "core.fsmonitor", r.trap("sub"))
	inner.git("config", "filter.inner.clean", r.trap("inner"))
	inner.write("a", "b\n")
}

// signed commits what has a signature, which git log may verify.
func (r trapped) signed() {
	r.Helper()
	text, rest, _ := strings.Cut(r.git("cat-file", "commit", "HEAD"), "\n\n")
	r.write("commit", text+"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n a\n -----END PGP SIGNATURE-----\n\n"+rest+"\n")
	r.git("reset", "-q", "--soft", r.git("hash-object", "-t", "commit", "-w", "commit"))
}

const missing = "0123456789012345678901234567890123456789"

// Whatever the configuration of a repository names, nothing of it runs.
func TestHostileConfiguration(t *testing.T) {
	r, ctx := newTrapped(t), context.Background()
	for _, args := range [][]string{
		{"status"}, {"diff", "notes.txt"}, {"diff", "model.py"}, {"diff", "--no-ext-diff", "data.bin"}, {"diff", "odd.md"}, {"diff", "a.cfg"}, {"status", "sub"}, {"log", "-p"}, {"add", "other.py"}, {"update-ref", "refs/x", "HEAD"}, {"show", missing},
	} {
		r.plain(args...)
	}
	for _, from := range []string{"near", "ssh://a.invalid/b", "git://a.invalid/b"} {
		r.plain("fetch", from)
	}
	set := r.ran()
	for _, name := range []string{"clean", "command", "external", "fsmonitor", "gpg", "hook", "inner", "process", "tree", "proxy", "remote", "ssh", "sub", "textconv", "uploadpack"} {
		if !slices.Contains(set, name) {
			t.Errorf("git as it is does not run %s: the test shows nothing; it runs %v", name, set)
		}
	}

	edits, unknown := EditsSince(ctx, r.dir, "HEAD", func(string) string { return "" })
	if h, ok := edits.At("model.py", 14); unknown != "" || !ok || h.Function != "loss" {
		t.Errorf("%s; %+v", unknown, edits.Hunks())
	}
	if h, ok := edits.At("other.py", 1); !ok || !h.Code {
		t.Errorf("%+v", edits.Hunks())
	}
	if got := edits.Text("model.py", 14, "loss"); got != "y = x * 3" {
		t.Errorf("%q", got)
	}
	if edits.Unedited(ctx, []string{"model.py"}) || edits.EditedAt(ctx, "data.bin").IsZero() {
		t.Error("the edits are not known")
	}
	for _, args := range [][]string{
		{"show", "HEAD:./model.py"}, {"show", missing}, {"log", "--format=%H", "--", "model.py"}, {"rev-list", "--parents", "--max-count=1", "HEAD"}, {"merge-base", "HEAD", "HEAD"},
		{"ls-files", "-z", "--others", "--exclude-standard"}, {"ls-files", "-z", "--cached"}, {"rev-parse", "--verify", "--quiet", missing + "^{commit}"}, {"ls-tree", "-r", "HEAD"}, {"log", "-1"},
		{"update-ref", "refs/y", "HEAD"},
	} {
		_, _ = Run(ctx, r.dir, args...)
	}
	if ran := r.ran(); ran != nil {
		t.Errorf("git runs %v", ran)
	}
}

// A checkout may hold a folder that looks like a bare repository, with a configuration that a pull request wrote.
func TestRepositoryInACheckout(t *testing.T) {
	r := trapped{newCheckout(t, map[string]string{"model.py": model}), t.TempDir()}
	r.write("in/HEAD", "ref: refs/heads/main\n")
	r.write("in/refs/heads/main", r.git("rev-parse", "HEAD")+"\n")
	if err := os.CopyFS(filepath.Join(r.dir, "in/objects"), os.DirFS(filepath.Join(r.dir, ".git/objects"))); err != nil {
		t.Fatal(err)
	}
	r.write("in/config", "[core]\n\trepositoryFormatVersion = 0\n\tbare = false\n\tworktree = "+r.dir+"\n\tfsmonitor = \""+r.trap("fsmonitor")+"\"\n[filter \"a\"]\n\tclean = \""+r.trap("clean")+"\"\n")
	in := filepath.Join(r.dir, "in")
	exec := exec.Command("git", "status")
	exec.Dir = in
	_ = exec.Run()
	if ran := r.ran(); !slices.Contains(ran, "fsmonitor") {
		t.Errorf("git as it is does not run the trap: the test shows nothing; it runs %v", ran)
	}
	if edits, unknown := EditsSince(context.Background(), in, "", func(string) string { return "" }); edits != nil || !strings.Contains(unknown, "cannot use bare repository") {
		t.Errorf("%+v, %s", edits, unknown)
	}
	if out, err := Run(context.Background(), in, "show", "HEAD:model.py"); err == nil {
		t.Errorf("it shows %s", out)
	}
	if ran := r.ran(); ran != nil {
		t.Errorf("git runs %v", ran)
	}
}

// No command writes to the index, which another git may be writing.
func TestIndexStays(t *testing.T) {
	c := newCheckout(t, map[string]string{"a": "1\n"})
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(c.dir, "a"), long, long); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(c.dir, ".git/index"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), c.dir, "status"); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(filepath.Join(c.dir, ".git/index")); err != nil || !bytes.Equal(before, now) {
		t.Errorf("it was refreshed: %v", err)
	}
}

// A dump may name any file as a source: a pipe is not read, nor what a link outside of the repository leads to.
func TestNoSource(t *testing.T) {
	c := newCheckout(t, map[string]string{"model.py": model})
	secret := filepath.Join(t.TempDir(), "secret.py")
	if err := errors.Join(os.WriteFile(secret, []byte("secret\n"), 0o600), os.Symlink(secret, filepath.Join(c.dir, "link.py")),
		exec.Command("mkfifo", filepath.Join(c.dir, "pipe.py")).Run()); err != nil {
		t.Fatal(err)
	}
	edits, unknown := EditsSince(context.Background(), c.dir, "HEAD", func(string) string { return "" })
	for name, want := range map[string]bool{"model.py": true, "link.py": false, "pipe.py": false, "../" + filepath.Base(filepath.Dir(secret)) + "/secret.py": false} {
		if text := edits.Text(name, 1, ""); (text != "") != want {
			t.Errorf("%s: %q %s", name, text, unknown)
		}
	}
}

// A link is told that a checkout brings, above a path as well; not one that somebody made here.
func TestCheckedInLink(t *testing.T) {
	c := newCheckout(t, map[string]string{"a/b": "1\n"})
	link := filepath.Join(c.dir, "link")
	if err := os.Symlink("a", link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{link: "", filepath.Join(c.dir, "a"): ""} {
		if got := CheckedInLink(t.Context(), path); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	c.commit("link")
	for path, want := range map[string]string{link: link, filepath.Join(link, "b"): link, filepath.Join(c.dir, "a", "b"): ""} {
		if got := CheckedInLink(t.Context(), path); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// No file outside of the repository is quoted, wherever its configuration says that the work tree is.
func TestWorkTreeElsewhere(t *testing.T) {
	c := newCheckout(t, map[string]string{"model.py": model})
	elsewhere := t.TempDir()
	c.git("config", "core.worktree", elsewhere)
	if edits, unknown := EditsSince(context.Background(), c.dir, "", func(string) string { return "" }); edits != nil || !strings.Contains(unknown, "which has no .git") {
		t.Errorf("%+v, %s", edits, unknown)
	}
}

// A commit is what it was, not what the checkout says in its place.
func TestReplacedCommit(t *testing.T) {
	c := newCheckout(t, map[string]string{"a": "true\n"})
	first := c.git("rev-parse", "HEAD")
	c.write("a", "false\n")
	c.git("replace", first, c.commit("other"))
	if out, err := Run(context.Background(), c.dir, "show", first+":a"); err != nil || string(out) != "true\n" {
		t.Errorf("%s, %v", out, err)
	}
}

// A partial clone would fetch what it lacks, by whatever its configuration names.
func TestPartialClone(t *testing.T) {
	c := newCheckout(t, map[string]string{"a": "1\n"})
	c.git("config", "uploadpack.allowFilter", "true")
	c.write("a", "2\n")
	c.commit("second")
	clone := checkout{t, filepath.Join(t.TempDir(), "clone"), nil}
	c.git("clone", "-q", "--filter=blob:none", "file://"+c.dir, clone.dir)
	_, err := Run(context.Background(), clone.dir, "show", "HEAD~1:a")
	if failed, ok := err.(*Failure); !ok || !strings.Contains(failed.Sentence(), "git fetch --refetch --no-filter") {
		t.Fatal(err)
	}
	clone.git("-c", "maintenance.auto=false", "-c", "gc.auto=0", "fetch", "-q", "--refetch", "--no-filter")
	if out, err := Run(context.Background(), clone.dir, "show", "HEAD~1:a"); err != nil || string(out) != "1\n" {
		t.Errorf("%s, %v", out, err)
	}
}
