package rule

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// Doc documents one rule; for an unknown id only the ID is set.
func (c Catalogue) Doc(id string) result.RuleDoc {
	if r := c.ByID(id); r != nil {
		return r.Doc()
	}
	return result.RuleDoc{ID: id}
}

// Doc documents the rule.
func (r *Rule) Doc() result.RuleDoc {
	counts := r.bounded()
	if keys := phrase.Map(r.bounds(), func(o Option) string { return o.Key }); len(keys) > 0 {
		counts += " Takes " + phrase.List(keys, "and") + "."
	}
	return result.RuleDoc{
		ID: r.ID, Title: r.Title, Category: string(r.Category), Why: r.Why, Fails: r.Fails.commented(), Passes: r.Passes.commented(), Fix: r.Fix,
		Threads: r.Threads, Since: strconv.Itoa(max(1, r.Since)), Always: r.Always, Reads: phrase.Map(r.Reads, func(in Input) string { return string(in) }),
		Counts: counts, Options: DocOptions("", r.Options),
	}
}

func (r *Rule) bounded() string {
	m, without := r.Budget, ""
	if r.Forbids {
		without = " Without a bound none is allowed."
	}
	switch {
	case r.Always:
		return "Always on."
	case m == nil:
		return "Counts nothing: it takes no bounds."
	case m.Unrecorded != "":
		return fmt.Sprintf("Counts %s; no baseline holds %s, so there is no `max_increase` or `max_decrease`.%s", m.Noun, m.Unrecorded, without)
	case m.Difference && len(r.Bounds) == 0:
		return "Counts " + m.Noun + " against the baseline; without a bound none is allowed."
	case m.Difference:
		return fmt.Sprintf("Counts %s against the baseline, or against `%s` where that is given; without a bound none is allowed.", m.Noun, strings.Join(r.Bounds, "`, `"))
	case r.Forbids:
		return "Counts " + m.Noun + "." + without
	}
	return "Counts " + m.Noun + "; without a bound, " + map[Direction]string{Lower: "no more than", Higher: "no fewer than", Exact: "no fewer than"}[m.Better] +
		" in the baseline."
}

// commented returns an entry with its finding as a comment.
func (e Example) commented() string {
	return strings.TrimPrefix(e.Config+"\n# "+cmp.Or(e.Says, "no finding"), "\n")
}

// DocOptions documents options, those in tables and mappings by their path.
func DocOptions(prefix string, list []Option) []result.OptionDoc {
	var docs []result.OptionDoc
	for _, o := range list {
		d := result.OptionDoc{Key: prefix + o.Key, Type: o.typeName(), Doc: o.Doc}
		if words, ok := o.Default.([]string); ok {
			d.Default = "[" + strings.Join(words, ", ") + "]"
		} else if o.Default != nil {
			d.Default = fmt.Sprint(o.Default)
		}
		docs = append(docs, d)
		docs = append(docs, DocOptions(prefix+o.Key+".", o.Fields)...)
	}
	return docs
}

var typeNames = map[OptionType]string{
	Word: "word", Text: "text", Glob: "glob", Globs: "globs", Words: "words", Count: "whole number",
	Size: "4096 or 4KiB", Share: "0.5 or 50%", Growth: "2, 1MiB or 5%", TimeGrowth: "50us or 5%", Switch: "true or false",
	Table: "mappings", Entries: "mappings", Mapping: "mapping", Day: "day", FindingID: "id", Pattern: "data-flow pattern",
	ShapeOf: "shape", Expr: "CEL expression", Pairs: "{ name: value }", Seconds: "time: 90s, 20m", Nanoseconds: "time: 13ms, 350us",
}

// typeName describes the values of an option: by its words, where they are not too many to be listed, or by its type.
func (o Option) typeName() string {
	switch {
	case slices.Equal(o.Enum, OpcodeWords):
		return "HLO operations, such as reduce"
	case slices.Equal(o.Enum, KernelKinds):
		return "loop | input | output | custom | library | rng, or an HLO operation"
	case slices.Equal(o.Enum, TypeWords):
		return "HLO types, such as bf16"
	case len(o.Enum) > 0:
		return strings.Join(o.Enum, " | ")
	}
	return typeNames[o.Type]
}

// Catalogue holds the rules that there are, and packs of them.
type Catalogue struct {
	Rules []*Rule
	Packs fs.FS // packs/NAME.yaml
}

// Section is the rules of one category.
type Section struct {
	Category Category
	Rules    []*Rule
}

// NewCatalogue lists the rules of all sections. It gives each rule its category and, where the rule does not say what it reads, the optimized module.
func NewCatalogue(packs fs.FS, sections ...Section) Catalogue {
	c := Catalogue{Packs: packs}
	for _, s := range sections {
		for _, r := range s.Rules {
			r.Category = s.Category
			if r.Reads == nil {
				r.Reads = []Input{Optimized}
			}
			c.Rules = append(c.Rules, r)
		}
	}
	return c
}

// ByID finds a rule, nil when there is none of that id.
func (c Catalogue) ByID(id string) *Rule {
	for _, r := range c.Rules {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// IDs lists the ids of all rules.
func (c Catalogue) IDs() []string {
	return phrase.Map(c.Rules, func(r *Rule) string { return r.ID })
}

// Pack returns the YAML of a pack.
func (c Catalogue) Pack(name string) ([]byte, error) {
	return fs.ReadFile(c.Packs, "packs/"+name+".yaml")
}

// PackNames lists the names of the packs.
func (c Catalogue) PackNames() []string {
	entries, _ := fs.ReadDir(c.Packs, "packs")
	return phrase.Map(entries, func(e fs.DirEntry) string { return strings.TrimSuffix(e.Name(), ".yaml") })
}
