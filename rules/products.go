package rules

import (
	"fmt"
	"path"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
)

// productCause names the product that computes most.
func productCause(products []*facts.Product) (*changes.Cause, changes.Evidence) {
	var e changes.Evidence
	if len(products) == 0 {
		return nil, e
	}
	most := products[0]
	for _, m := range products {
		if m.Flops > most.Flops || m.Flops == most.Flops && most.Source.File == "" && m.Source.File != "" {
			most = m
		}
		e.After = changes.AddLine(e.After, describeProduct(m))
	}
	return &changes.Cause{Title: "the largest is " + describeProduct(most), OpName: most.OpName, Source: most.Source}, e
}

// describeProduct writes a product with its type, shape, precision and place.
func describeProduct(m *facts.Product) string {
	text := fmt.Sprintf("%s of %s → %s", m.Opcode, m.Type, m.Shape)
	if m.Precision != "default" {
		text += " at " + m.Precision
	}
	if m.OpName != "" {
		text += "  " + m.OpName
	}
	if m.Source.File != "" {
		text += fmt.Sprintf(" (%s:%d)", path.Base(m.Source.File), m.Source.Line)
	}
	return text
}
