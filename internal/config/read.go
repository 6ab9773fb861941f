package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/registry"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/yamldoc"
)

// config reads the whole document.
func (r *reader) config(data []byte) *Config {
	cfg := &Config{Baseline: ".xlagate", FailOn: "error"}
	root, err := yamldoc.Parse(data)
	switch {
	case err != nil:
		line := lineOf(err)
		r.errors = append(r.errors, Error{File: r.file, Line: line, Column: 1, Message: withHint(strings.TrimPrefix(err.Error(), fmt.Sprintf("line %d: ", line)))})
		return cfg
	case root == nil:
		r.errorf(nil, "the file is empty; `xlagate init` makes one")
		return cfg
	case root.Kind != yamldoc.Mapping:
		is := describeNode(root)
		if root.Kind == yamldoc.Scalar { // not quoted: a link in a repository may lead to any file
			is = "a text"
		}
		r.errorf(root, "the file is %s; expected a mapping with the keys %s", is, oneOf(keysOf(r.keys)))
		return cfg
	}
	r.topLevel(root, cfg)
	return cfg
}

func (r *reader) topLevel(root *yamldoc.Node, cfg *Config) {
	var own []*rule.Settings
	seen := map[string]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		option, ok := optionByKey(r.keys, key.Value)
		if !ok {
			r.errorf(key, "unknown key %q; expected one of %s%s", key.Value, oneOf(keysOf(r.keys)), phrase.DidYouMean(key.Value, keysOf(r.keys)))
			continue
		}
		if line, twice := seen[key.Value]; twice {
			r.errorf(key, "key %q occurs twice; first on line %d", key.Value, line)
			continue
		}
		seen[key.Value] = key.Line
		switch key.Value {
		case "rules":
			own = r.rules(value)
		case "targets":
			cfg.Targets = r.targets(value)
		case "waivers":
			cfg.Waivers = r.waivers(value)
		default:
			if v, ok := r.value(value, option, "the configuration"); ok {
				r.setting(value, key.Value, v, cfg)
			}
		}
	}
	if _, ok := seen["version"]; !ok {
		r.errorf(root, "the key \"version\" is missing; write version: 1")
	}
	for _, s := range own {
		s.LeaveNumbered(rule.EntriesOf(own, s.Rule))
	}
	cfg.Rules = overlay(r.packs(cfg.Extends), own)
	if len(cfg.Rules) == 0 && len(r.errors) == 0 {
		r.errorf(root, "no rules: add extends: [recommended] or a rule; a gate that checks nothing would always pass")
	}
}

func (r *reader) setting(n *yamldoc.Node, key string, v any, cfg *Config) {
	switch key {
	case "version":
		if v.(float64) != 1 {
			r.errorf(n, "version is %v; this xlagate knows version 1", v)
		}
	case "extends":
		cfg.Extends = v.([]string)
	case "baseline":
		cfg.Baseline = v.(string)
		if err := baseline.CheckPlace(cfg.Baseline); err != nil {
			r.errorf(n, "baseline %v", err)
		}
	case "fail_on":
		cfg.FailOn = v.(string)
	}
}

func lineOf(err error) int {
	var line int
	if _, scanErr := fmt.Sscanf(err.Error(), "line %d:", &line); scanErr != nil {
		return 1
	}
	return line
}

func (r *reader) targets(n *yamldoc.Node) []Target {
	if n.Kind != yamldoc.Sequence || len(n.Content) == 0 {
		r.errorf(n, "targets is %s; expected a list of targets, as in - { name: train, dump: build/xla }", describeNode(n))
		return nil
	}
	var out []Target
	type first struct {
		name string
		line int
	}
	names := map[string]first{}
	for _, item := range n.Content {
		t := r.target(item)
		folder := strings.ToLower(t.Name) // some systems take two names that differ only in case for one
		switch other, twice := names[folder]; {
		case !twice || t.Name == "":
			names[folder] = first{t.Name, item.Line}
		case other.name == t.Name:
			r.errorf(valueOf(item, "name"), "two targets are named %q; the first is on line %d", t.Name, other.line)
		default:
			r.errorf(valueOf(item, "name"), "the targets %q and %q differ only in case; the first is on line %d", other.name, t.Name, other.line)
		}
		out = append(out, t)
	}
	return out
}

func (r *reader) target(n *yamldoc.Node) Target {
	nested := map[string]*yamldoc.Node{}
	flat := withoutMappings(n, nested)
	e := r.mapping(flat, targetKeys, "the target")
	t := Target{
		Name: e.Text("name"), Dump: e.Text("dump"), Samples: 1, Device: e.Text("device"), Logs: e.List("log"),
		Place: fmt.Sprintf("%s:%d:%d", r.file, n.Line, n.Column),
	}
	if at := valueOf(n, "name"); at != nil && t.Name != "" && !result.ValidTarget(t.Name) {
		r.errorf(at, "name is %q; expected a path such as mlp/cpu, which is also the path of its baseline", t.Name)
	}
	if s, ok := e.Number("samples"); ok {
		t.Samples = int(s)
	}
	t.RequireFresh, _ = e.Values["require_fresh"].(bool)
	if p := nested["programs"]; p != nil {
		programs := r.mapping(p, programKeys, "programs")
		t.Include, t.Exclude = programs.List("include"), programs.List("exclude")
	}
	if c := nested["capture"]; c != nil {
		t.Capture = r.capture(c)
	}
	if _, err := registry.Parse(t.Dump); registry.Is(t.Dump) && err != nil {
		r.errorf(valueOf(n, "dump"), "dump %v", err)
	}
	if t.Dump != "" && t.Capture != nil {
		r.errorf(nested["capture"], "target %q has both dump and capture; keep one", t.Name)
	}
	return t
}

func (r *reader) capture(n *yamldoc.Node) *Capture {
	e := r.mapping(n, captureKeys, "capture")
	env, _ := e.Values["env"].(map[string]string)
	seconds, _ := e.Number("timeout")
	return &Capture{Run: e.Text("run"), Env: env, Timeout: time.Duration(seconds * float64(time.Second))}
}

// withoutMappings takes the keys that hold one mapping out of a target.
func withoutMappings(n *yamldoc.Node, nested map[string]*yamldoc.Node) *yamldoc.Node {
	if n.Kind != yamldoc.Mapping {
		return n
	}
	flat := *n
	flat.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i].Value
		if nested[key] == nil && slices.ContainsFunc(targetKeys, func(o rule.Option) bool { return o.Key == key && o.Type == rule.Mapping }) {
			nested[key] = n.Content[i+1]
			continue
		}
		flat.Content = append(flat.Content, n.Content[i], n.Content[i+1])
	}
	return &flat
}

func (r *reader) waivers(n *yamldoc.Node) []Waiver {
	if n.Kind != yamldoc.Sequence {
		r.errorf(n, "waivers is %s; expected a list", describeNode(n))
		return nil
	}
	var out []Waiver
	waived := map[string]int{}
	for _, item := range n.Content {
		e := r.mapping(item, waiverKeys, "the waiver")
		w := Waiver{
			Finding: e.Text("finding"), Reason: e.Text("reason"), Owner: e.Text("owner"), Expires: e.Text("expires"),
			Place: fmt.Sprintf("%s:%d:%d", r.file, item.Line, item.Column),
		}
		if c, ok := e.Number("ceiling"); ok {
			w.Ceiling = &c
		}
		if line, twice := waived[w.Finding]; twice && w.Finding != "" {
			r.errorf(valueOf(item, "finding"), "%s is waived twice; first on line %d", w.Finding, line)
		}
		waived[w.Finding] = item.Line
		out = append(out, w)
	}
	return out
}
