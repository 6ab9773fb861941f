package github

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/fuzztest"
	"github.com/xlagate/xlagate/internal/github/fakegithub"
)

type zipped struct {
	name string
	mode fs.FileMode
	data []byte
}

func archive(t *testing.T, files ...zipped) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate}
		h.SetMode(f.mode)
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write(f.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestUnzipHostile tries what archives can do to those who trust them.
func TestUnzipHostile(t *testing.T) {
	const name = "xlagate-report.json"
	good := zipped{name, 0o644, []byte("{}")}
	for what, c := range map[string]struct {
		data []byte
		err  string
	}{
		"as it should be":    {archive(t, good), ""},
		"empty":              {archive(t), "holds 0 entries"},
		"no archive":         {[]byte("<html>"), "not a zip archive"},
		"two files":          {archive(t, good, zipped{"run.sh", 0o755, nil}), "holds 2 entries"},
		"twice the same":     {archive(t, good, good), "holds 2 entries"},
		"a path":             {archive(t, zipped{"../" + name, 0o644, nil}), "does not hold the plain file"},
		"an absolute path":   {archive(t, zipped{"/etc/" + name, 0o644, nil}), "does not hold the plain file"},
		"a folder before it": {archive(t, zipped{"a/" + name, 0o644, nil}), "does not hold the plain file"},
		"another case":       {archive(t, zipped{"XLAGATE-report.json", 0o644, nil}), "does not hold the plain file"},
		"a link":             {archive(t, zipped{name, 0o777 | fs.ModeSymlink, []byte("/etc/passwd")}), "does not hold the plain file"},
		"a folder":           {archive(t, zipped{name + "/", 0o755 | fs.ModeDir, nil}), "does not hold the plain file"},
		"a device":           {archive(t, zipped{name, 0o644 | fs.ModeDevice, nil}), "does not hold the plain file"},
		"a bomb":             {archive(t, zipped{name, 0o644, make([]byte, maxUnzipped+1)}), "has more than"},
		"a bomb that lies":   {liar(t, name), "unzip xlagate-report.json: zip: not a valid zip file"},
		"too much":           {make([]byte, maxZipped+1), "has more than"},
		"cut off":            {archive(t, good)[:60], "not a zip archive"},
	} {
		_, err := unzip(c.data, name)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, wanted %q", what, err, c.err)
		}
	}
}

// liar is an archive whose entry inflates to far more than it says.
func liar(t *testing.T, name string) []byte {
	t.Helper()
	var packed bytes.Buffer
	f, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(f, zeros{}, 4*maxUnzipped); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate, CompressedSize64: uint64(packed.Len()), UncompressedSize64: 2, CRC32: binary.BigEndian.Uint32([]byte("liar"))})
	if err == nil {
		_, err = w.Write(packed.Bytes())
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func FuzzUnzip(f *testing.F) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("a.json")
	if err == nil {
		_, err = w.Write([]byte(`{"schema": "xlagate.result/v1"}`))
	}
	if err = errors.Join(err, z.Close()); err != nil {
		f.Fatal(err)
	}
	fuzztest.Run(f, fuzztest.Blocks(2), func(t *testing.T, data []byte) error {
		out, err := unzip(data, "a.json")
		if err == nil && len(out) > maxUnzipped {
			t.Errorf("%d bytes", len(out))
		}
		return err
	}, b.Bytes(), []byte("PK\x05\x06"))
}

func TestArtifact(t *testing.T) {
	s := newSite(t)
	good := archive(t, zipped{"xlagate-report.json", 0o644, []byte("{}")})
	s.Artifacts = []*fakegithub.Artifact{
		{ID: 1, Run: 5, Name: "xlagate-report", Data: []byte("an earlier attempt's")}, {ID: 2, Run: 5, Name: "logs", Data: good},
		{ID: 3, Run: 5, Name: "xlagate-report", Data: good}, {ID: 4, Run: 5, Name: "xlagate-report", Data: good, Expired: true},
		{ID: 5, Run: 6, Name: "xlagate-report", Data: good, Size: maxZipped + 1}, {ID: 6, Run: 7, Name: "xlagate-report", Data: make([]byte, maxZipped+1), Size: 10},
	}
	c := s.client("reader")
	if data, err := c.Artifact(context.Background(), 5, "xlagate-report"); err != nil || string(data) != "{}" {
		t.Errorf("%q %v", data, err)
	}
	for run, want := range map[int64]string{6: "at most 5242880 are read", 7: "at most 5242880 bytes are read"} {
		if _, err := c.Artifact(context.Background(), run, "xlagate-report"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("run %d: %v", run, err)
		}
	}
	if _, err := c.Artifact(context.Background(), 8, "xlagate-report"); !errors.Is(err, ErrNothingToDo) {
		t.Errorf("%v", err)
	}
}

func TestPullRequestOfRun(t *testing.T) {
	fork := WorkflowRun{ID: 5, Attempt: 1, WorkflowID: 9, Event: "pull_request", HeadSHA: headSHA, HeadBranch: "wider"}
	fork.HeadRepository.FullName, fork.HeadRepository.Owner.Login = "mona/models", "mona"
	pull := func(n int, change func(*fakegithub.Pull)) *fakegithub.Pull {
		p := &fakegithub.Pull{Number: n, State: "open", HeadSHA: headSHA, HeadRef: "wider", HeadRepo: "mona/models", BaseSHA: baseSHA, BaseRef: "main"}
		change(p)
		return p
	}
	as := func(*fakegithub.Pull) {}
	for name, c := range map[string]struct {
		pulls []*fakegithub.Pull
		want  int
	}{
		"one":                     {[]*fakegithub.Pull{pull(9, as)}, 9},
		"none":                    {nil, 0},
		"two from one branch":     {[]*fakegithub.Pull{pull(9, as), pull(10, as)}, 0},
		"closed":                  {[]*fakegithub.Pull{pull(9, func(p *fakegithub.Pull) { p.State = "closed" })}, 0},
		"moved on":                {[]*fakegithub.Pull{pull(9, func(p *fakegithub.Pull) { p.HeadSHA = baseSHA })}, 0},
		"another's, same commit":  {[]*fakegithub.Pull{pull(9, func(p *fakegithub.Pull) { p.HeadRepo = "eve/models" })}, 0},
		"into another repository": {[]*fakegithub.Pull{pull(9, func(p *fakegithub.Pull) { p.BaseRepo = "mona/models" })}, 0},
		"the branch was renamed":  {[]*fakegithub.Pull{pull(9, func(p *fakegithub.Pull) { p.HeadRef = "widest" })}, 9},
	} {
		s := newSite(t)
		delete(s.Pulls, 7)
		for _, p := range c.pulls {
			s.Pulls[p.Number] = p
		}
		got, err := s.client("reader").PullRequestOf(context.Background(), fork)
		if got.Number != c.want || (err == nil) != (c.want != 0) || err != nil && !errors.Is(err, ErrNothingToDo) {
			t.Errorf("%s: %d %v, wanted %d", name, got.Number, err, c.want)
		}
		if name == "one" && s.Count("repos/list-pull-requests-associated-with-commit") > 0 {
			t.Error("asked again, although the branch names it: of a fork's commit GitHub would not know")
		}
	}
}

func TestLatestRunSpeaks(t *testing.T) {
	run := WorkflowRun{ID: 50, Attempt: 1, WorkflowID: 9, Event: "pull_request", HeadSHA: headSHA}
	run.HeadRepository.FullName = "mona/models"
	mine := fakegithub.Run{ID: 50, Attempt: 1, Workflow: 9, Event: "pull_request", HeadSHA: headSHA, HeadRepo: "mona/models"}
	with := func(change func(*fakegithub.Run)) *fakegithub.Run { r := mine; change(&r); return &r }
	for name, c := range map[string]struct {
		runs []*fakegithub.Run
		ok   bool
	}{
		"alone":            {[]*fakegithub.Run{&mine}, true},
		"after an older":   {[]*fakegithub.Run{with(func(r *fakegithub.Run) { r.ID = 49 }), &mine}, true},
		"before a newer":   {[]*fakegithub.Run{&mine, with(func(r *fakegithub.Run) { r.ID = 51 })}, false},
		"started again":    {[]*fakegithub.Run{with(func(r *fakegithub.Run) { r.Attempt = 2 })}, false},
		"another workflow": {[]*fakegithub.Run{&mine, with(func(r *fakegithub.Run) { r.ID, r.Workflow = 51, 10 })}, true},
		"another's":        {[]*fakegithub.Run{&mine, with(func(r *fakegithub.Run) { r.ID, r.HeadRepo = 51, "eve/models" })}, true},
	} {
		s := newSite(t)
		s.Runs = c.runs
		if err := s.client("reader").Latest(context.Background(), run); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
