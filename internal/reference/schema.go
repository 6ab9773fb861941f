package reference

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	settings "github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// draft is the dialect that editors and validators agree on.
const draft = "https://json-schema.org/draft/2020-12/schema"

// SchemaNames lists what there are schemas of.
var SchemaNames = []string{"config", "result", "baseline"}

// Schema is a schema by name.
func Schema(name string) ([]byte, error) {
	var s *jsonschema.Schema
	var err error
	switch name {
	case "config":
		s = configSchema()
	case "baseline":
		s = baseline()
	case "result":
		s, err = schemaResult()
	default:
		return nil, fmt.Errorf("there is no schema of %q", name)
	}
	if err != nil {
		return nil, fmt.Errorf("make the schema of %s: %w", name, err)
	}
	s.Schema, s.Title = draft, "xlagate "+name
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema of %s: %w", name, err)
	}
	return append(data, '\n'), nil
}

func schemaResult() (*jsonschema.Schema, error) {
	s, err := jsonschema.For[result.Result](&jsonschema.ForOptions{
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{
			reflect.TypeFor[facts.Values](): {Ref: "#/$defs/facts"},
			reflect.TypeFor[result.Later](): {Type: "string"},
		},
	})
	if err == nil {
		s.Defs = map[string]*jsonschema.Schema{"facts": factsSchema()}
	}
	return s, err
}

// configSchema describes xlagate.yaml: the same tables as its reader uses.
func configSchema() *jsonschema.Schema {
	s := object(settings.Keys(rules.All.PackNames()))
	s.Properties["version"] = &jsonschema.Schema{Enum: []any{1}, Description: s.Properties["version"].Description}
	s.Properties["targets"].Items.Not = together("dump", "capture")
	s.Properties["rules"].Items = &jsonschema.Schema{OneOf: entries()}
	s.AnyOf = []*jsonschema.Schema{some("extends"), some("rules")} // a gate that checks nothing would always pass
	return s
}

// some requires a key whose list is not empty.
func some(key string) *jsonschema.Schema {
	return &jsonschema.Schema{Required: []string{key}, Properties: map[string]*jsonschema.Schema{key: {MinItems: jsonschema.Ptr(1)}}}
}

// together requires all of the keys.
func together(keys ...string) *jsonschema.Schema { return &jsonschema.Schema{Required: keys} }

// oneOf requires at least one of the keys.
func oneOf(keys []string) []*jsonschema.Schema {
	var out []*jsonschema.Schema
	for _, key := range keys {
		out = append(out, together(key))
	}
	return out
}

func entries() []*jsonschema.Schema {
	var out []*jsonschema.Schema
	for _, r := range rules.All.Rules {
		out = append(out, entry(r))
	}
	return out
}

// entry describes an entry of one rule: its keys, and which of them do not go together.
func entry(r *rule.Rule) *jsonschema.Schema {
	s := object(r.Keys())
	id := any(r.ID)
	s.Title, s.Description = r.ID, r.Title
	s.Properties["rule"] = &jsonschema.Schema{Const: &id, Description: r.Why}
	s.AnyOf = oneOf(r.NeedsOne)
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
		s.DependentSchemas = map[string]*jsonschema.Schema{"max_decrease": {AnyOf: oneOf(r.Bounds)}}
	}
	return s
}

func object(options []rule.Option) *jsonschema.Schema {
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
	sizePattern       = `^[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?([KMGT]iB|[KMGTk]?B)?$`
	growthPattern     = `^[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?([KMGT]iB|[KMGTk]?B|%)?$`
	sharePattern      = `^(0(\.[0-9]+)?|1(\.0+)?|(100(\.0+)?|[0-9]{1,2}(\.[0-9]+)?) ?%)$`
	dayPattern        = `^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$`
	idPattern         = `^[0-9a-f]{12}$`
	timeGrowthPattern = `^([0-9]+(\.[0-9]+)?%|([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$`
	timePattern       = `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`
)

func value(o rule.Option) *jsonschema.Schema {
	switch o.Type {
	case rule.Globs, rule.Words:
		one := word(o)
		several := &jsonschema.Schema{Type: "array", Items: one}
		if !o.Empty {
			several.MinItems = jsonschema.Ptr(1)
		}
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{one, several}}
	case rule.Count:
		return &jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(o.Least)}
	case rule.Number:
		return &jsonschema.Schema{Type: "number"}
	case rule.Size:
		return numberOr(sizePattern)
	case rule.Growth:
		return numberOr(growthPattern)
	case rule.TimeGrowth:
		return numberOr(timeGrowthPattern)
	case rule.Share:
		s := numberOr(sharePattern)
		s.AnyOf[0].Maximum = jsonschema.Ptr(1.0)
		return s
	case rule.Seconds:
		return &jsonschema.Schema{Type: "string", Pattern: timePattern}
	case rule.Nanoseconds:
		return numberOr(timePattern)
	case rule.Day:
		return &jsonschema.Schema{Type: "string", Pattern: dayPattern}
	case rule.FindingID:
		return &jsonschema.Schema{Types: []string{"string", "integer"}, Pattern: idPattern} // one of digits alone is a number to YAML
	case rule.Switch:
		return &jsonschema.Schema{Type: "boolean"}
	case rule.Table:
		s := &jsonschema.Schema{Type: "array", Items: object(o.Fields)}
		s.Items.AnyOf = oneOf(o.NeedsOne)
		if !o.Empty {
			s.MinItems = jsonschema.Ptr(1)
		}
		return s
	case rule.Mapping:
		return object(o.Fields)
	case rule.Pairs:
		return &jsonschema.Schema{Type: "object", MinProperties: jsonschema.Ptr(1), AdditionalProperties: &jsonschema.Schema{Types: []string{"string", "number", "boolean"}}}
	}
	return word(o)
}

func word(o rule.Option) *jsonschema.Schema {
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

// baseline describes a readable file below .xlagate; $defs.record is one line of the machine file beside it.
func baseline() *jsonschema.Schema {
	text, count, yes := kind("string"), kind("number"), kind("boolean")
	pairs := &jsonschema.Schema{Type: "object", AdditionalProperties: text}
	toolchain := fields(map[string]*jsonschema.Schema{"framework": text, "backend": text, "device": text, "versions": pairs, "flags": pairs})
	schema := any("xlagate.baseline/v1")
	s := fields(map[string]*jsonschema.Schema{
		"schema": {Const: &schema}, "program": text, "reason": text, "toolchain": toolchain, "priced_on": text,
		"variants": list(fields(map[string]*jsonschema.Schema{"signature": text, "compiles": count, "step_ns": count})),
		"arguments": list(fields(map[string]*jsonschema.Schema{
			"names": text, "bytes": count, "aliased": yes, "donated": yes, "unused": yes, "layout": text, "sharding": text, "constant": text, "count": count,
		})),
		"results": list(fields(map[string]*jsonschema.Schema{"count": count, "split": text, "sharding": text})),
		"facts":   {Type: "object", AdditionalProperties: &jsonschema.Schema{Types: []string{"number", "array", "string", "null"}}},
		"dearest_kernels": list(fields(map[string]*jsonschema.Schema{
			"ns": count, "launches": count, "do": text, "kind": text, "target": text, "out": text, "at": list(text), "op": text,
		})),
		"left_out": {Type: "object", AdditionalProperties: count},
		"machine":  fields(map[string]*jsonschema.Schema{"file": text, "bytes": count, "sha256": text}),
		"whole":    fields(map[string]*jsonschema.Schema{"variants": count, "facts": count, "kernels": count}),
	})
	s.Required = []string{"schema", "program", "variants", "facts", "machine", "whole"}
	s.Defs = map[string]*jsonschema.Schema{"record": record(toolchain)}
	return s
}

// record describes one line of a machine file: a mapping with one key.
func record(toolchain *jsonschema.Schema) *jsonschema.Schema {
	text, count, yes := kind("string"), kind("number"), kind("boolean")
	texts, counts := list(text), &jsonschema.Schema{Type: "object", AdditionalProperties: count}
	constant := map[string]*jsonschema.Schema{"shape": text, "bytes": count, "value": text, "op_name": text, "times": count}
	buffer := maps.Clone(constant)
	delete(buffer, "value")
	site := fields(map[string]*jsonschema.Schema{
		"op": text, "type": text, "runs": count, "guess": count, "branch": text, "loop": text, "in_loop": yes, "in_entry": yes, "times": count,
	})
	s := fields(map[string]*jsonschema.Schema{
		"program": fields(map[string]*jsonschema.Schema{"schema": text, "name": text, "toolchain": toolchain}),
		"variant": fields(map[string]*jsonschema.Schema{
			"signature": text, "result": text, "fingerprint": text, "input": text, "backend": text, "work": count, "compiles": count, "unstable": texts, "model_after": yes,
		}),
		"facts": counts,
		"param": fields(map[string]*jsonschema.Schema{
			"name": text, "shape": text, "layout": text, "sharding": text, "spec": text, "bytes": count, "aliased": yes, "donated": yes, "unused": yes, "constant": text,
		}),
		"output":   fields(map[string]*jsonschema.Schema{"shape": text, "split": text, "sharding": text, "spec": text, "bytes": count}),
		"constant": fields(constant), "buffer": fields(buffer),
		"model": fields(map[string]*jsonschema.Schema{"scope": text, "type": text, "do": counts}),
		"kernel": fields(map[string]*jsonschema.Schema{
			"do": texts, "kind": text, "out": text, "root": text, "in": texts, "target": text, "function": text, "body": counts, "groups": text, "axes": text, "attrs": text,
			"config": texts, "bytes": count, "flops": count, "length": count, "most": count, "stops": yes, "counts": yes, "fusion": yes, "class": text, "print": text,
			"family": text, "work": counts, "at": list(site),
		}),
		"end": fields(map[string]*jsonschema.Schema{"records": count}),
	})
	one := 1
	s.MinProperties, s.MaxProperties = &one, &one
	return s
}

func kind(name string) *jsonschema.Schema { return &jsonschema.Schema{Type: name} }

func list(of *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: of}
}

func fields(properties map[string]*jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Properties: properties, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
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
