package result

import (
	"encoding/json"
	"fmt"
	"testing"
)

// many is a result with so many changes, each with so many findings.
func many(changes, findings int) *Result {
	whole := good()
	r := &whole
	r.Changes, r.Findings, r.Notes = nil, nil, nil
	for i := range changes {
		c := Change{ID: fmt.Sprintf("%012x", i), Level: "error", Target: "default", Edit: Edit{Kind: "code"}}
		for k := range findings {
			f := Finding{ID: fmt.Sprintf("%012x", i*findings+k), Change: c.ID, Level: "error", Rule: "max-kernels", Target: "default"}
			r.Findings, c.Findings = append(r.Findings, f), append(c.Findings, f.ID)
		}
		r.Changes = append(r.Changes, c)
	}
	r.Summary.Changes = changes
	return r
}

// However much there is, a result is read again, counts all of it and says what it leaves out.
func TestBound(t *testing.T) {
	for _, c := range []struct {
		changes, findings int // each
		listed, kept      int
		says              string
	}{
		{MostListed, 1, MostListed, MostListed, ""},
		{MostListed + 5, 1, MostListed, MostListed, "5 changes and 5 findings more are not listed"},
		{3, MostListed / 2, 3, MostListed, "5,000 findings more are not listed"},
	} {
		r := many(c.changes, c.findings)
		r.Bound()
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Read(data)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		if len(again.Notes) == 1 {
			said = again.Notes[0].Message
		}
		if len(again.Changes) != c.listed || len(again.Findings) != c.kept || again.Summary.Changes != c.changes || said != c.says {
			t.Errorf("%d changes and %d findings of %d and %d, said %q", len(again.Changes), len(again.Findings), c.changes, c.changes*c.findings, said)
		}
	}
}
