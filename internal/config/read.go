package config

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/yamldoc"
)

func (r *reader) config(data []byte) *Config {
	cfg := &Config{Baseline: folder, FailOn: "error", Policy: "base"}
	root, err := yamldoc.Parse(data)
	switch {
	case err != nil:
		var line int
		if _, scanErr := fmt.Sscanf(err.Error(), "line %d:", &line); scanErr != nil {
			line = 1
		}
		message := strings.TrimPrefix(err.Error(), fmt.Sprintf("line %d: ", line))
		line = brokenLine(data, line, message)
		for _, s := range slips {
			if strings.Contains(message, s.said) {
				message += "; " + s.hint
				break
			}
		}
		r.errors = append(r.errors, Error{File: r.file, Line: line, Column: 1, Message: message})
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
	e := r.mapping(root, r.keys, "the configuration")
	if version, ok := e.Number("version"); ok && version != 1 {
		r.errorf(valueOf(root, "version"), "version is %v; this xlagate knows version 1", version)
	}
	cfg.Extends, cfg.FailOn, cfg.Policy = e.List("extends"), cmp.Or(e.Text("fail_on"), cfg.FailOn), cmp.Or(e.Text("policy"), cfg.Policy)
	if where := e.Text("baseline"); where != "" {
		cfg.Baseline = where
		if err := baseline.CheckPlace(where); err != nil {
			r.errorf(valueOf(root, "baseline"), "baseline %v", err)
		}
	}
	if n := valueOf(root, "targets"); n != nil {
		cfg.Targets = r.targets(n)
	}
	if n := valueOf(root, "waivers"); n != nil {
		cfg.Waivers = r.waivers(n)
	}
	var own []*rule.Settings
	if n := valueOf(root, "rules"); n != nil {
		own = r.rules(n)
	}
	for _, same := range phrase.Group(own, func(s *rule.Settings) *rule.Rule { return s.Rule }) {
		rule.LeaveOthers(same)
	}
	var packs []*rule.Settings // later ones over earlier ones
	for _, name := range cfg.Extends {
		if data, err := r.known.Pack(name); err == nil { // else it was refused where extends was read
			packs = overlay(packs, r.readPack(name, data))
		}
	}
	cfg.Rules = overlay(packs, own)
	if len(cfg.Rules) == 0 && len(r.errors) == 0 {
		r.errorf(root, "no rules: add extends: [recommended] or a rule; a gate that checks nothing would always pass")
	}
}

// brokenLine is the line at which a list ends too early. The reader names the line where the list begins, or one of its entries.
func brokenLine(data []byte, from int, message string) int {
	if !strings.Contains(message, "expected '-' indicator") {
		return from
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	for n := from; n < min(len(lines), from+maxEntries); n++ {
		if _, err := yamldoc.Parse(bytes.Join(lines[:n], nil)); err != nil && strings.Contains(err.Error(), message) {
			return n
		}
	}
	return from
}

// maxEntries bounds the targets, the rules and the waivers of a file: a pull request's is read by a job that may write.
const maxEntries = 5000

// entries lists the entries of a list at the top of the file, at least so many.
func (r *reader) entries(n *yamldoc.Node, least int, key, such string) []*yamldoc.Node {
	switch {
	case n.Kind != yamldoc.Sequence || len(n.Content) < least:
		r.errorf(n, "%s is %s; expected a list%s", key, describeNode(n), such)
	case len(n.Content) > maxEntries:
		r.errorf(n, "%s has %d entries; at most %d are read: let one entry stand for several programs", key, len(n.Content), maxEntries)
	default:
		return n.Content
	}
	return nil
}

func (r *reader) targets(n *yamldoc.Node) []Target {
	var out []Target
	type first struct {
		name string
		line int
	}
	names := map[string]first{}
	for _, item := range r.entries(n, 1, "targets", " of targets, as in - { name: train, dump: build/xla }") {
		e := r.mapping(item, targetKeys, "the target")
		programs := e.Entry("programs")
		t := Target{
			Name: e.Text("name"), Dump: e.Text("dump"), Samples: 1, Device: e.Text("device"), Logs: e.List("log"),
			Include: programs.List("include"), Exclude: programs.List("exclude"), RequireFresh: e.On("require_fresh"),
			Place: fmt.Sprintf("%s:%d:%d", r.file, item.Line, item.Column),
		}
		if at := valueOf(item, "name"); at != nil && t.Name != "" && !result.ValidTarget(t.Name) {
			r.errorf(at, "name is %q; expected a path such as mlp/cpu, which is also the path of its baseline", t.Name)
		}
		if s, ok := e.Number("samples"); ok {
			t.Samples = int(s)
		}
		if valueOf(item, "capture") != nil {
			capture := e.Entry("capture")
			seconds, _ := capture.Number("timeout")
			t.Capture = &Capture{Run: capture.Text("run"), Env: capture.Pairs("env"), Timeout: time.Duration(seconds * float64(time.Second))}
		}
		if t.Dump != "" && t.Capture != nil {
			r.errorf(valueOf(item, "capture"), "target %q has both dump and capture; keep one", t.Name)
		}
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

func (r *reader) waivers(n *yamldoc.Node) []Waiver {
	var out []Waiver
	waived := map[string]int{}
	for _, item := range r.entries(n, 0, "waivers", "") {
		e := r.mapping(item, waiverKeys, "the waiver")
		w := Waiver{
			Finding: e.Text("finding"), Reason: e.Text("reason"), Owner: e.Text("owner"), Expires: e.Text("expires"), Ceiling: optional[float64](e, "ceiling"),
			Place: fmt.Sprintf("%s:%d:%d", r.file, item.Line, item.Column),
		}
		if line, twice := waived[w.Finding]; twice && w.Finding != "" {
			r.errorf(valueOf(item, "finding"), "%s is waived twice; first on line %d", w.Finding, line)
		}
		waived[w.Finding] = item.Line
		out = append(out, w)
	}
	return out
}
