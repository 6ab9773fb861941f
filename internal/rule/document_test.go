package rule

import (
	"slices"
	"testing"
	"testing/fstest"
)

// What the documentation says a rule counts is what the judge does with it.
func TestDocSaysWhatCounts(t *testing.T) {
	for want, r := range map[string]*Rule{
		"Always on.":                          {Always: true},
		"Counts nothing: it takes no bounds.": {},
		"Counts kernels; without a bound, no more than in the baseline. Takes max, min, equal, max_increase and max_decrease.":  {Budget: FactMetric("kernels.total", "kernels")},
		"Counts donated; without a bound, no fewer than in the baseline. Takes max, min, equal, max_increase and max_decrease.": {Budget: &Metric{Noun: "donated", Better: Higher}},
		"Counts lines. Without a bound none is allowed. Takes max, min, equal, max_increase and max_decrease.":                  {Budget: &Metric{Noun: "lines"}, Forbids: true},
		"Counts retraces; no baseline holds logs, so there is no `max_increase` or `max_decrease`. Takes max, min and equal.":   {Budget: &Metric{Noun: "retraces", Unrecorded: "logs"}},
	} {
		if got := r.Doc().Counts; got != want {
			t.Errorf("%s\nwanted: %s", got, want)
		}
	}
}

// Options of tables are documented by their path, defaults as a file writes them.
func TestDocOptions(t *testing.T) {
	docs := DocOptions("", []Option{
		{Key: "ignore", Type: Words, Default: []string{"copy", "bitcast"}, Doc: "what is left out"},
		{Key: "axis", Type: Word, Enum: []string{"data", "model"}},
		{Key: "keep", Type: Table, Fields: []Option{{Key: "at_least", Type: Count, Default: 1}}},
	})
	var got []string
	for _, d := range docs {
		got = append(got, d.Key+": "+d.Type+" = "+d.Default)
	}
	want := []string{"ignore: words = [copy, bitcast]", "axis: data | model = ", "keep: mappings = ", "keep.at_least: whole number = 1"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwanted %q", got, want)
	}
}

// An example shows the entry and what it says of a program, or that it says nothing.
func TestExamples(t *testing.T) {
	r := &Rule{Fails: Example{Config: "max: 3", Says: "4 kernels: at most 3 allowed"}, Passes: Example{Config: "max: 4"}}
	if doc := r.Doc(); doc.Fails != "max: 3\n# 4 kernels: at most 3 allowed" || doc.Passes != "max: 4\n# no finding" {
		t.Errorf("%q and %q", doc.Fails, doc.Passes)
	}
	if doc := (&Rule{}).Doc(); doc.Fails != "# no finding" {
		t.Errorf("without an entry: %q", doc.Fails)
	}
}

// A catalogue knows its rules by id and category, and its packs by name.
func TestCatalogue(t *testing.T) {
	packs := fstest.MapFS{"packs/recommended.yaml": {Data: []byte("rules: {}\n")}, "packs/strict.yaml": {Data: []byte("rules: {a: {}}\n")}}
	c := NewCatalogue(packs, Section{Kernels, []*Rule{{ID: "a"}, {ID: "b", Reads: []Input{Log}}}}, Section{Memory, []*Rule{{ID: "c", Since: 3}}})
	if !slices.Equal(c.IDs(), []string{"a", "b", "c"}) || !slices.Equal(c.PackNames(), []string{"recommended", "strict"}) {
		t.Errorf("rules %q, packs %q", c.IDs(), c.PackNames())
	}
	var got []string
	for _, r := range c.Rules {
		d := r.Doc()
		got = append(got, d.ID+" "+d.Category+" reads "+d.Reads[0]+" since "+d.Since)
	}
	want := []string{"a kernels and fusions reads the optimized module since 1", "b kernels and fusions reads a compile log since 1", "c memory and donation reads the optimized module since 3"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwanted %q", got, want)
	}
	if c.ByID("d") != nil || c.Doc("d").ID != "d" || c.Doc("d").Title != "" {
		t.Errorf("of a rule that is none: %+v", c.Doc("d"))
	}
	if data, err := c.Pack("strict"); err != nil || string(data) != "rules: {a: {}}\n" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := c.Pack("lax"); err == nil {
		t.Error("a pack that there is not was read")
	}
}
