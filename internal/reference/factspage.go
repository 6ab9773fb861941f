package reference

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/xlagate/xlagate/internal/facts"
)

// factsText is the page about facts. A line "FACTS kernels fusions" stands for the table of the facts in these groups.
//
//go:embed facts.md
var factsText string

// FactsMarkdown is the page about facts: its text with the table of facts.
func FactsMarkdown() string {
	var b strings.Builder
	for line := range strings.Lines(factsText) {
		if groups, is := strings.CutPrefix(line, "FACTS "); is {
			factRows(&b, strings.Fields(groups))
		} else {
			b.WriteString(line)
		}
	}
	return b.String()
}

func factRows(b *strings.Builder, groups []string) {
	b.WriteString("| fact | meaning | measured from |\n|---|---|---|\n")
	for _, f := range facts.Table {
		if slices.Contains(groups, f.ID.Group()) {
			fmt.Fprintf(b, "| `%s` | %s | %s |\n", f.ID, cell(f.Doc), f.From)
		}
	}
}

// factsSchema is the schema of the facts of a variant. Other facts than those of the table are numbers, too.
func factsSchema() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Type: "number"}}
	for _, f := range facts.Table {
		if !strings.Contains(string(f.ID), "*") {
			s.Properties[string(f.ID)] = &jsonschema.Schema{Type: "number", Description: f.Doc}
		}
	}
	return s
}
