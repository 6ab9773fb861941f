package facts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

// A stack inside another one, from the same call, is left out.
func TestStackInAStack(t *testing.T) {
	for stack, want := range map[string]string{
		"gate:15 stage:30 step:33":                                   "gate:15 stage:30 step:33",
		"gate:15 stage:29 step:33 gate:15 stage:30 step:33":          "gate:15 stage:30 step:33",
		"leaf:3 walk:5 walk:5 walk:5 main:9":                         "leaf:3 walk:5 main:9",
		"gate:15 stage:29 step:33 gate:15 stage:29 gate:15 stage:30": "gate:15 stage:30",
	} {
		var frames []hlo.Location
		for _, frame := range strings.Fields(stack) {
			function, number, _ := strings.Cut(frame, ":")
			var line int32
			if _, err := fmt.Sscan(number, &line); err != nil {
				t.Fatal(err)
			}
			frames = append(frames, hlo.Location{File: "model.py", Line: line, Function: function})
		}
		var got []string
		for s := newSources(nil, newInterner()).own(frames); s != nil; s = s.Caller {
			got = append(got, fmt.Sprintf("%s:%d", s.Function, s.Line))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, wanted %s", stack, got, want)
		}
	}
}
