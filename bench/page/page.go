// Package page writes what was measured into the documents that show it.
package page

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

const end = "<!-- end of what was measured -->"

// Fill replaces what a command measured in a document: what stands between a mark that names the command and the next mark of an end.
func Fill(path, command, measured string) error {
	begin := fmt.Sprintf("<!-- measured: %s -->\n", command)
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, found := bytes.Cut(old, []byte(begin))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !found || !closed {
		return fmt.Errorf("%s has no place for what was measured, between %q and %q", path, strings.TrimSpace(begin), end)
	}
	text := string(before) + begin + "\n" + measured + end + string(after)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("write what was measured: %w", err)
	}
	return nil
}
