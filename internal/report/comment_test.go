package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/webpage"
)

// uglyComment says everything that a comment can say, in the worst of words.
func uglyComment() *Comment {
	r, under := ugly(), ugly()
	put(under, "0000000000ff", "error", hostileText)
	under.Findings[9].Rule = hostileName
	return &Comment{
		Result: r, Under: under, Head: "a1b2c3d4e5f6", Base: hostileName, Note: hostileText, Was: hostileText, Reported: true, Run: 9821, Artifact: "xlagate-report", Trigger: true,
		Policy: []result.PolicyChange{
			{File: hostileName, Effect: "looser", Subject: hostileText, Scope: callbackName, Text: hostileText},
			{File: "xlagate.yaml", Effect: "changed", Subject: "max-kernels", Text: hostileName},
		},
	}
}

// TestCommentMarkdown reads comments as GitHub would: one table, the folds that were meant, and nothing else.
func TestCommentMarkdown(t *testing.T) {
	for name, c := range map[string]struct {
		comment             *Comment
		tables, rows, folds int
	}{
		"failing": {&Comment{Result: failing(), Run: 9821, Artifact: "xlagate-report"}, 1, 2, 4},
		"policy":  {&Comment{Result: passing(), Policy: uglyComment().Policy}, 0, 0, 3},
		"ugly":    {uglyComment(), 1, 8, 11},
	} {
		text := c.comment.Markdown(Options{MaxBytes: 60_000})
		got := parseMarkdown(t, []byte(text))
		got.check(t, name)
		folds := strings.Count(strings.Join(got.html, ""), "<details>")
		if got.tables != c.tables || got.rows != c.rows || folds != c.folds {
			t.Errorf("%s: %d tables with %d rows and %d folds, wanted %d, %d, %d\n%s", name, got.tables, got.rows, folds, c.tables, c.rows, c.folds, text)
		}
	}
}

func TestCommentHasOneLink(t *testing.T) {
	c := uglyComment()
	c.Full = "https://github.com/acme/models/actions/runs/9821"
	if got := parseMarkdown(t, []byte(c.Markdown(Options{}))); got.links != 1 {
		t.Errorf("%d links, wanted the one to the report", got.links)
	}
	c.Full = "https://evil.example/) ![x](https://evil.example/x.png"
	if got := parseMarkdown(t, []byte(c.Markdown(Options{}))); got.links+got.images != 0 {
		t.Error("an address that is none became a link")
	}
}

// TestCommentDrops finds ever more, and holds the comment to its size: details go in a fixed order, and what went is counted.
func TestCommentDrops(t *testing.T) {
	c := uglyComment()
	for i := range 10_000 {
		known := &c.Result.Changes[i%8]
		put(c.Result, fmt.Sprintf("%012x", 100+i), known.Level, known.Title)
	}
	for _, most := range []int{60_000, 30_000, 10_000} {
		text := c.Markdown(Options{MaxBytes: most})
		if len(text) > most {
			t.Errorf("%d bytes, at most %d wanted", len(text), most)
		}
		parseMarkdown(t, []byte(text)).check(t, fmt.Sprint(most))
		if !strings.Contains(text, "full report") {
			t.Errorf("within %d bytes nothing says that something was left out", most)
		}
	}
}

func TestCleanComment(t *testing.T) {
	c := &Comment{Result: passing(), Was: "2 errors at 4f1c9e2"}
	if text := c.Markdown(Options{}); !c.Clean() || strings.TrimSpace(text) != "### ✅ xlagate: all clear in 1 target, 14 checks, 0 waived (was: 2 errors at 4f1c9e2)" {
		t.Errorf("%q", text)
	}
	c.Under = failing()
	if c.Clean() || !strings.Contains(c.Markdown(Options{}), "Judged by the base branch's rules and baseline**: 1 error, 1 warning; by this pull request's own: nothing found.") {
		t.Errorf("a verdict that hangs on the policy is hidden:\n%s", c.Markdown(Options{}))
	}
	for what, change := range map[string]func(*Comment){
		"a change":        func(c *Comment) { c.Result = failing() },
		"a gap":           func(c *Comment) { c.Result = incomplete() },
		"a policy change": func(c *Comment) { c.Policy = uglyComment().Policy },
	} {
		c := &Comment{Result: passing()}
		if change(c); c.Clean() {
			t.Errorf("%s is nothing to say", what)
		}
	}
}

// TestAcceptLines are to be copied: each must be one line, and hold the ids.
func TestAcceptLines(t *testing.T) {
	c := &Comment{Result: failing(), Run: 9821, Artifact: "xlagate-report", Trigger: true}
	text := c.Markdown(Options{})
	for _, want := range []string{
		"\nxlagate accept --only 3fa91c02b7d1,77b0c2d4e6f8 --reason \"why\"\n",
		"\ngh run download 9821 --name xlagate-report && xlagate accept --from xlagate-report.json --only 3fa91c02b7d1,77b0c2d4e6f8 --reason \"why\"\n",
		"\n/xlagate accept 3fa91c02b7d1,77b0c2d4e6f8 REASON\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no line %q in\n%s", want, text)
		}
	}
}

// FuzzComment puts a text everywhere a text of the policy may stand.
func FuzzComment(f *testing.F) {
	for _, s := range []string{weirdName, bracketName, hostileName, hostileText, "`", "a|b", "<!-- xlagate:v1 key=default -->", "\n### x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := uglyComment()
		c.Base, c.Note, c.Was, c.Head = s, s, s, s
		c.Policy[0] = result.PolicyChange{File: s, Effect: "looser", Subject: s, Scope: s, Text: s}
		text := c.Markdown(Options{MaxBytes: 60_000})
		parseMarkdown(t, []byte(text)).check(t, s)
		if strings.HasPrefix(text, "<!--") {
			t.Error("the comment begins with a marker of somebody else's")
		}
	})
}

func TestAnnotations(t *testing.T) {
	list := Annotations(failing(), Options{Options: webpage.Options{Root: "/srv/models"}})
	if len(list) != 2 || list[0].File != "train.py" || list[0].Line != 98 || list[0].Level != "error" || !strings.HasPrefix(list[0].Message, "an optimization_barrier is new") {
		t.Errorf("%+v", list)
	}
	if elsewhere := list[1]; elsewhere.File != "xlagate.yaml" || elsewhere.Line != 0 || !strings.HasPrefix(elsewhere.Message, "/usr/lib/python3.12/site-packages/flax/linen/attention.py:212: f32[64,128]") {
		t.Errorf("what stands beside no line does not say where it is: %+v", elsewhere)
	}
	if gaps := Annotations(incomplete(), Options{Config: "models/xlagate.yaml"}); len(gaps) != 2 || gaps[0].File != "models/xlagate.yaml" {
		t.Errorf("%+v", gaps)
	}
	for _, a := range Annotations(ugly(), Options{}) {
		for _, r := range a.Title + strings.ReplaceAll(a.Message, "\n", "") {
			if r < ' ' || r == '\u202e' || r == '\u200b' {
				t.Errorf("%q holds %q", a.Title, r)
			}
		}
	}
}
