package config

import (
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

// Schema describes xlagate.yaml by the tables that its reader uses.
func Schema(known rule.Catalogue) *jsonschema.Schema {
	d := definitions{}
	s := d.object(Keys(known.PackNames()))
	s.Properties["version"] = &jsonschema.Schema{Enum: []any{1}, Description: s.Properties["version"].Description}
	s.Properties["targets"].Items.Not = together("dump", "capture")
	for _, key := range []string{"targets", "rules", "waivers"} {
		s.Properties[key].MaxItems = jsonschema.Ptr(maxEntries)
	}
	s.Properties["rules"].Items = &jsonschema.Schema{OneOf: phrase.Map(known.Rules, d.entry)}
	s.AnyOf = []*jsonschema.Schema{some("extends"), some("rules")} // a gate that checks nothing would always pass
	s.Defs = d
	return s
}

// definitions holds what keys have in common, so that the schema has it once. The name of a definition comes from a type, a list of words or a key: it does not
// depend on the rules around it, so that a new rule adds its own lines and changes no others.
type definitions map[string]*jsonschema.Schema

// refer defines a schema under a name, and returns a reference to it.
func (d definitions) refer(name string, s *jsonschema.Schema) *jsonschema.Schema {
	d[name] = s
	return &jsonschema.Schema{Ref: "#/$defs/" + name}
}

var typeNames = map[rule.OptionType]string{
	rule.Count: "count", rule.Size: "size", rule.Share: "share", rule.Growth: "growth", rule.TimeGrowth: "time-growth", rule.Seconds: "seconds",
	rule.Nanoseconds: "nanoseconds", rule.Day: "day",
}

// listName returns the name of the definition of a long list of words, "" for any other list.
func listName(words []string) string {
	for name, list := range map[string][]string{
		"opcode": rule.OpcodeWords, "kernel-kind": rule.KernelKinds, "collective": rule.CollectiveWords, "type": rule.TypeWords,
	} {
		if slices.Equal(words, list) {
			return name
		}
	}
	return ""
}

// some requires a key whose list is not empty.
func some(key string) *jsonschema.Schema {
	return &jsonschema.Schema{Required: []string{key}, Properties: map[string]*jsonschema.Schema{key: {MinItems: jsonschema.Ptr(1)}}}
}

// together requires all of the keys.
func together(keys ...string) *jsonschema.Schema { return &jsonschema.Schema{Required: keys} }

// anyKey requires at least one of the keys.
func anyKey(keys []string) []*jsonschema.Schema {
	return phrase.Map(keys, func(key string) *jsonschema.Schema { return together(key) })
}

// entry describes an entry of one rule: its keys, and which of them do not go together.
func (d definitions) entry(r *rule.Rule) *jsonschema.Schema {
	s := d.object(r.Keys())
	for _, o := range r.Keys()[len(r.Options):] {
		is := func(common rule.Option) bool { return common.Key == o.Key && slices.Equal(common.Enum, o.Enum) }
		switch {
		case slices.Contains(rule.BoundKeys, o.Key):
			s.Properties[o.Key] = d.refer(o.Key+"-"+typeNames[o.Type], s.Properties[o.Key])
		case slices.ContainsFunc(rule.CommonOptions, is):
			s.Properties[o.Key] = d.refer(o.Key, s.Properties[o.Key])
		}
	}
	id := any(r.ID)
	s.Title, s.Description = r.ID, r.Title
	s.Properties["rule"] = &jsonschema.Schema{Const: &id, Description: r.Why}
	s.AnyOf = anyKey(r.NeedsOne)
	if r.Budget == nil {
		return s
	}
	apart := []*jsonschema.Schema{together("equal", "max"), together("equal", "min")}
	for _, o := range r.Options {
		if o.Means != "" {
			apart = append(apart, together(o.Key, o.Means), together(o.Key, "equal"))
		}
	}
	s.Not = &jsonschema.Schema{AnyOf: apart}
	if r.Budget.Difference && len(r.Bounds) > 0 {
		s.DependentSchemas = map[string]*jsonschema.Schema{"max_decrease": {AnyOf: anyKey(r.Bounds)}}
	}
	return s
}

func (d definitions) object(options []rule.Option) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for _, o := range options {
		v := d.value(o)
		v.Description = o.Doc
		s.Properties[o.Key] = v
		s.PropertyOrder = append(s.PropertyOrder, o.Key)
		if o.Require {
			s.Required = append(s.Required, o.Key)
		}
	}
	return s
}

func (d definitions) value(o rule.Option) *jsonschema.Schema {
	switch o.Type {
	case rule.Globs, rule.Words:
		one := d.word(o)
		several := &jsonschema.Schema{Type: "array", Items: one}
		either := &jsonschema.Schema{AnyOf: []*jsonschema.Schema{one, several}}
		if o.Empty {
			return either
		}
		several.MinItems = jsonschema.Ptr(1)
		switch name := listName(o.Enum); {
		case len(o.Enum) == 0:
			return d.refer("texts", either)
		case name != "":
			return d.refer(name+"s", either)
		}
		return either
	case rule.Count:
		return &jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(o.Least)}
	case rule.FindingID:
		return &jsonschema.Schema{Types: []string{"string", "integer"}, Pattern: valueTypes[o.Type].pattern} // one of digits alone is a number to YAML
	case rule.Switch:
		return &jsonschema.Schema{Type: "boolean"}
	case rule.Table, rule.Entries:
		s := &jsonschema.Schema{Type: "array", Items: d.object(o.Fields)}
		s.Items.AnyOf = anyKey(o.NeedsOne)
		if !o.Empty {
			s.MinItems = jsonschema.Ptr(1)
		}
		return s
	case rule.Mapping:
		return d.object(o.Fields)
	case rule.Pairs:
		return &jsonschema.Schema{Type: "object", MinProperties: jsonschema.Ptr(1), AdditionalProperties: &jsonschema.Schema{Types: []string{"string", "number", "boolean"}}}
	}
	texts := &jsonschema.Schema{Type: "string", Pattern: valueTypes[o.Type].pattern}
	switch {
	case texts.Pattern == "":
		return d.word(o)
	case !valueTypes[o.Type].numbers:
		return d.refer(typeNames[o.Type], texts)
	}
	numbers := &jsonschema.Schema{Type: "number", Minimum: jsonschema.Ptr(0.0)}
	if o.Type == rule.Share {
		numbers.Maximum = jsonschema.Ptr(1.0)
	}
	return d.refer(typeNames[o.Type], &jsonschema.Schema{AnyOf: []*jsonschema.Schema{numbers, texts}})
}

func (d definitions) word(o rule.Option) *jsonschema.Schema {
	if len(o.Enum) == 0 {
		return d.refer("text", &jsonschema.Schema{Types: []string{"string", "number"}, MinLength: jsonschema.Ptr(1)})
	}
	words := &jsonschema.Schema{Type: "string", Enum: phrase.Map(o.Enum, func(word string) any { return word })}
	if name := listName(o.Enum); name != "" {
		return d.refer(name, words)
	}
	return words
}
