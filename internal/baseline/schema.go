package baseline

import (
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/price"
)

// JSONSchema describes one line of a file.
func JSONSchema() (*jsonschema.Schema, error) {
	text, number := kind("string"), kind("number")
	s, err := jsonschema.For[record](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[facts.Opcodes](): {Type: "array", Items: text}, reflect.TypeFor[facts.Class](): text,
		reflect.TypeFor[price.Work](): {Type: "object", AdditionalProperties: number},
	}})
	if err != nil {
		return nil, err
	}
	withoutNull(s)
	schema := any(Schema)
	s.Properties["baseline"].Properties["schema"] = &jsonschema.Schema{Const: &schema}
	s.Properties["fact"].AdditionalProperties = &jsonschema.Schema{Types: []string{"number", "null"}}
	return s, nil
}

func kind(name string) *jsonschema.Schema { return &jsonschema.Schema{Type: name} }

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
