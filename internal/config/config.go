// Package config reads xlagate.yaml: every error at once, each with file, line and column.
package config

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/price"
	"github.com/xlagate/xlagate/internal/rule"
)

// FileName is the configuration's usual name.
const FileName = "xlagate.yaml"

// folder is the usual folder of accepted facts, beside the configuration.
const folder = ".xlagate"

// OfGate reports whether a file is a configuration or accepted facts, by their usual names.
func OfGate(file string) bool {
	return path.Base(file) == FileName || slices.Contains(strings.Split(path.Dir(file), "/"), folder)
}

// Config is one xlagate.yaml with its packs.
type Config struct {
	Path     string // the file; paths in it are relative to its folder
	Dir      string
	Extends  []string
	Baseline string // a directory or git:REF:PATH
	FailOn   string // error | warning | never
	Policy   string // base | own: whose rules decide on a pull request that changes them
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
	// RequireFresh makes a dump fail if it is older than an edit of a source that it names.
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
	for below := ""; dir != below; dir, below = filepath.Dir(dir), dir {
		path := filepath.Join(dir, FileName)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		}
	}
	return "", os.ErrNotExist
}

// Load reads a configuration file, which messages call by its name. Its entries are of known rules and packs. The error is of type [Errors] when the content is wrong.
func Load(known rule.Catalogue, path, name string) (*Config, error) {
	const maxSize = 8 << 20 // its YAML takes some ten times as much to read
	data, err := files.Read(path, maxSize)
	if errors.Is(err, files.ErrTooLarge) {
		return nil, fmt.Errorf("read the configuration: %s has more than %s, the most that is read", name, phrase.Bytes(maxSize))
	}
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	return parse(known, path, name, data)
}

// Parse reads a configuration from its bytes; the path is named in errors and is what relative paths start from.
func Parse(known rule.Catalogue, path string, data []byte) (*Config, error) {
	return parse(known, path, path, data)
}

func parse(known rule.Catalogue, path, name string, data []byte) (*Config, error) {
	r := reader{known: known, keys: Keys(known.PackNames()), file: name}
	cfg := r.config(data)
	if len(r.errors) > 0 {
		slices.SortStableFunc(r.errors, func(a, b Error) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) })
		return nil, Errors(r.errors)
	}
	cfg.Path, cfg.Dir, cfg.Sum = path, filepath.Dir(path), fmt.Sprintf("%x", sha256.Sum256(data))
	return cfg, nil
}

// Keys describes the top level of xlagate.yaml. The JSON Schema is made from it, as the errors are.
func Keys(packs []string) []rule.Option {
	return []rule.Option{
		{Key: "version", Type: rule.Count, Least: 1, Require: true, Doc: "write version: 1, the version of the rule set; new rules never turn on under an old one"},
		{Key: "extends", Type: rule.Words, Enum: packs, Doc: "rule packs that ship with xlagate: recommended, strict, training, …; later ones win"},
		{Key: "baseline", Type: rule.Text, Default: folder, Doc: "where the accepted facts are: a directory or git:REF:PATH"},
		{Key: "fail_on", Type: rule.Word, Enum: []string{"error", "warning", "never"}, Default: "error", Doc: "the level from which findings fail the gate"},
		{Key: "policy", Type: rule.Word, Enum: []string{"base", "own"}, Default: "base", Doc: "whose rules decide on a pull request that changes them: base: one that passes only by rules that it loosens needs a reviewer (action_required); own: its own rules"},
		{Key: "targets", Type: rule.Entries, Fields: targetKeys, Doc: "the dumps to check; by default one target \"default\" from the command line"},
		{Key: "rules", Type: rule.Entries, Empty: true, Doc: "the checks; see `xlagate rules`"},
		{Key: "waivers", Type: rule.Entries, Empty: true, Fields: waiverKeys, Doc: "permissions for single changes or findings, each with a reason and a date"},
	}
}

var targetKeys = []rule.Option{
	{Key: "name", Type: rule.Text, Require: true, Doc: "the target's name in findings and in the baseline; slashes make folders"},
	{Key: "dump", Type: rule.Glob, Doc: "the dump: a path or a glob"},
	{Key: "capture", Type: rule.Mapping, Fields: captureKeys, Doc: "a command whose dump is checked"},
	{Key: "programs", Type: rule.Mapping, Fields: programKeys, Doc: "the programs to check"},
	{Key: "device", Type: rule.Word, Enum: price.Names(), Doc: "the device of the predicted prices; default: the dump's own device, or else a reference device of its kind"},
	{Key: "samples", Type: rule.Count, Least: 1, Default: 1.0, Doc: "how many independent compiles the dump holds; facts that differ are marked unstable"},
	{Key: "require_fresh", Type: rule.Switch, Doc: "true: a dump older than an edit of one of its sources is refused (exit 3)"},
	{Key: "log", Type: rule.Globs, Doc: "compiler and framework logs as extra input"},
}

var captureKeys = []rule.Option{
	{Key: "run", Type: rule.Text, Require: true, Doc: "the command, run by sh"},
	{Key: "env", Type: rule.Pairs, Doc: "environment variables of the command"},
	{Key: "timeout", Type: rule.Seconds, Doc: "the time limit of the command: 20m"},
}

var programKeys = []rule.Option{
	{Key: "include", Type: rule.Globs, Doc: "programs that must exist and are checked; default: all but the framework's one-op helpers"},
	{Key: "exclude", Type: rule.Globs, Empty: true, Doc: "programs that are excluded"},
}

var waiverKeys = []rule.Option{
	{Key: "finding", Type: rule.FindingID, Require: true, Doc: "the id of a change or of a finding: 12 hex digits"},
	{Key: "reason", Type: rule.Text, Require: true, Doc: "why the change is allowed"},
	{Key: "owner", Type: rule.Text, Require: true, Doc: "the person or team responsible"},
	{Key: "expires", Type: rule.Day, Require: true, Doc: "the last day of the waiver: 2027-02-01"},
	{Key: "ceiling", Type: rule.Size, Doc: "the largest value that is waived; a larger one fails"},
}
