package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/yamldoc"
)

func (r *reader) rules(n *yamldoc.Node) []*rule.Settings {
	var out []*rule.Settings
	for _, item := range r.entries(n, 0, "rules", ", as in - { rule: max-kernels, max: 19 }") {
		if s := r.rule(item); s != nil {
			out = append(out, s)
		}
	}
	return out
}

// ruleOf returns the rule of an entry; nil if the entry names none.
func (r *reader) ruleOf(n *yamldoc.Node) *rule.Rule {
	if n.Kind != yamldoc.Mapping {
		r.errorf(n, "a rule is %s; expected a mapping, as in { rule: max-kernels, max: 19 }", describeNode(n))
		return nil
	}
	id := valueOf(n, "rule")
	if id == nil {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if key := n.Content[i]; r.known.ByID(key.Value) != nil {
				r.errorf(key, "a rule's id is the value of the key \"rule\"; write { rule: %s, max: … }", key.Value)
				return nil
			}
		}
		r.errorf(n, "a rule without the key \"rule\"; name one of %s", oneOf(r.known.IDs()))
		return nil
	}
	if id.Kind != yamldoc.Scalar || id.Value == "" {
		r.errorf(id, "rule is %s; expected a rule's id, as in rule: max-kernels", describeNode(id))
		return nil
	}
	rule := r.known.ByID(id.Value)
	if rule == nil {
		r.errorf(id, "unknown rule %q%s", id.Value, cmp.Or(phrase.DidYouMean(id.Value, r.known.IDs()), "; `xlagate rules` lists them"))
	}
	return rule
}

func (r *reader) rule(n *yamldoc.Node) *rule.Settings {
	rule := r.ruleOf(n)
	if rule == nil {
		return nil
	}
	before := len(r.errors)
	e := r.mapping(r.refuse(n, rule), rule.Keys(), "rule "+rule.ID)
	s := r.settings(rule, e)
	s.Place = fmt.Sprintf("%s:%d:%d", r.file, n.Line, n.Column)
	if r.pack == "" {
		s.Marks = marks(n)
	}
	read := len(r.errors) == before
	for _, wrong := range rule.Validate(s) {
		if read || len(wrong.Path) > 0 { // what is missing may just be what could not be read
			r.errorf(at(n, wrong.Path), "rule %s: %v", rule.ID, wrong.Err)
		}
	}
	return s
}

// at is the value to which keys and numbers of list entries lead.
func at(n *yamldoc.Node, path []string) *yamldoc.Node {
	for _, step := range path {
		next := valueOf(n, step)
		if i, err := strconv.Atoi(step); n.Kind == yamldoc.Sequence && err == nil && i < len(n.Content) {
			next = n.Content[i]
		}
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

// refuse removes the common keys that have no effect on this rule from an entry, and reports each with the reason.
func (r *reader) refuse(n *yamldoc.Node, rule *rule.Rule) *yamldoc.Node {
	kept := *n
	kept.Content = nil
	has := func(key string) bool { return valueOf(n, key) != nil }
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		why := rule.Refuses(key.Value, has)
		switch {
		case why != "":
			r.errorf(key, "rule %s takes no %s: %s", rule.ID, key.Value, why)
		case key.Value == "level" && value.Value == "off" && rule.Always:
			r.errorf(value, "%s cannot be turned off: without it the gate would pass without having looked", rule.ID)
		case key.Value == "program" && rule.Whole && !slices.Equal(words(value), []string{"*"}):
			r.errorf(value, "rule %s takes no program but \"*\": it looks at the target as a whole", rule.ID)
		default:
			kept.Content = append(kept.Content, key, value)
		}
	}
	return &kept
}

func marks(n *yamldoc.Node) map[string]rule.Mark {
	out := map[string]rule.Mark{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if v := n.Content[i+1]; v.Kind == yamldoc.Scalar {
			out[n.Content[i].Value] = rule.Mark{Line: v.Line, Column: v.Column, Text: v.Value, Plain: v.Style == 0}
		}
	}
	return out
}

// words returns the texts of a value that is one or a list of them.
func words(n *yamldoc.Node) []string {
	if n.Kind == yamldoc.Sequence {
		return phrase.Map(n.Content, func(item *yamldoc.Node) string { return item.Value })
	}
	return []string{n.Value}
}

func valueOf(n *yamldoc.Node, key string) *yamldoc.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func (r *reader) settings(of *rule.Rule, e rule.Entry) *rule.Settings {
	s := &rule.Settings{
		Rule: of, Name: e.Text("name"), Reason: e.Text("reason"), Level: e.Text("level"), Pack: r.pack,
		Targets: e.List("target"), Programs: e.List("program"), Options: map[string]any{},
	}
	s.Max, s.Min, s.Equal = optional[float64](e, "max"), optional[float64](e, "min"), optional[float64](e, "equal")
	s.MaxIncrease, s.MaxDecrease = optional[rule.Change](e, "max_increase"), optional[rule.Change](e, "max_decrease")
	for _, o := range of.Options {
		v, ok := e.Values[o.Key]
		switch limit, _ := e.Number(o.Key); {
		case !ok:
		case o.Means == "max":
			s.Max, s.MaxKey = &limit, o.Key
		default:
			s.Options[o.Key] = v
		}
	}
	return s
}

// optional returns a value of an entry, nil where it has none of that type.
func optional[T any](e rule.Entry, key string) *T {
	if v, ok := e.Values[key].(T); ok {
		return &v
	}
	return nil
}

func (r *reader) readPack(name string, data []byte) (entries []*rule.Settings) {
	inner := reader{known: r.known, file: "pack:" + name, pack: name}
	root, err := yamldoc.Parse(data)
	if err != nil {
		inner.errorf(nil, "%v", err)
	} else if list := valueOf(root, "rules"); list != nil {
		entries = inner.rules(list)
	}
	r.errors = append(r.errors, inner.errors...)
	return entries
}

// overlay adds entries to those of a pack. An entry inherits what it does not set from the pack's entry of the same rule, which
// no longer covers the programs that the new entry covers.
func overlay(pack, own []*rule.Settings) []*rule.Settings {
	for _, p := range pack {
		p.Except.Add(rule.EntriesOf(own, p.Rule)...)
	}
	for _, s := range own {
		for _, p := range rule.EntriesOf(pack, s.Rule) {
			inherit(s, p)
		}
	}
	return slices.Concat(pack, own)
}

func inherit(s, from *rule.Settings) {
	s.Level, s.Reason = cmp.Or(s.Level, from.Level), cmp.Or(s.Reason, from.Reason)
	if s.Max == nil && s.Equal == nil {
		s.Max, s.MaxKey = from.Max, from.MaxKey
	}
	if s.Min == nil && s.Equal == nil {
		s.Min = from.Min
	}
	s.MaxIncrease, s.MaxDecrease = cmp.Or(s.MaxIncrease, from.MaxIncrease), cmp.Or(s.MaxDecrease, from.MaxDecrease)
	for k, v := range from.Options {
		if _, ok := s.Options[k]; !ok {
			s.Options[k] = v
		}
	}
}
