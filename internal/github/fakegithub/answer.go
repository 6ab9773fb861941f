package fakegithub

import (
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// fill completes a value with everything that a schema wants, so that answers look like GitHub's.
func fill(s *openapi3.Schema, given any) any {
	if list, ok := given.([]any); ok && s.Items != nil {
		out := make([]any, len(list))
		for i, v := range list {
			out[i] = fill(s.Items.Value, v)
		}
		return out
	}
	object, isObject := given.(map[string]any)
	if given != nil && !isObject {
		return given
	}
	for _, list := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf} {
		if len(list) > 0 && len(s.Properties) == 0 {
			return fill(list[0].Value, given)
		}
	}
	if !isObject && (s.Nullable || len(s.Properties) == 0 && len(s.AllOf) == 0) {
		return blank(s)
	}
	out := map[string]any{}
	for key, v := range object {
		out[key] = v
	}
	fillRequired(s, out)
	return out
}

// fillRequired adds the properties that must be there, and completes those that are.
func fillRequired(s *openapi3.Schema, out map[string]any) {
	for _, part := range s.AllOf {
		fillRequired(part.Value, out)
	}
	for _, key := range s.Required {
		p := s.Properties[key]
		switch {
		case p == nil || out[key] != nil:
		case strings.HasSuffix(key, "_at") && p.Value.Type != nil && p.Value.Type.Is("string") && !p.Value.Nullable:
			out[key] = text("date-time") // not every description says so
		default:
			out[key] = fill(p.Value, nil)
		}
	}
	for key, p := range s.Properties {
		if v := out[key]; v != nil {
			out[key] = fill(p.Value, v)
		}
	}
}

// blank is the least that a schema allows.
func blank(s *openapi3.Schema) any {
	switch {
	case s.Nullable:
		return nil
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Type == nil:
		return map[string]any{}
	case s.Type.Is("array"):
		return []any{}
	case s.Type.Is("boolean"):
		return false
	case s.Type.Is("integer"), s.Type.Is("number"):
		return 1
	case s.Type.Is("string"):
		return text(s.Format)
	}
	return map[string]any{}
}

func text(format string) string {
	switch format {
	case "date-time":
		return "2026-11-21T10:00:00Z"
	case "uri", "url":
		return "https://github.invalid/x"
	case "email":
		return "nobody@example.invalid"
	}
	return "x"
}
