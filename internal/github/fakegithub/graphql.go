package fakegithub

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// publicSchema is cut out of GitHub's own.
//
//go:embed schema.graphql
var publicSchema string

var graphSchema = gqlparser.MustLoadSchema(&ast.Source{Name: "schema.graphql", Input: publicSchema})

// serveGraphQL answers a document, after it was held against the schema.
func (s *Server) serveGraphQL(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Query     string         `json:"query"`
		Variables map[string]any `json:"variables"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Method != http.MethodPost {
		s.violated(w, fmt.Sprintf("GraphQL: %v", err))
		return
	}
	document, errs := gqlparser.LoadQueryWithRules(graphSchema, body.Query, rules.NewDefaultRules())
	if errs != nil {
		s.violated(w, fmt.Sprintf("GraphQL: %v", errs))
		return
	}
	if _, err := validator.VariableValues(graphSchema, document.Operations[0], body.Variables); err != nil {
		s.violated(w, fmt.Sprintf("GraphQL: %v", err))
		return
	}
	field := document.Operations[0].SelectionSet[0].(*ast.Field).Name
	who := s.identify(r)
	s.Requests = append(s.Requests, Request{Operation: "graphql " + field, Method: r.Method, Path: r.URL.Path, Token: who.token, Status: http.StatusOK})
	if f := s.fault("graphql " + field); f != nil {
		if f.Done {
			s.field(field, who, body.Variables)
		}
		f.strike(w)
		return
	}
	writeJSON(w, http.StatusOK, s.field(field, who, body.Variables))
}

func (s *Server) field(name string, who identity, variables map[string]any) any {
	if who.unknown || !who.may("graphql "+name) {
		return refusal("FORBIDDEN", "Resource not accessible by integration")
	}
	switch name {
	case "viewer":
		return map[string]any{"data": map[string]any{"viewer": map[string]any{"login": who.Login, "databaseId": who.ID}}}
	case "createCommitOnBranch":
		return s.commitOnBranch(variables["input"].(map[string]any))
	}
	for _, m := range s.Comments {
		if fmt.Sprintf("IC_%d", m.ID) == variables["id"] {
			m.Hidden = true
		}
	}
	return map[string]any{"data": map[string]any{"minimizeComment": map[string]any{"minimizedComment": map[string]any{"isMinimized": true}}}}
}

// refusal is what GraphQL answers in place of data.
func refusal(kind, message string) any {
	return map[string]any{"errors": []any{map[string]any{"type": kind, "message": message}}}
}
