package report

import (
	"io"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/webpage"
)

func (o *Options) page() webpage.Options {
	return webpage.Options{Version: o.Version, Root: o.Root, Beside: o.Beside, Edits: o.Edits}
}

func resultHTML(w io.Writer, r *result.Result, o Options) error {
	return webpage.OfResult(rooted(r, o.Root), o.Looked, o.page()).Write(w)
}

func inspectHTML(w io.Writer, r *facts.Report, o Options) error {
	return webpage.OfDump(r, o.page()).Write(w)
}

func diffHTML(w io.Writer, d *diff.Report, o Options) error {
	return webpage.OfDiff(d, o.page()).Write(w)
}
