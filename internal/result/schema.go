package result

import (
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/xlagate/xlagate/internal/facts"
)

// JSONSchema describes a result.
func JSONSchema() (*jsonschema.Schema, error) {
	s, err := jsonschema.For[Result](&jsonschema.ForOptions{
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{
			reflect.TypeFor[facts.Values](): {Ref: "#/$defs/facts"},
			reflect.TypeFor[Later]():        {Type: "string"},
		},
	})
	if err == nil {
		s.Defs = map[string]*jsonschema.Schema{"facts": factsSchema()}
	}
	return s, err
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
