package result

// RuleDoc documents a rule. Empty fields are left out.
type RuleDoc struct {
	ID       string      `json:"id"`
	Title    string      `json:"title"`
	Category string      `json:"category"`
	Why      string      `json:"why"`
	Reads    []string    `json:"reads"`
	Counts   string      `json:"counts,omitempty"` // what max, min and the like bound, and what holds without them
	Options  []OptionDoc `json:"options"`
	Fails    string      `json:"fails,omitempty"`  // an example that fails, as YAML with a comment
	Passes   string      `json:"passes,omitempty"` // the same, passing
	Fix      string      `json:"fix,omitempty"`
	Threads  []string    `json:"threads,omitempty"` // public issue threads: "openxla/xla#6370"
	Since    string      `json:"since,omitempty"`
	Always   bool        `json:"always,omitempty"` // on without being named
	URL      string      `json:"url,omitempty"`    // its page in the documentation
}

// OptionDoc documents one key of a rule's entry.
type OptionDoc struct {
	Key     string `json:"key"`
	Type    string `json:"type"`
	Default string `json:"default,omitempty"`
	Doc     string `json:"doc"`
}
