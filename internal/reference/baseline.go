package reference

import (
	"maps"

	"github.com/google/jsonschema-go/jsonschema"
)

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
