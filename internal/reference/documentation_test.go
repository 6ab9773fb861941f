package reference_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/xlagate/xlagate/internal/reference"
	"github.com/xlagate/xlagate/internal/testfile"
)

// TestDocumentation holds the pages and schemas in docs to what the code declares; with -update it writes them.
func TestDocumentation(t *testing.T) {
	config, err := reference.ConfigMarkdown()
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{"rules.md": reference.Markdown(), "config.md": config, "facts.md": reference.FactsMarkdown()}
	for _, name := range reference.SchemaNames {
		data, err := reference.Schema(name)
		if err != nil || !json.Valid(data) {
			t.Fatalf("the schema of %s: %v", name, err)
		}
		if name == "config" {
			name = "xlagate"
		}
		pages[name+".schema.json"] = string(data)
	}
	for name, page := range pages {
		testfile.Golden(t, filepath.Join("../../docs", name), page)
	}
}
