package report

import (
	"testing"

	"github.com/xlagate/xlagate/internal/result"
)

func TestBelowTheRoot(t *testing.T) {
	for _, c := range [][3]string{
		{"/srv/models", "/srv/models/train.py", "train.py"}, {"/srv/models/", "/srv/models/a/b.py", "a/b.py"}, {"/srv/models", "/srv/models2/train.py", "/srv/models2/train.py"},
		{"/srv/models", "/srv/models/../x.py", "/srv/models/../x.py"}, {"/srv/models", "/srv/./models/x.py", "x.py"}, {"/srv/models", "train.py", "train.py"}, {"/srv/models", "", ""},
		{"/", "/train.py", "train.py"}, {`C:\models`, `C:\models\a\train.py`, "a/train.py"},
	} {
		if got := below(c[0], c[1]); got != c[2] {
			t.Errorf("%s below %s is %s, wanted %s", c[1], c[0], got, c[2])
		}
	}
}

func TestInRepository(t *testing.T) {
	for file, want := range map[string]bool{
		"train.py": true, "a/b/train.py": true, "./train.py": true, "a/../train.py": true, `a\train.py`: true,
		"": false, "/abs/train.py": false, "../train.py": false, "a/../../train.py": false, "..": false, "<string>": false, `C:\train.py`: false, "C:/train.py": false,
	} {
		if _, line := repositoryFile(result.Source{File: file, Line: 1}, Options{}); line > 0 != want {
			t.Errorf("%q: line %d", file, line)
		}
	}
}

// The root is taken off for a rendering, never off the result itself, and no root leaves everything as it is.
func TestRooted(t *testing.T) {
	r := failing()
	out := rooted(r, "/srv/models")
	if out.Changes[0].Source.File != "train.py" || r.Changes[0].Source.File != "/srv/models/train.py" {
		t.Errorf("%s, and the result itself has %s", out.Changes[0].Source.File, r.Changes[0].Source.File)
	}
	if rooted(r, "") != r {
		t.Error("without a root the result was copied")
	}
	if got := out.Changes[1].Source.File; got != r.Changes[1].Source.File {
		t.Errorf("a file outside of the root is called %s", got)
	}
}

// A change without a line in the repository is attached to the configuration: code hosts drop what has no place.
func TestPlaceOfLastResort(t *testing.T) {
	s := result.Source{File: "/usr/lib/python/x.py", Line: 3}
	if file, line := repositoryFile(s, Options{}); file != "xlagate.yaml" || line != 0 {
		t.Errorf("%s:%d", file, line)
	}
	if file, line := repositoryFile(s, Options{Config: "ci/gate.yaml"}); file != "ci/gate.yaml" || line != 0 {
		t.Errorf("%s:%d", file, line)
	}
	s.File = `models\train.py`
	if file, line := repositoryFile(s, Options{}); file != "models/train.py" || line != 3 {
		t.Errorf("%s:%d", file, line)
	}
}

func TestURI(t *testing.T) {
	for file, want := range map[string]string{"a/train.py": "a/train.py", "./a//b.py": "a/b.py", "a b.py": "a%20b.py", "a#b.py": "a%23b.py", "a?b.py": "a%3Fb.py", "a:b.py": "./a:b.py"} {
		if got := uri(file); got != want {
			t.Errorf("%q: %q, wanted %q", file, got, want)
		}
	}
}
