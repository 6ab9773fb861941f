package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/yamldoc"
)

// AddTarget returns the text of a rule file with one more target, whose dump a command makes. It is the first in the list; every other line, comments
// included, stays as it is.
func AddTarget(text []byte, name, run string) ([]byte, error) {
	root, err := yamldoc.Parse(text)
	if err != nil {
		return nil, err
	}
	lines := slices.Collect(bytes.Lines(text))
	for i := 0; root != nil && i+1 < len(root.Content); i += 2 {
		key, list := root.Content[i], root.Content[i+1]
		if key.Value != "targets" {
			continue
		}
		if list.Kind != yamldoc.Sequence || len(list.Content) == 0 || list.Content[0].Line == key.Line {
			break
		}
		indent, _, _ := strings.Cut(string(lines[list.Content[0].Line-1]), "-")
		entry := fmt.Sprintf("%[1]s- name: %[2]q\n%[1]s  capture: { run: %[3]q }\n", indent, name, run)
		return bytes.Join(slices.Insert(lines, key.Line, []byte(entry)), nil), nil
	}
	return nil, errors.New("it has no list of targets with one below the other; write targets: so, with a name for each, as docs/configuration.md shows")
}
