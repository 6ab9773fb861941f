package baseline

import (
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/price"
)

// JSONSchema describes a readable file; $defs.record is one line of the machine file beside it.
func JSONSchema() (*jsonschema.Schema, error) {
	s, err := jsonschema.For[page](nil)
	if err != nil {
		return nil, err
	}
	schema := any(Schema)
	s.Properties["schema"] = &jsonschema.Schema{Const: &schema}
	s.Properties["facts"] = &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Types: []string{"number", "array", "string", "null"}}}
	withoutNull(s)
	of, err := recordSchema()
	s.Defs = map[string]*jsonschema.Schema{"record": of}
	return s, err
}

// recordSchema describes one line of a machine file: a mapping with one key.
func recordSchema() (*jsonschema.Schema, error) {
	text := kind("string")
	s, err := jsonschema.For[record](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[facts.Opcodes](): list(text), reflect.TypeFor[facts.Class](): text,
		reflect.TypeFor[price.Work](): {Type: "object", AdditionalProperties: kind("number")},
	}})
	if err == nil {
		s.MinProperties, s.MaxProperties = jsonschema.Ptr(1), jsonschema.Ptr(1)
		withoutNull(s)
	}
	return s, err
}

func kind(name string) *jsonschema.Schema { return &jsonschema.Schema{Type: name} }

func list(of *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: of}
}

// withoutNull removes null from the types: empty lists are omitted.
func withoutNull(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	if s.Items != nil {
		withoutNull(s.Items)
	}
	for _, of := range s.Properties {
		withoutNull(of)
	}
}
