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
	r := ugly()
	r.Policy = uglyPolicy(hostileText)
	return &Comment{Result: r, Head: "a1b2c3d4e5f6", Was: hostileText, Reported: true, Run: 9821, Artifact: "xlagate-report", Trigger: true}
}

// uglyPolicy has a text in every place.
func uglyPolicy(s string) *result.Policy {
	f := result.Dispute{ID: "0000000000ff", Rule: s, Level: "error", Target: s, Program: s, Message: s}
	return &result.Policy{
		Base: s, Flags: []string{s}, Accepted: []result.Dispute{f}, Loosened: []result.Dispute{f}, AcceptedChanges: 1, LoosenedChanges: 1,
		Files:   []result.PolicyFile{{Name: s, Was: s, Diff: "-" + s + "\n+" + s + "\n"}},
		Accepts: []result.Acceptance{{Target: s, Program: s, Reason: s}},
	}
}

// TestCommentMarkdown reads comments as GitHub would: one table, the folds that were meant, and nothing else.
func TestCommentMarkdown(t *testing.T) {
	for name, c := range map[string]struct {
		comment             *Comment
		tables, rows, folds int
	}{
		"failing": {&Comment{Result: failing(), Run: 9821, Artifact: "xlagate-report"}, 1, 2, 4},
		"policy":  {&Comment{Result: loosened()}, 0, 0, 3},
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
	same := func() *result.Result {
		r := passing()
		r.Notes = nil
		return r
	}
	c := &Comment{Result: same(), Was: "2 errors at 4f1c9e2"}
	if text := c.Markdown(Options{}); !c.Clean() || strings.TrimSpace(text) != "### ✅ xlagate: all clear in 1 target, 14 checks, 0 waived (was: 2 errors at 4f1c9e2)" {
		t.Errorf("%q", text)
	}
	c.Result = loosened()
	if text := c.Markdown(Options{}); c.Clean() || !strings.HasPrefix(text, "### ⚠️ xlagate: passes only by rules that this branch loosens: 2 changes in 1 target") {
		t.Errorf("a verdict that hangs on the policy is hidden:\n%s", text)
	}
	for what, change := range map[string]func(*Comment){
		"a change": func(c *Comment) { c.Result = failing() },
		"a gap":    func(c *Comment) { c.Result = incomplete() },
		"a problem": func(c *Comment) {
			c.Result.Problems = []result.Problem{{Message: "not judged by the base branch's policy"}}
		},
		"a policy change": func(c *Comment) {
			c.Result.Policy = &result.Policy{Files: []result.PolicyFile{{Name: "xlagate.yaml", Was: "xlagate.yaml"}}}
		},
		"a new policy":   func(c *Comment) { c.Result.Policy = &result.Policy{Files: []result.PolicyFile{{Name: "xlagate.yaml"}}} },
		"a note":         func(c *Comment) { c.Result.Notes = []result.Note{{Kind: "upgrade", Message: "not compared"}} },
		"an improvement": func(c *Comment) { c.Result = passing() },
	} {
		c := &Comment{Result: same()}
		if change(c); c.Clean() {
			t.Errorf("%s is nothing to say", what)
		}
	}
}

// loosened is a result that passes, but not by the base branch's rules.
func loosened() *result.Result {
	r := passing()
	r.Policy = &result.Policy{
		Base: "main@91ab03d", LoosenedChanges: 2, Loosened: []result.Dispute{{ID: "a3f8c21b9d04", Rule: "max-kernels", Level: "error", Target: "default", Program: "softmax", Message: "4 kernels"}},
		Files: []result.PolicyFile{{Name: "xlagate.yaml", Was: "xlagate.yaml", Diff: FileDiff("version: 1\nextends: [recommended]\n", "version: 1\n")}},
	}
	return r
}

// The heading of a pass says what it hangs on, and whether somebody has to look at it.
func TestStanding(t *testing.T) {
	file := []result.PolicyFile{{Name: "a/xlagate.yaml"}}
	for want, p := range map[string]*result.Policy{
		"nothing found": {},
		"passes with 3 changes that this branch accepts":                                                         {AcceptedChanges: 3},
		"! passes only by rules that this branch loosens: 18 changes":                                            {LoosenedChanges: 18},
		"passes only by rules that this branch loosens: 1 change":                                                {LoosenedChanges: 1, Own: true},
		"! passes only by rules that this branch loosens: 2 changes, and with 1 change that this branch accepts": {AcceptedChanges: 1, LoosenedChanges: 2},
		"1 warning by the rules of main alone":                                                                   {Loosened: []result.Dispute{{Level: "warning"}}},
		"! passes by rules that main does not have":                                                              {Files: file},
		"passes by its own rules: main has none yet":                                                             {Files: file, First: true},
	} {
		r := passing()
		r.Policy, p.Base = p, "main@91ab03d"
		got := Outcome(r)
		if NeedsReview(r) {
			got = "! " + got
		}
		if got != want {
			t.Errorf("%q, wanted %q", got, want)
		}
	}
	r := failing()
	if r.Policy = (&result.Policy{LoosenedChanges: 3}); Outcome(r) != "1 error, 1 warning" || NeedsReview(r) {
		t.Errorf("a result that fails is titled %q", Outcome(r))
	}
}

// A diff of rule files has three lines around each change, and says at which line.
func TestFileDiff(t *testing.T) {
	long := strings.Repeat("- same\n", 20)
	for name, c := range map[string]struct{ before, after, want string }{
		"nothing":      {"a: 1\n", "a: 1\n", ""},
		"indented":     {"a:\n  b: 1\n", "a:\n  b: 2\n", "@@ line 1 @@\n a:\n-  b: 1\n+  b: 2\n"},
		"two places":   {"a: 1\n" + long + "b: 1\n", "a: 2\n" + long + "b: 2\n", "@@ line 1 @@\n-a: 1\n+a: 2\n - same\n - same\n - same\n@@ line 19 @@\n - same\n - same\n - same\n-b: 1\n+b: 2\n"},
		"all is gone":  {"a: 1\n", "", "@@ line 1 @@\n-a: 1\n"},
		"far too long": {strings.Repeat("x\n", maxDiffLines+1), "", "@@ line 1 @@\n-50,001 lines, too many to show line by line\n+0 lines\n"},
	} {
		if got := FileDiff(c.before, c.after); got != c.want {
			t.Errorf("%s:\n%s\nwanted:\n%s", name, got, c.want)
		}
	}
}

// A pull request that improves says in one line how to keep that, from the run, with the rule file that was used.
func TestImprovementIsKept(t *testing.T) {
	c := &Comment{Result: passing(), Run: 9821, Artifact: "xlagate-report"}
	c.Result.SetOptions([]string{"-c", "serving.yaml"})
	const want = "so that losing it fails: `gh run download 9821 --name xlagate-report && xlagate accept --from xlagate-report.json --tighten -c serving.yaml`\n"
	if text := c.Markdown(Options{}); !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
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
		c.Was, c.Head, c.Result.Policy = s, s, uglyPolicy(s)
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
