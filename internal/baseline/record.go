package baseline

import (
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/price"
)

// A record is one line of a baseline file. One of its first fields is set.
type record struct {
	Baseline  *headRecord           `json:"baseline,omitempty"`
	Toolchain *toolchainRecord      `json:"toolchain,omitempty"`
	Version   *pairRecord           `json:"version,omitempty"`
	Library   *pairRecord           `json:"library,omitempty"`
	Flag      *pairRecord           `json:"flag,omitempty"`
	Ceiling   *Ceiling              `json:"ceiling,omitempty"`
	Variant   *variantRecord        `json:"variant,omitempty"`
	Fact      map[facts.ID]*float64 `json:"fact,omitempty"` // null: it is not known, although it could be counted from the other lines
	Argument  *argumentRecord       `json:"argument,omitempty"`
	Result    *facts.Output         `json:"result,omitempty"`
	Constant  *constantRecord       `json:"constant,omitempty"`
	Buffer    *bufferRecord         `json:"buffer,omitempty"`
	Model     *modelRecord          `json:"model,omitempty"`
	Counts    *countsRecord         `json:"counts,omitempty"`
	Kernel    *kernelRecord         `json:"kernel,omitempty"`
	Scope     *scopeRecord          `json:"scope,omitempty"` // what follows is of this part of the model: a line that stays between two that change
	End       string                `json:"end,omitempty"`   // of a section or of the file

	// What stands behind a line and is not compared. Accepting leaves a line that stays as it is, with these.
	At     string `json:"at,omitempty"`     // the line of the model, when it was accepted: "train.py:24"
	Reason string `json:"reason,omitempty"` // why it was accepted, on the first line that accepting added
}

type (
	headRecord struct {
		Schema  string `json:"schema"`
		Program string `json:"program,omitempty"` // "" for TensorFlow's graphs
	}
	toolchainRecord struct {
		Framework string `json:"framework,omitempty"`
		Backend   string `json:"backend,omitempty"`
		Device    string `json:"device,omitempty"`
	}
	pairRecord struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	variantRecord struct {
		Signature   string   `json:"signature"`
		Result      string   `json:"result,omitempty"`
		Backend     string   `json:"backend,omitempty"`
		Work        int      `json:"work,omitempty"` // see [facts.Variant.WorkVersion]
		Compiles    int      `json:"compiles"`
		Unstable    []string `json:"unstable,omitempty"`
		Varies      bool     `json:"varies,omitempty"` // the model was traced to other programs in other samples
		ModelAfter  bool     `json:"model_after,omitempty"`
		Partitioner string   `json:"partitioner,omitempty"`
		Reader      string   `json:"reader,omitempty"` // see [facts.Origin.Reader]
	}
	argumentRecord struct {
		facts.Parameter
		Spec string `json:"spec,omitempty"`
	}
	constantRecord struct {
		Op     string `json:"op,omitempty"`
		Within string `json:"within,omitempty"`
		Value  string `json:"value,omitempty"`
		Shape  string `json:"shape"`
		Bytes  int64  `json:"bytes"`
		Times  int    `json:"times,omitempty"`
	}
	bufferRecord struct {
		Op    string `json:"op,omitempty"`
		Shape string `json:"shape,omitempty"`
		Bytes int64  `json:"bytes"`
		Times int    `json:"times,omitempty"`
	}
	scopeRecord struct {
		Name   string `json:"name,omitempty"`
		Within string `json:"within,omitempty"` // a function of the model
	}
	modelRecord struct {
		Scope  string         `json:"scope,omitempty"`
		Within string         `json:"within,omitempty"`
		Type   string         `json:"type,omitempty"`
		Do     map[string]int `json:"do,omitempty"`
		Print  string         `json:"print,omitempty"` // see [facts.Statement.Print]
	}
	countsRecord struct {
		facts.Owner
		Facts facts.Values `json:"facts"` // see [facts.Counts]
	}
	kernelRecord struct {
		Within string `json:"within,omitempty"`
		facts.Site
		*facts.Form
		Launches int `json:"times,omitempty"` // how many there are; 0 for one
	}
)

// Ceiling allows a change up to what it cost when it was accepted, as a waiver without a date does.
type Ceiling struct {
	Change string    `json:"change"`         // its id
	With   []string  `json:"with,omitempty"` // the ids of the changes that it is where git does not know what was edited
	Title  string    `json:"title"`
	Most   []Allowed `json:"most"` // the limits that it breaks
	Reason string    `json:"reason"`
}

// IsOf reports whether a ceiling is one of a change with some ids.
func (c *Ceiling) IsOf(ids map[string]bool) bool {
	return ids[c.Change] || slices.ContainsFunc(c.With, func(id string) bool { return ids[id] })
}

// Allowed is how far a limit may be broken.
type Allowed struct {
	Program string   `json:"program,omitempty"` // absent for a limit on the target
	Variant string   `json:"variant,omitempty"` // 12 hex digits of the hash of its signature in the baseline; absent for a limit on the program
	Limit   string   `json:"limit"`             // the rule, and what it checks
	Amount  float64  `json:"amount"`            // what there is with the change alone
	With    []string `json:"with,omitempty"`    // the ids of other changes that break it where git does not know what was edited
	Any     bool     `json:"any,omitempty"`     // any change may break it: the program was accepted with it, or it is in no program that XLA compiles
}

// The sections of a file, in their order. Each ends with a line that names it, and the file with the last: what is cut off is told from what is whole, and what
// two branches change in two sections merges.
const (
	endToolchain = "toolchain"
	endCeilings  = "ceilings"
	endFacts     = "facts"
	endArguments = "arguments"
	endConstants = "constants"
	endBuffers   = "buffers"
	endModel     = "model"
	endCounts    = "counts"
	endKernels   = "kernels"
	endBaseline  = "baseline"
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
