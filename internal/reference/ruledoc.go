// Package reference makes the reference pages from what the code declares: a page of each rule, SARIF help, and the JSON Schemas of the
// files that xlagate reads and writes.
package reference

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// All documents every rule.
func All() []result.RuleDoc {
	var docs []result.RuleDoc
	for _, r := range rules.All.Rules {
		docs = append(docs, Of(r))
	}
	return docs
}

// ByID documents one rule; for an unknown id only the ID is set.
func ByID(id string) result.RuleDoc {
	if r := rules.All.ByID(id); r != nil {
		return Of(r)
	}
	return result.RuleDoc{ID: id}
}

// Of documents a rule.
func Of(r *rule.Rule) result.RuleDoc {
	doc := result.RuleDoc{
		ID: r.ID, Title: r.Title, Category: string(r.Category), Why: r.Why, Fails: example(r.Fails), Passes: example(r.Passes), Fix: r.Fix,
		Threads: r.Threads, Since: strconv.Itoa(max(1, r.Since)), Always: r.Always,
	}
	for _, in := range r.Reads {
		doc.Reads = append(doc.Reads, string(in))
	}
	doc.Counts, doc.Options = bounded(r)+boundKeys(r)+fromSource(r), options("", r.Options)
	return doc
}

// bounded says what the bounds of a rule count.
func bounded(r *rule.Rule) string {
	m := r.Budget
	switch {
	case r.Always:
		return "Always on."
	case m == nil:
		return "Counts nothing: it takes no bounds."
	case m.Unrecorded != "":
		return fmt.Sprintf("Counts %s; no baseline holds %s, so there is no `max_increase` or `max_decrease`.%s", m.Noun, m.Unrecorded, without(r))
	case m.Difference && len(r.Bounds) == 0:
		return "Counts " + m.Noun + " against the baseline; without a bound none is allowed."
	case m.Difference:
		return fmt.Sprintf("Counts %s against the baseline, or against `%s` where that is given; without a bound none is allowed.", m.Noun, strings.Join(r.Bounds, "`, `"))
	case r.Forbids:
		return "Counts " + m.Noun + "." + without(r)
	}
	return "Counts " + m.Noun + "; without a bound, " + map[rule.Direction]string{rule.Lower: "no more than", rule.Higher: "no fewer than", rule.Exact: "no fewer than"}[m.Better] + " in the baseline."
}

// without says what a rule holds to that is given no bound.
func without(r *rule.Rule) string {
	if r.Forbids {
		return " Without a bound none is allowed."
	}
	return ""
}

// fromSource says which rules hold across a change of the compiler.
func fromSource(r *rule.Rule) string {
	if !r.FromSource {
		return ""
	}
	return " The model's source decides it, not the compiler: it is compared with the baseline of another compiler version as well."
}

// boundKeys says which bounds an entry of a rule may have.
func boundKeys(r *rule.Rule) string {
	var keys []string
	for _, o := range r.Keys() {
		switch o.Key {
		case "max", "min", "equal", "max_increase", "max_decrease":
			keys = append(keys, o.Key)
		}
	}
	if len(keys) == 0 {
		return ""
	}
	return " Takes " + phrase.List(keys, "and") + "."
}

// example is an entry with what it says as a comment.
func example(e rule.Example) string {
	says := e.Says
	if says == "" {
		says = "no finding"
	}
	return strings.TrimPrefix(e.Config+"\n# "+says, "\n")
}

func options(prefix string, list []rule.Option) []result.OptionDoc {
	var docs []result.OptionDoc
	for _, o := range list {
		d := result.OptionDoc{Key: prefix + o.Key, Type: typeName(o), Doc: o.Doc}
		if o.Default != nil {
			d.Default = written(o.Default)
		}
		docs = append(docs, d)
		docs = append(docs, options(prefix+o.Key+".", o.Fields)...)
	}
	return docs
}

// written is a default as a rule file would say it.
func written(value any) string {
	if words, ok := value.([]string); ok {
		return "[" + strings.Join(words, ", ") + "]"
	}
	return fmt.Sprint(value)
}

// typeNames says in words what a value of each type looks like.
var typeNames = map[rule.OptionType]string{
	rule.Word: "word", rule.Text: "text", rule.Glob: "glob", rule.Globs: "globs", rule.Words: "words", rule.Count: "whole number",
	rule.Size: "bytes: 4096, 4KiB", rule.Number: "number", rule.Share: "0.5 or 50%", rule.Growth: "2, 1MiB or 5%", rule.TimeGrowth: "50us or 5%", rule.Switch: "true or false",
	rule.Table: "list of mappings", rule.Mapping: "mapping", rule.Day: "day", rule.FindingID: "id", rule.Pattern: "data-flow pattern", rule.ShapeOf: "shape", rule.Expr: "CEL expression", rule.Pairs: "{ name: value }", rule.Seconds: "time: 90s, 20m", rule.Nanoseconds: "time: 13ms, 350us",
}

func typeName(o rule.Option) string {
	if words := o.Vocabulary(); words != "" {
		return words
	}
	if len(o.Enum) > 0 {
		return strings.Join(o.Enum, " | ")
	}
	return typeNames[o.Type]
}
