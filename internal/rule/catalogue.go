package rule

import (
	"io/fs"
	"strings"
)

// Catalogue holds the rules that there are, and packs of them.
type Catalogue struct {
	Rules []*Rule
	Packs fs.FS // packs/NAME.yaml
}

// ByID finds a rule, nil when there is none of that id.
func (c Catalogue) ByID(id string) *Rule {
	for _, r := range c.Rules {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// IDs lists the ids of all rules.
func (c Catalogue) IDs() []string {
	var ids []string
	for _, r := range c.Rules {
		ids = append(ids, r.ID)
	}
	return ids
}

// Pack returns the YAML of a pack.
func (c Catalogue) Pack(name string) ([]byte, error) {
	return fs.ReadFile(c.Packs, "packs/"+name+".yaml")
}

// PackNames lists the names of the packs.
func (c Catalogue) PackNames() (names []string) {
	entries, _ := fs.ReadDir(c.Packs, "packs")
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}
