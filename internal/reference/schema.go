package reference

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
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
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[facts.Values](): {Ref: "#/$defs/facts"}},
	})
	if err == nil {
		s.Defs = map[string]*jsonschema.Schema{"facts": factsSchema()}
	}
	return s, err
}
