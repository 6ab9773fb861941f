package schema

import (
	"github.com/google/jsonschema-go/jsonschema"

	settings "github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/rules"
)

// config describes xlagate.yaml: the same tables as its reader uses.
func config() *jsonschema.Schema {
	s := object(settings.Keys)
	s.Properties["version"] = &jsonschema.Schema{Enum: []any{1}, Description: s.Properties["version"].Description}
	target := s.Properties["targets"].Items
	target.Properties["programs"] = target.Properties["programs"].Items
	target.Properties["capture"] = target.Properties["capture"].Items
	s.Properties["rules"].Items = &jsonschema.Schema{OneOf: entries()}
	return s
}

func entries() []*jsonschema.Schema {
	var out []*jsonschema.Schema
	for _, r := range rules.All() {
		entry := object(r.Keys())
		id := any(r.ID)
		entry.Title, entry.Description = r.ID, r.Title
		entry.Properties["rule"] = &jsonschema.Schema{Const: &id, Description: r.Why}
		out = append(out, entry)
	}
	return out
}

func object(options []rules.Option) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for _, o := range options {
		v := value(o)
		v.Description = o.Doc
		s.Properties[o.Key] = v
		s.PropertyOrder = append(s.PropertyOrder, o.Key)
		if o.Require {
			s.Required = append(s.Required, o.Key)
		}
	}
	return s
}

// The patterns that the reader's number forms fit.
const (
	sizePattern   = `^[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?([KMGT]iB|[KMGTk]?B)?$`
	growthPattern = `^[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?([KMGT]iB|[KMGTk]?B|%)?$`
	sharePattern  = `^(0(\.[0-9]+)?|1(\.0+)?|(100(\.0+)?|[0-9]{1,2}(\.[0-9]+)?) ?%)$`
	timePattern   = `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`
)

func value(o rules.Option) *jsonschema.Schema {
	switch o.Type {
	case rules.Globs, rules.Words:
		one := word(o)
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{one, {Type: "array", Items: one}}}
	case rules.Count:
		return &jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(0.0)}
	case rules.Number:
		return &jsonschema.Schema{Type: "number"}
	case rules.Size:
		return numberOr(sizePattern)
	case rules.Growth:
		return numberOr(growthPattern)
	case rules.Share:
		s := numberOr(sharePattern)
		s.AnyOf[0].Maximum = jsonschema.Ptr(1.0)
		return s
	case rules.Seconds:
		return &jsonschema.Schema{Type: "string", Pattern: timePattern}
	case rules.Switch:
		return &jsonschema.Schema{Type: "boolean"}
	case rules.Table:
		s := &jsonschema.Schema{Type: "array", Items: object(o.Fields)}
		if o.Require {
			s.MinItems = jsonschema.Ptr(1)
		}
		return s
	case rules.Pairs:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Types: []string{"string", "number", "boolean"}}}
	}
	return word(o)
}

func word(o rules.Option) *jsonschema.Schema {
	if len(o.Enum) == 0 {
		return &jsonschema.Schema{Types: []string{"string", "number"}, MinLength: jsonschema.Ptr(1)}
	}
	s := &jsonschema.Schema{Type: "string"}
	for _, e := range o.Enum {
		s.Enum = append(s.Enum, e)
	}
	return s
}

func numberOr(pattern string) *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "number", Minimum: jsonschema.Ptr(0.0)}, {Type: "string", Pattern: pattern}}}
}
