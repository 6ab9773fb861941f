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
)

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
