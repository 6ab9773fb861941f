// Package config reads xlagate.yaml: every error at once, each with file, line and column.
package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

// FileName is the configuration's usual name.
const FileName = "xlagate.yaml"

// Config is one xlagate.yaml with its packs.
type Config struct {
	Path     string // the file; paths in it are relative to its folder
	Dir      string
	Extends  []string
	Baseline string // a directory, git:REF:PATH or oci://REGISTRY/REPOSITORY:TAG
	FailOn   string // error | warning | never
	Targets  []Target
	Rules    []*rule.Settings
	Waivers  []Waiver
	Sum      string // the SHA-256 of the file
}

// Target is one entry under `targets:`.
type Target struct {
	Name    string
	Dump    string // path or glob; "" when captured or given on the command line
	Capture *Capture
	Include []string // program globs; empty: all but the framework's helpers
	Exclude []string
	Samples int
	// RequireFresh has a dump fail that is older than an edit of a source that it names.
	RequireFresh bool
	Device       string // what prices are predicted for; "": what the dump says
	Logs         []string
	Place        string
}

// Capture is a command whose dump is the target.
type Capture struct {
	Run     string
	Env     map[string]string
	Timeout time.Duration
}

// Waiver is a reasoned, dated permission for one finding.
type Waiver struct {
	Finding string
	Reason  string
	Owner   string
	Expires string   // YYYY-MM-DD, inclusive
	Ceiling *float64 // the worst that is waived
	Place   string
}

// Find looks for xlagate.yaml in a directory and above it.
func Find(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the working directory: %w", err)
	}
	for {
		path := filepath.Join(dir, FileName)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", os.ErrNotExist
		}
		dir = parent
	}
}

// maxSize bounds a configuration: its YAML takes some ten times as much to read.
const maxSize = 8 << 20

// Load reads a configuration file, which messages call by its name. The error is of type [Errors] when the content is wrong.
func Load(path, name string) (*Config, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > maxSize {
		return nil, fmt.Errorf("read the configuration: %s has %s; at most %s are read", name, phrase.Bytes(float64(info.Size())), phrase.Bytes(maxSize))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	return parse(path, name, data)
}

// Parse reads a configuration from its bytes; the path is named in errors and is what relative paths start from.
func Parse(path string, data []byte) (*Config, error) { return parse(path, path, data) }

func parse(path, name string, data []byte) (*Config, error) {
	r := reader{file: name}
	cfg := r.config(data)
	if len(r.errors) > 0 {
		return nil, r.sorted()
	}
	sum := sha256.Sum256(data)
	cfg.Path, cfg.Dir, cfg.Sum = path, filepath.Dir(path), hex.EncodeToString(sum[:])
	return cfg, nil
}
