package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// A value that fits stays on its line; a longer one is broken, and is the same value.
func TestWrapJSON(t *testing.T) {
	long := strings.Repeat("a", 100)
	for _, c := range []struct{ text, want string }{
		{`{"a":[1,2],"b":{}}`, `{"a":[1,2],"b":{}}`},
		{`["` + long + long + `"]`, "[\n \"" + long + long + "\"\n]"},
		{`{"a":"` + long + `","b":["` + long + `"]}`, "{\n \"a\":\"" + long + "\",\n \"b\":[\"" + long + "\"]\n}"},
		{`["x","` + long + `","y","` + long + `","z"]`, "[\n \"x\",\"" + long + "\",\"y\",\n \"" + long + "\",\"z\"\n]"},
		{`{"` + long + `":["` + long + `"],"<":{}}`, "{\n \"" + long + "\":[\"" + long + "\"],\n \"\\u003c\":{}\n}"},
	} {
		var got, again, first bytes.Buffer
		wrapJSON(&got, []byte(c.text), "")
		if got.String() != c.want {
			t.Errorf("%s is written\n%s\nwanted\n%s", c.text, &got, c.want)
		}
		if err := json.Compact(&again, got.Bytes()); err != nil {
			t.Error(err)
		}
		_ = json.Compact(&first, []byte(strings.ReplaceAll(c.text, "<", `\u003c`)))
		if !bytes.Equal(again.Bytes(), first.Bytes()) {
			t.Errorf("%s became %s", c.text, &again)
		}
	}
}
