package report

import (
	"io"

	"github.com/xlagate/xlagate/internal/result"
)

// The tables of formats, in the order in which they are listed.
var (
	resultFormats = []renderer[*result.Result]{
		{"text", fromRoot(resultText)}, {"json", resultJSON}, {"markdown", fromRoot(resultMarkdown)}, {"sarif", fromRoot(resultSARIF)},
		{"junit", fromRoot(resultJUnit)}, {"github", fromRoot(resultGitHub)}, {"html", fromRoot(resultHTML)},
	}
	inspectFormats = viewFormats(inspectPage, inspectJSON)
	diffFormats    = viewFormats(diffPage, diffJSON)
	rulesFormats   = viewFormats(pageOf(rulesPage), asJSON)
	explainFormats = viewFormats(pageOf(explainPage), asJSON)
	changeFormats  = viewFormats(pageOf(changePage), asJSON)
)

// viewFormats renders what is one page in all formats but JSON.
func viewFormats[T any](build func(T, Options) page, json func(io.Writer, T, Options) error) []renderer[T] {
	paged := func(write func(io.Writer, page, Options) error) func(io.Writer, T, Options) error {
		return func(w io.Writer, v T, o Options) error { return write(w, build(v, o), o) }
	}
	return []renderer[T]{{"text", paged(writeText)}, {"json", json}, {"markdown", paged(writeMarkdown)}, {"html", paged(writeHTML)}}
}

func pageOf[T any](build func(T) page) func(T, Options) page {
	return func(v T, _ Options) page { return build(v) }
}

// fromRoot gives a renderer the result with source paths as the repository knows them, and the findings of each change at hand.
func fromRoot(write func(io.Writer, *indexed, Options) error) func(io.Writer, *result.Result, Options) error {
	return func(w io.Writer, r *result.Result, o Options) error { return write(w, index(rooted(r, o.Root)), o) }
}
