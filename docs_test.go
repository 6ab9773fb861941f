package xlagate_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/rule"
)

// pages are the pages that people read, by path.
func pages(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*/*.md"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			out[path] = string(text)
		}
	}
	return out
}

// TestPagesLinkToWhatIsThere follows the links between pages, to headings too.
func TestPagesLinkToWhatIsThere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	all, followed := pages(t), 0
	for page, text := range all {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			path, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			followed++
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			} else if anchor != "" && !hasHeading(all[target], anchor) {
				t.Errorf("%s links to %s: %s has no such heading", page, m[1], target)
			}
		}
	}
	if followed < 50 {
		t.Errorf("only %d links were found", followed)
	}
}

// unanchored is what GitHub drops from a heading to make an anchor of it.
var unanchored = regexp.MustCompile(`[^\p{L}\p{N}_-]`)

// hasHeading reports whether a page has a heading that GitHub gives an anchor.
func hasHeading(text, anchor string) bool {
	for line := range strings.Lines(text) {
		title, is := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if !is || !strings.HasPrefix(line, "#") {
			continue
		}
		title = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(title)), " ", "-")
		if unanchored.ReplaceAllString(title, "") == anchor {
			return true
		}
	}
	return false
}

// TestPagesReachEachOther: a reader who starts at the README finds every page.
func TestPagesReachEachOther(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for page := range pages(t) {
		if filepath.Dir(page) == "docs" && !strings.Contains(string(readme), "("+page+")") {
			t.Errorf("the README does not name %s", page)
		}
	}
}

// excerpt is a block of lines that a page takes from a file, in their order; a line may be cut at "…".
var excerpt = regexp.MustCompile("(?s)<!-- lines of ([^ ]+) -->\n```[a-z]*\n(.*?)```\n")

// TestExcerptsStandInTheirFiles holds what a page shows of a file to the file.
func TestExcerptsStandInTheirFiles(t *testing.T) {
	shown := 0
	for page, text := range pages(t) {
		for _, m := range excerpt.FindAllStringSubmatch(text, -1) {
			file, err := os.ReadFile(m[1])
			if err != nil {
				t.Fatal(err)
			}
			rest := "\n" + string(file)
			for line := range strings.Lines(m[2]) {
				shown++
				want, _ := strings.CutSuffix(line, "…\n")
				_, after, found := strings.Cut(rest, "\n"+want)
				if !found {
					t.Errorf("%s shows a line that %s does not have behind the one before it:\n%s", page, m[1], line)
					break
				}
				rest = "\n" + after
			}
		}
	}
	if shown == 0 {
		t.Error("no page shows lines of a file")
	}
}

// TestFactsCanBeNamed takes every fact that docs/facts.md lists for what an expression of one's own may name, whether or not a dump at hand has it.
func TestFactsCanBeNamed(t *testing.T) {
	first := regexp.MustCompile("(?m)^- `([a-z_]+)\\.")
	groups := first.FindAllStringSubmatch(pages(t)[filepath.Join("docs", "facts.md")], -1)
	if len(groups) < 20 {
		t.Fatalf("docs/facts.md lists %d facts", len(groups))
	}
	for _, m := range groups {
		if _, err := rule.CompileExpression("facts." + m[1] + ".some <= 0"); err != nil {
			t.Error(err)
		}
	}
}

// TestNothingNeedsARelease holds what is said to type, and the workflows, to what there is: sources until a release is in the changelog.
func TestNothingNeedsARelease(t *testing.T) {
	changes, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	if regexp.MustCompile(`(?m)^## v?\d`).Match(changes) {
		t.Skip("there is a release")
	}
	needs := regexp.MustCompile(`pip install (-U )?xlagate\b|xlagate/xlagate@v\d|cmd/xlagate@(latest|v\d)`)
	read := 0
	for _, root := range []string{"README.md", "CONTRIBUTING.md", "docs", "examples", "python/README.md", "cmd/xlagate", "accept", "comment", "setup", "action"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !slices.Contains([]string{".md", ".yml", ".yaml", ".go", ".sh"}, filepath.Ext(path)) {
				return err
			}
			text, err := os.ReadFile(path)
			read++
			if said := needs.Find(text); said != nil {
				t.Errorf("%s says %q, and there is no release", path, said)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if read < 50 {
		t.Errorf("only %d files were read", read)
	}
}
