package github

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/github/fakegithub"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
)

// slower is a result in which the step of a program with a hostile name became slower.
func slower() *result.Result {
	r := found(1)
	r.Targets[0].Programs = append(r.Targets[0].Programs, result.Program{Name: "<script>alert(1)</script>", Variants: []result.Variant{{
		Signature: "(x: <b>)",
		Base:      facts.Values{"price.step_ns": 45_000, "price.launch_ns": 30_000, "price.memory_ns": 15_000},
		Facts:     facts.Values{"price.step_ns": 45_900, "price.launch_ns": 30_900, "price.memory_ns": 15_000},
	}}})
	return r
}

func illustrated(r *result.Result, id int64) Publication {
	p := publication(r, id)
	p.Pictures, p.Server = report.Pictures(r, nil), "https://github.com"
	return p
}

func TestPicturesAreCommittedAndShown(t *testing.T) {
	s := newSite(t)
	s.post(illustrated(slower(), 1))
	tip := s.Branches[pictureBranch]
	if c := s.Commits[tip]; c == nil || len(c.Parents) != 0 {
		t.Fatalf("the branch of pictures does not begin by itself: %+v", c)
	}
	svg := s.Files(tip)["7/default/step.svg"]
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
	}
	if strings.Contains(svg, "alert") || strings.Contains(svg, "script") || !strings.Contains(svg, ">45.9 µs<") || !strings.Contains(svg, ">+2.0 %<") {
		t.Errorf("the picture: %s", svg)
	}
	want := "\n![The predicted step, 45 µs before and 45.9 µs after, by part](https://github.com/acme/models/raw/" + tip + "/7/default/step.svg)\n"
	if body := s.Comments[0].Body; !strings.Contains(body, want) {
		t.Errorf("the comment does not hold %s: %s", want, body)
	}
	s.post(illustrated(slower(), 2))
	if s.Branches[pictureBranch] != tip {
		t.Error("the same pictures were committed again")
	}
	more := slower()
	more.Targets[0].Programs[0].Variants[0].Facts["price.step_ns"] = 50_000
	s.post(illustrated(more, 3))
	if now := s.Commits[s.Branches[pictureBranch]]; len(now.Parents) != 1 || now.Parents[0] != tip {
		t.Errorf("other pictures stand on %v, not on %s", now.Parents, tip)
	}
}

func TestPicturesOfTwoPullRequestsAtOnce(t *testing.T) {
	s := newSite(t)
	s.Branches[pictureBranch] = s.Commit(map[string]string{"6/default/step.svg": "<svg/>"}, "earlier")
	s.Faults = append(s.Faults, fakegithub.Fault{Status: http.StatusUnprocessableEntity, Message: "Update is not a fast forward"}.On("git/update-ref", 2))
	s.post(illustrated(slower(), 1))
	if files := s.Files(s.Branches[pictureBranch]); len(files) != 2 {
		t.Errorf("the branch holds %d files, want those of both pull requests", len(files))
	}
}

func TestWithoutPermissionTheCommentHasNoPictures(t *testing.T) {
	s := newSite(t)
	s.Tokens["job"] = fakegithub.Token{Login: "github-actions[bot]", ID: 41898282, Bot: true, Rights: []string{"issues"}}
	plain := newSite(t)
	plain.post(publication(slower(), 1))
	done := Publish(t.Context(), s.client("job"), illustrated(slower(), 1))
	if len(done.Warnings) != 1 || !strings.Contains(done.Warnings[0], "contents: write") {
		t.Errorf("warnings: %q", done.Warnings)
	}
	if s.Branches[pictureBranch] != "" || s.Comments[0].Body != plain.Comments[0].Body {
		t.Errorf("the comment differs from the one without pictures: %s", s.Comments[0].Body)
	}
}

func TestNoPicturesWhereNothingIsSaid(t *testing.T) {
	if p := report.Pictures(found(1), nil); p != nil {
		t.Errorf("%d pictures of a step that did not move", len(p))
	}
	s := newSite(t)
	p := illustrated(clean(), 1)
	p.Pictures = []report.Picture{{Name: "step.svg", SVG: bytes.Repeat([]byte("x"), 9)}}
	s.post(p)
	s.wantWrites()
}
