package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
)

type inner struct {
	Name  string `json:"name"`
	Plain int
	Never int `json:"-"`
}

type Embedded struct {
	Kind   string `json:"kind"`
	Hidden string `json:"-"`
}

type outer struct {
	*Embedded
	Inner inner                 `json:"inner"`
	List  []*inner              `json:"list,omitempty"`
	Facts map[string]float64    `json:"facts"`
	Deep  map[string][1]inner   `json:"deep"`
	Any   any                   `json:"any"`
	Raw   json.RawMessage       `json:"raw"`
	Maps  []map[string]struct{} `json:"maps"`
}

// Package json accepts each of these, and a person who reads them sees something else.
func TestReadJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"kind":"a","inner":{"name":"b","Plain":1},"list":[{"name":"c"},null,{}],"facts":{"a":1,"A":2},"any":{"X":{"x":1}}}`: "",
		" \n{ \"kind\" : \"a\\\"}\" , \"list\" : [ ] , \"facts\" : { } , \"deep\":{\"a\":[{\"name\":\"\"}]}}\n":               "",
		`{"Kind":"a"}`:                        `1: unknown key "Kind"; expected "kind"`,
		`{"inner":{"NAME":"b"}}`:              `10: unknown key "NAME"; expected "name"`,
		`{"list":[{},{"nam":"b"}]}`:           `13: unknown key "nam"`,
		`{"deep":{"a":[{"plain":1}]}}`:        `15: unknown key "plain"; expected "Plain"`,
		`{"kind":"a","kind":"b"}`:             `12: the key "kind" occurs twice`,
		`{"kind":"a","\u006bind":"b"}`:        `12: the key "kind" occurs twice`,
		`{"facts":{"a":1,"a":2}}`:             `16: the key "a" occurs twice`,
		`{"facts":{"a\u00ff":1,"a\u00ff":2}}`: `22: the key "a\u00ff" occurs twice`,
		`{"any":[{"x":{"y":1,"y":2}}]}`:       `20: the key "y" occurs twice`,
		`{"raw":{"y":1,"y":2}}`:               `14: the key "y" occurs twice`,
		`{"maps":[{"a":{}},{"b":{"c":1}}]}`:   `24: unknown key "c"`,
		`{"inner":{"Never":1}}`:               `10: unknown key "Never"`,
		`{"Embedded":{}}`:                     `1: unknown key "Embedded"`,
		`{"Hidden":"a"}`:                      `1: unknown key "Hidden"`,
		`{"\u212aind":"a"}`:                   `1: unknown key "\u212aind"; expected "kind"`, // the sign for kelvin, which folds to k
	} {
		got, wrong := "", (*JSONError)(nil)
		if err := ReadJSON([]byte(text), &outer{}); errors.As(err, &wrong) {
			got = fmt.Sprintf("%d: %v", wrong.Offset, err)
		}
		if got != want {
			t.Errorf("%s\n\t%s, wanted %s", text, got, want)
		}
	}
}

func TestPosition(t *testing.T) {
	for offset, want := range map[int][2]int{0: {1, 1}, 1: {1, 2}, 2: {1, 3}, 3: {2, 1}, 5: {2, 3}} {
		if line, column := Position([]byte("ab\ncd"), offset); line != want[0] || column != want[1] {
			t.Errorf("%d: %d:%d", offset, line, column)
		}
	}
}
