package fakegithub

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// openAPI is cut out of GitHub's own description; see trim.py.
//
//go:embed openapi.json
var openAPI []byte

// description knows what may be asked.
type description struct{ doc *openapi3.T }

// published is the description as GitHub publishes it, read once.
var published = sync.OnceValue(newDescription)

func newDescription() *description {
	doc, err := openapi3.NewLoader().LoadFromData(openAPI)
	if err == nil {
		err = doc.Validate(context.Background(), openapi3.DisableExamplesValidation())
	}
	if err != nil {
		panic("the description of GitHub's API is not readable: " + err.Error())
	}
	return &description{doc}
}

// route finds the operation that a path is of.
func (d *description) route(method, escaped string) (*routers.Route, map[string]string) {
	for template, item := range d.doc.Paths.Map() {
		operation := item.GetOperation(method)
		if operation == nil {
			continue
		}
		if params := matchPath(template, escaped); params != nil {
			return &routers.Route{Spec: d.doc, Path: template, PathItem: item, Method: method, Operation: operation}, params
		}
	}
	return nil, nil
}

// matchPath matches a path with a template. The paths of files and the names of branches hold slashes themselves.
func matchPath(template, escaped string) map[string]string {
	wanted, parts := strings.Split(template, "/"), strings.Split(escaped, "/")
	if last := wanted[len(wanted)-1]; (last == "{path}" || last == "{ref}") && len(parts) > len(wanted) {
		parts = append(parts[:len(wanted)-1:len(wanted)-1], strings.Join(parts[len(wanted)-1:], "/"))
	}
	if len(parts) != len(wanted) {
		return nil
	}
	params := map[string]string{}
	for i, w := range wanted {
		if !strings.HasPrefix(w, "{") {
			if w != parts[i] {
				return nil
			}
			continue
		}
		names, values := strings.Split(w, "..."), strings.SplitN(parts[i], "...", 2)
		if len(names) != len(values) {
			values = parts[i : i+1]
		}
		for j, name := range names {
			value, err := url.PathUnescape(values[min(j, len(values)-1)])
			if err != nil {
				return nil
			}
			params[strings.Trim(name, "{}")] = value
		}
	}
	return params
}

// violation says what the description does not allow in a request.
func (d *description) violation(r *http.Request, route *routers.Route, params map[string]string, body []byte) error {
	copied := r.Clone(r.Context())
	copied.Body = io.NopCloser(bytes.NewReader(body))
	err := openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{Request: copied, PathParams: params, Route: route})
	if err != nil {
		return err
	}
	for key := range r.URL.Query() {
		if !slices.ContainsFunc(append(route.Operation.Parameters, route.PathItem.Parameters...), func(p *openapi3.ParameterRef) bool {
			return p.Value.In == "query" && p.Value.Name == key
		}) {
			return fmt.Errorf("%s takes no parameter %q", route.Operation.OperationID, key)
		}
	}
	return nil
}

// bodySchema is what an operation's body is to look like; nil when it takes none.
func bodySchema(o *openapi3.Operation) *openapi3.Schema {
	if o.RequestBody == nil {
		return nil
	}
	if media := o.RequestBody.Value.Content.Get("application/json"); media != nil && media.Schema != nil {
		return media.Schema.Value
	}
	return nil
}

// unknown names a property of a body that its schema does not have: GitHub ignores it, so a request that holds one does not say what
// it means.
func unknown(schema *openapi3.Schema, value any, at string) string {
	switch v := value.(type) {
	case map[string]any:
		all := properties(schema)
		for key, inner := range v {
			p := all[key]
			if p == nil {
				if schema.AdditionalProperties.Schema != nil || len(all) == 0 {
					continue
				}
				return at + "." + key
			}
			if found := unknown(p.Value, inner, at+"."+key); found != "" {
				return found
			}
		}
	case []any:
		if schema.Items == nil {
			return ""
		}
		for _, inner := range v {
			if found := unknown(schema.Items.Value, inner, at+"[]"); found != "" {
				return found
			}
		}
	}
	return ""
}

// properties joins the properties of all the alternatives of a schema.
func properties(s *openapi3.Schema) openapi3.Schemas {
	all := openapi3.Schemas{}
	for key, p := range s.Properties {
		all[key] = p
	}
	for _, list := range []openapi3.SchemaRefs{s.AllOf, s.AnyOf, s.OneOf} {
		for _, alternative := range list {
			for key, p := range properties(alternative.Value) {
				if all[key] == nil {
					all[key] = p
				}
			}
		}
	}
	return all
}

// answerSchema is what an operation answers with a status.
func answerSchema(o *openapi3.Operation, status int) *openapi3.Schema {
	response := o.Responses.Status(status)
	if response == nil {
		return nil
	}
	media := response.Value.Content.Get("application/json")
	if media == nil || media.Schema == nil {
		return nil
	}
	return media.Schema.Value
}
