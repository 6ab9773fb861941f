// Command gen writes the documentation that is made from code: docs/rules.md, docs/config.md, docs/facts.md, the JSON Schemas, and the entry for SchemaStore.
//
//	go run ./internal/gen [DIR]
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/xlagate/xlagate/internal/reference"
)

func main() {
	dir := "docs"
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if err := write(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(dir string) error {
	files, err := files()
	if err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return fmt.Errorf("write the documentation: %w", err)
		}
	}
	return nil
}

// files are all generated files by name.
func files() (map[string][]byte, error) {
	config, err := reference.ConfigMarkdown()
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{"rules.md": []byte(reference.Markdown()), "config.md": []byte(config), "facts.md": []byte(reference.FactsMarkdown()), "schemastore.json": []byte(schemaStore)}
	for _, name := range reference.SchemaNames {
		data, err := reference.Schema(name)
		if err != nil {
			return nil, err
		}
		file := name + ".schema.json"
		if name == "config" {
			file = "xlagate.schema.json"
		}
		out[file] = data
	}
	return out, nil
}

// schemaStore is the entry for the catalog of SchemaStore, from which editors take their schemas.
const schemaStore = `{
  "name": "xlagate",
  "description": "xlagate, a regression gate for XLA dumps",
  "fileMatch": ["xlagate.yaml", "xlagate.yml"],
  "url": "https://raw.githubusercontent.com/xlagate/xlagate/main/docs/xlagate.schema.json"
}
`
