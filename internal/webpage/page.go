// Package webpage makes the page that shows a result, a difference or a dump: one HTML file that holds its data and loads nothing.
//
// The page itself is written in TypeScript, in web/. This package gathers what it shows into JSON documents: one that the page opens with, and
// parts that it reads when they are asked for. Every text out of a dump is data there and never markup.
package webpage

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"slices"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// Options are the options of a page.
type Options struct {
	Version string
	Root    string                      // the repository: the model's files below it are shown
	Beside  string                      // the folder of the configuration, for files that a dump names without theirs
	Edits   *git.Edits                  // nil where git does not tell
	Fix     func(*result.Change) string // how the rule that a change breaks is met again
}

// Looked is one target that was measured and compared.
type Looked struct {
	Target   string
	Programs []*changes.Program
	Profile  *facts.Profile
}

// Page is the content of one page.
type Page struct {
	core  core
	parts map[string]func() any // by name; made when they are asked for
	names []string              // of parts, in order
	model *model
}

// core is the document that the page opens with.
type core struct {
	Kind     string            `json:"kind"` // result | diff | inspect
	Title    string            `json:"title"`
	Version  string            `json:"version"`
	Old      string            `json:"old,omitempty"` // what a difference compares
	New      string            `json:"new,omitempty"`
	Same     bool              `json:"same,omitempty"` // the two of a difference are identical
	Result   *result.Result    `json:"result,omitempty"`
	Changes  []result.Change   `json:"changes"`
	Programs []program         `json:"programs"`
	Files    map[string]file   `json:"files"` // the model's, by the name that changes and kernels use
	Problems []facts.Problem   `json:"problems,omitempty"`
	Fixes    map[string]string `json:"fixes,omitempty"` // by the change's id
}

type program struct {
	Target   string    `json:"target"`
	Name     string    `json:"name"`
	Was      string    `json:"was,omitempty"`
	Change   string    `json:"change"`
	Main     bool      `json:"main,omitempty"`
	Variants []variant `json:"variants"`
}

type variant struct {
	Signature string       `json:"signature"`
	Change    string       `json:"change"`
	Part      string       `json:"part"` // the name of the part with its kernels
	Step      result.Price `json:"step,omitzero"`
	Old       *side        `json:"old,omitempty"`
	New       *side        `json:"new,omitempty"`
}

// side is one compilation, before or after.
type side struct {
	Facts   facts.Values `json:"facts"`
	Device  *device      `json:"device,omitempty"`
	Modules []string     `json:"modules,omitempty"`
	Missing []string     `json:"missing,omitempty"` // what was not dumped
	Kernels int          `json:"kernels"`
	Graph   string       `json:"graph,omitempty"` // the name of the part with its instructions; "" where the module is not there
}

// device is what a roofline needs to know.
type device struct {
	Name      string  `json:"name"`
	Flops     float64 `json:"flops"`     // a second, of the fastest kind of product
	Vector    float64 `json:"vector"`    // a second, of simple operations
	Bandwidth float64 `json:"bandwidth"` // bytes a second
}

// OfResult makes the page of a gate's result. looked may lack targets of the result: a result that was read from a file holds
// no kernels.
func OfResult(r *result.Result, looked []Looked, o Options) *Page {
	shown := *r
	shown.Targets, shown.Changes = nil, nil
	for _, t := range r.Targets {
		t.Programs, t.NotCovered = nil, listed(t.NotCovered) // their facts are shown from what was checked
		shown.Targets = append(shown.Targets, t)
	}
	b := newBuilder("result", o)
	b.page.core.Title = "xlagate: " + r.Verdict
	b.page.core.Result, b.page.core.Changes = &shown, listed(r.Changes)
	for i := range r.Targets {
		b.dumps[r.Targets[i].Name] = r.Targets[i].Dump
	}
	for i := range r.Changes {
		if o.Fix != nil {
			b.page.core.Fixes[r.Changes[i].ID] = o.Fix(&r.Changes[i])
		}
	}
	for _, l := range looked {
		b.looked(l)
	}
	for i := range r.Targets {
		if t := &r.Targets[i]; !slices.ContainsFunc(looked, func(l Looked) bool { return l.Target == t.Name }) {
			b.factsOf(t)
		}
	}
	return b.done()
}

// OfDiff makes the page of a difference.
func OfDiff(d *changes.Report, o Options) *Page {
	b := newBuilder("diff", o)
	b.page.core.Title = fmt.Sprintf("xlagate: %s → %s", d.Old, d.New)
	b.page.core.Old, b.page.core.New, b.page.core.Same = d.Old, d.New, d.Identical
	b.old, b.dumps[""] = d.Old, d.New
	for _, p := range d.Programs {
		b.causes(p)
	}
	b.looked(Looked{Programs: d.Programs})
	return b.done()
}

// OfDump makes the page of one dump.
func OfDump(r *facts.Report, o Options) *Page {
	b := newBuilder("inspect", o)
	b.page.core.Title, b.page.core.New, b.page.core.Problems = "xlagate: "+r.Dump, r.Dump, r.Problems
	b.dumps[""] = r.Dump
	l := Looked{Profile: r.Profile}
	for _, p := range r.Programs {
		variants := phrase.Map(p.Variants, func(v *facts.Variant) *changes.Variant { return &changes.Variant{New: v} })
		l.Programs = append(l.Programs, &changes.Program{Name: p.Name, New: p, Variants: variants})
	}
	b.looked(l)
	return b.done()
}

// Built from web/ by `npm run build`.
var (
	//go:embed dist/page.js
	script string
	//go:embed dist/page.css
	style string
)

// policy lets the page run its own script and style, its layout worker, and nothing else.
const policy = "default-src 'none'; script-src '%s'; style-src '%s'; worker-src blob:; connect-src 'none'; base-uri 'none'; form-action 'none'"

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Write writes the page as one file with all its data, and closes it.
func (p *Page) Write(w io.Writer) error {
	defer p.model.close()
	if err := p.head(w); err != nil {
		return err
	}
	for _, name := range append([]string{"core"}, p.names...) {
		data, err := p.packed(name)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "<script type=\"application/gzip\" id=\"%s\">%s</script>\n", name, base64.StdEncoding.EncodeToString(data)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "<script>%s</script>\n</body>\n</html>\n", script)
	return err
}

func (p *Page) head(w io.Writer) error {
	_, err := fmt.Fprintf(w, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>%s</title>
<style>%s</style>
</head>
<body>
<div id="app"><p>This page needs JavaScript, which it holds itself.</p></div>
`, html.EscapeString(fmt.Sprintf(policy, hashOf(script), hashOf(style))), html.EscapeString(cut(p.core.Title)), style)
	return err
}

// packed is a document by its name, compressed.
func (p *Page) packed(name string) ([]byte, error) {
	var content any = p.core
	if name != "core" {
		content = p.parts[name]()
	}
	document, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("encode the page's data: %w", err)
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestSpeed+3)
	if err == nil {
		_, err = z.Write(visible(document))
		err = errors.Join(err, z.Close())
	}
	return out.Bytes(), err
}
