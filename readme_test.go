package xlagate_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/testfile"
)

// shown is a command in a page with the block below it that shows its output: code, or a quotation where the command prints Markdown.
var shown = regexp.MustCompile("(<!-- output: go run \\./cmd/xlagate ([^\n]*) -->\n)((?s:```\n.*?```\n)|(?:>[^\n]*\n)+)?")

// TestReadmeShowsWhatIsPrinted runs every command whose output the README or another page shows.
func TestReadmeShowsWhatIsPrinted(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "xlagate")
	if out, err := exec.Command("go", "build", "-o", bin, "./cmd/xlagate").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	told := 0
	for name, text := range pages(t) {
		page, clone := []byte(text), ""
		for _, b := range shown.FindAllSubmatch(page, -1) {
			if clone == "" {
				clone = cloned(t)
			}
			told++
			want := block(string(b[2]), printed(t, clone, bin, string(b[2])))
			if got := string(b[3]); got != want && !*testfile.Update {
				t.Errorf("%s shows for %s\n%s\nit prints\n%s\ngo test -run Readme . -update writes it", name, b[2], got, want)
			}
			page = bytes.Replace(page, b[0], []byte(string(b[1])+want), 1)
		}
		if *testfile.Update && string(page) != text {
			if err := os.WriteFile(name, page, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if told < 2 {
		t.Fatalf("the pages show %d outputs", told)
	}
}

// block is how a page shows what a command prints.
func block(command, text string) string {
	if !strings.Contains(command, "-f markdown") {
		return "```\n" + text + "```\n"
	}
	var b strings.Builder
	for l := range strings.Lines(strings.TrimSuffix(text, "…\n")) {
		b.WriteString(strings.TrimSpace("> "+l) + "\n")
	}
	return b.String()
}

// cloned is a repository that holds the examples as they are now, in which nothing was edited: what users have who just cloned this one.
func cloned(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples", "quickstart"), os.DirFS("examples/quickstart")); err != nil {
		t.Fatal(err)
	}
	testfile.Commit(t, dir)
	return dir
}

// printed is what a command prints in a folder, or its first lines; it may fail, as a gate does.
func printed(t *testing.T, dir, bin, args string) string {
	t.Helper()
	args, lines, cut := strings.Cut(args, " | head -")
	cmd := exec.Command(bin, strings.Fields(args)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "NO_COLOR=1", "GITHUB_WORKSPACE=", "GITHUB_BASE_REF=", "XLAGATE_PTXAS=off")
	out, err := cmd.Output()
	if len(out) == 0 {
		t.Fatalf("%s printed nothing: %v", args, err)
	}
	if !cut {
		return string(out)
	}
	n, err := strconv.Atoi(lines)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.SplitAfterN(string(out), "\n", n+1)[:n], "") + "…\n"
}

// TestEveryDependencyIsAccountedFor holds docs/dependencies.md to go.mod.
func TestEveryDependencyIsAccountedFor(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	required := regexp.MustCompile(`(?m)^\t(\S+) (v\S+)$`) // indirect ones carry a comment
	found := required.FindAllSubmatch(mod, -1)
	if len(found) < 4 {
		t.Fatalf("go.mod names only %d modules", len(found))
	}
	for _, m := range found {
		if !bytes.Contains(doc, append(append([]byte("`"), m[1]...), '`')) {
			t.Errorf("docs/dependencies.md does not say what %s %s is for", m[1], m[2])
		}
	}
}
