package reference

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/rules"
)

// configText is the page about xlagate.yaml, with KEYS and PACKS where the tables belong.
//
//go:embed config.md
var configText string

// ConfigMarkdown is the page about xlagate.yaml: its text with the tables that its reader uses.
func ConfigMarkdown() (string, error) {
	var keys, packs strings.Builder
	optionRows(&keys, options("", config.Keys))
	packs.WriteString("| pack | |\n|---|---|\n")
	for _, name := range rules.Packs() {
		says, err := packSays(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&packs, "| `%s` | %s |\n", name, cell(says))
	}
	page := strings.Replace(configText, "\nKEYS\n", keys.String(), 1)
	return strings.Replace(page, "PACKS\n", packs.String(), 1), nil
}

// packSays is the comment at the head of a pack.
func packSays(name string) (string, error) {
	data, err := rules.Pack(name)
	if err != nil {
		return "", fmt.Errorf("read the pack %s: %w", name, err)
	}
	var says []string
	for line := range strings.Lines(string(data)) {
		comment, is := strings.CutPrefix(line, "#")
		if !is {
			break
		}
		says = append(says, strings.TrimSpace(comment))
	}
	return strings.Join(says, " "), nil
}
