package baseline

import (
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/price"
)

// JSONSchema describes a readable file; $defs.record is one line of the machine file beside it.
func JSONSchema() (*jsonschema.Schema, error) {
	text, count, yes := kind("string"), kind("number"), kind("boolean")
	pairs := &jsonschema.Schema{Type: "object", AdditionalProperties: text}
	toolchain := fields(map[string]*jsonschema.Schema{"framework": text, "backend": text, "device": text, "versions": pairs, "flags": pairs})
	schema := any(Schema)
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
	of, err := recordSchema()
	s.Defs = map[string]*jsonschema.Schema{"record": of}
	return s, err
}

// recordSchema describes one line of a machine file: a mapping with one key.
func recordSchema() (*jsonschema.Schema, error) {
	text := kind("string")
	s, err := jsonschema.For[record](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[facts.Opcodes](): list(text), reflect.TypeFor[facts.Shapes](): list(text), reflect.TypeFor[facts.Class](): text,
		reflect.TypeFor[price.Work](): {Type: "object", AdditionalProperties: kind("number")},
	}})
	if err == nil {
		s.MinProperties, s.MaxProperties = jsonschema.Ptr(1), jsonschema.Ptr(1)
		for _, of := range s.Properties {
			of.Type, of.Types = "object", nil // a key whose value is null is left out
		}
	}
	return s, err
}

func kind(name string) *jsonschema.Schema { return &jsonschema.Schema{Type: name} }

func list(of *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: of}
}

func fields(properties map[string]*jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Properties: properties, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
}
