package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

// Schema describes xlagate.yaml by the tables that its reader uses.
func Schema(known rule.Catalogue) *jsonschema.Schema {
	s := objectSchema(Keys(known.PackNames()))
	s.Properties["version"] = &jsonschema.Schema{Enum: []any{1}, Description: s.Properties["version"].Description}
	s.Properties["targets"].Items.Not = together("dump", "capture")
	for _, key := range []string{"targets", "rules", "waivers"} {
		s.Properties[key].MaxItems = jsonschema.Ptr(maxEntries)
	}
	s.Properties["rules"].Items = &jsonschema.Schema{OneOf: phrase.Map(known.Rules, entrySchema)}
	s.AnyOf = []*jsonschema.Schema{some("extends"), some("rules")} // a gate that checks nothing would always pass
	define(s)
	return s
}

// define describes once, under a name, what several keys have in common. A definition has the name of its first key, and a number if another one has that
// name: "max" and "max-2" are two kinds of max.
func define(s *jsonschema.Schema) {
	text := func(part *jsonschema.Schema) string {
		data, _ := json.Marshal(part) // strings and numbers: it cannot fail
		return string(data)
	}
	seen, defined := map[string]int{}, map[string]string{}
	eachValue(s, "", func(part *jsonschema.Schema, _ string) bool {
		seen[text(part)]++
		return true
	})
	s.Defs = map[string]*jsonschema.Schema{}
	var refer func(*jsonschema.Schema, string) bool
	refer = func(part *jsonschema.Schema, key string) bool {
		const worth = 60 // bytes: a reference takes about half of it
		same := text(part)
		if seen[same] < 2 || len(same) < worth {
			return true
		}
		if _, known := defined[same]; !known {
			name := key
			for n := 2; s.Defs[name] != nil; n++ {
				name = fmt.Sprintf("%s-%d", key, n)
			}
			definition := *part
			defined[same], s.Defs[name] = name, &definition
			eachValue(&definition, name, refer)
		}
		*part = jsonschema.Schema{Ref: "#/$defs/" + defined[same]}
		return false
	}
	eachValue(s, "", refer)
}

// eachValue calls a function for the schemas in a schema: of each key, of the items of a list, of each alternative. It goes into those that the function
// returns true for.
func eachValue(s *jsonschema.Schema, key string, do func(part *jsonschema.Schema, key string) bool) {
	inside := func(part *jsonschema.Schema, key string) {
		if key == "" || do(part, key) {
			eachValue(part, key, do)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		inside(s.Properties[name], name)
	}
	if s.Items != nil {
		inside(s.Items, key)
	}
	for _, part := range slices.Concat(s.AnyOf, s.OneOf) {
		inside(part, key)
	}
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

// entrySchema describes an entry of one rule: its keys, and which of them do not go together.
func entrySchema(r *rule.Rule) *jsonschema.Schema {
	s := objectSchema(r.Keys())
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

func objectSchema(options []rule.Option) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for _, o := range options {
		v := valueSchema(o)
		v.Description = o.Doc
		s.Properties[o.Key] = v
		s.PropertyOrder = append(s.PropertyOrder, o.Key)
		if o.Require {
			s.Required = append(s.Required, o.Key)
		}
	}
	return s
}

func valueSchema(o rule.Option) *jsonschema.Schema {
	switch o.Type {
	case rule.Globs, rule.Words:
		one := wordSchema(o)
		several := &jsonschema.Schema{Type: "array", Items: one}
		if !o.Empty {
			several.MinItems = jsonschema.Ptr(1)
		}
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{one, several}}
	case rule.Count:
		return &jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(o.Least)}
	case rule.FindingID:
		return &jsonschema.Schema{Types: []string{"string", "integer"}, Pattern: valueTypes[o.Type].pattern} // one of digits alone is a number to YAML
	case rule.Switch:
		return &jsonschema.Schema{Type: "boolean"}
	case rule.Table, rule.Entries:
		s := &jsonschema.Schema{Type: "array", Items: objectSchema(o.Fields)}
		s.Items.AnyOf = anyKey(o.NeedsOne)
		if !o.Empty {
			s.MinItems = jsonschema.Ptr(1)
		}
		return s
	case rule.Mapping:
		return objectSchema(o.Fields)
	case rule.Pairs:
		return &jsonschema.Schema{Type: "object", MinProperties: jsonschema.Ptr(1), AdditionalProperties: &jsonschema.Schema{Types: []string{"string", "number", "boolean"}}}
	}
	texts := &jsonschema.Schema{Type: "string", Pattern: valueTypes[o.Type].pattern}
	switch {
	case texts.Pattern == "":
		return wordSchema(o)
	case !valueTypes[o.Type].numbers:
		return texts
	}
	numbers := &jsonschema.Schema{Type: "number", Minimum: jsonschema.Ptr(0.0)}
	if o.Type == rule.Share {
		numbers.Maximum = jsonschema.Ptr(1.0)
	}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{numbers, texts}}
}

func wordSchema(o rule.Option) *jsonschema.Schema {
	if len(o.Enum) == 0 {
		return &jsonschema.Schema{Types: []string{"string", "number"}, MinLength: jsonschema.Ptr(1)}
	}
	return &jsonschema.Schema{Type: "string", Enum: phrase.Map(o.Enum, func(word string) any { return word })}
}
