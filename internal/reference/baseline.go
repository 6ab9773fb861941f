package reference

import "github.com/google/jsonschema-go/jsonschema"

// baseline describes one file below .xlagate.
func baseline() *jsonschema.Schema {
	text, count, yes := kind("string"), kind("number"), kind("boolean")
	texts := list(text)
	counts := &jsonschema.Schema{Type: "object", AdditionalProperties: count}
	kernel := fields(map[string]*jsonschema.Schema{
		"do": texts, "kind": text, "out": text, "op": text, "type": text, "root": text, "in": texts, "target": text, "groups": text, "attrs": text, "config": texts,
		"axes": text, "function": text, "body": counts,
		"bytes": count, "flops": count, "trips": count, "length": count, "most": count, "stops": yes, "counts": yes, "loop": text, "in_loop": yes, "inner": yes, "fusion": yes, "class": text, "print": text,
		"family": text, "work": counts, "guess": count, "branch": text, "times": count,
	})
	variant := fields(map[string]*jsonschema.Schema{
		"signature": text, "result": text, "fingerprint": text, "input": text, "backend": text, "work": count, "compiles": count, "unstable": texts,
		"params": list(fields(map[string]*jsonschema.Schema{
			"name": text, "shape": text, "layout": text, "sharding": text, "spec": text, "bytes": count, "aliased": yes, "donated": yes, "unused": yes, "constant": text,
		})),
		"outputs":     list(fields(map[string]*jsonschema.Schema{"shape": text, "split": text, "sharding": text, "spec": text, "bytes": count})),
		"facts":       counts,
		"constants":   list(fields(map[string]*jsonschema.Schema{"shape": text, "bytes": count, "value": text, "op": text})),
		"buffers":     list(fields(map[string]*jsonschema.Schema{"bytes": count, "shape": text, "op": text})),
		"model_after": yes, "model": list(fields(map[string]*jsonschema.Schema{"scope": text, "type": text, "do": counts})),
		"kernels": list(kernel),
	})
	variant.Required = []string{"signature", "facts"}
	pairs := &jsonschema.Schema{Type: "object", AdditionalProperties: text}
	schema := any("xlagate.baseline/v1")
	s := fields(map[string]*jsonschema.Schema{
		"schema": {Const: &schema}, "program": text, "reason": text, "variants": list(variant),
		"toolchain": fields(map[string]*jsonschema.Schema{"framework": text, "backend": text, "device": text, "versions": pairs, "flags": pairs}),
	})
	s.Required = []string{"schema", "program", "variants"}
	return s
}

func kind(name string) *jsonschema.Schema { return &jsonschema.Schema{Type: name} }

func list(of *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: of}
}

func fields(properties map[string]*jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Properties: properties, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
}
