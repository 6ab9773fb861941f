package config

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/wire"
	"github.com/xlagate/xlagate/internal/yamldoc"
)

// reader collects errors while it walks a document.
type reader struct {
	known  rule.Catalogue
	keys   []rule.Option // of the top level
	file   string
	pack   string
	errors []Error
}

// mapping reads a mapping with known keys. what names the mapping in errors: "rule max-kernels".
func (r *reader) mapping(n *yamldoc.Node, options []rule.Option, what string) rule.Entry {
	entry := rule.Entry{Values: map[string]any{}, Line: n.Line}
	if n.Kind != yamldoc.Mapping {
		r.errorf(n, "%s is %s; expected a mapping with the keys %s", what, describeNode(n), oneOf(keysOf(options)))
		return entry
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if line, twice := seen[key.Value]; twice {
			r.errorf(key, "key %q occurs twice in %s; first on line %d", key.Value, what, line)
			continue
		}
		seen[key.Value] = key.Line
		at := slices.IndexFunc(options, func(o rule.Option) bool { return o.Key == key.Value })
		if at < 0 {
			r.errorf(key, "unknown key %q in %s; expected one of %s%s", key.Value, what, oneOf(keysOf(options)), phrase.DidYouMean(key.Value, keysOf(options)))
			continue
		}
		if v, ok := r.value(value, options[at], what); ok {
			entry.Values[key.Value] = v
		}
	}
	for _, o := range options {
		if _, ok := seen[o.Key]; o.Require && !ok {
			r.errorf(n, "%s lacks the key %q: %s", what, o.Key, o.Doc)
		}
	}
	return entry
}

func keysOf(options []rule.Option) []string {
	return phrase.Map(options, func(o rule.Option) string { return o.Key })
}

func (r *reader) value(n *yamldoc.Node, o rule.Option, what string) (any, bool) {
	switch o.Type {
	case rule.Globs, rule.Words:
		return r.list(n, o)
	case rule.Table:
		return r.table(n, o, what)
	case rule.Mapping:
		return r.mapping(n, o.Fields, o.Key), true
	case rule.Entries:
		return nil, false // each is read by itself
	case rule.Pairs:
		return r.pairs(n, o)
	}
	if n.Kind != yamldoc.Scalar || n.Tag == "!!null" {
		r.errorf(n, "%s is %s; expected %s", o.Key, describeNode(n), expected(o))
		return nil, false
	}
	var v any
	ok := false
	if (n.Tag == "!!bool") == (o.Type == rule.Switch) { // what YAML takes for a truth value is a switch and nothing else
		v, ok = valueTypes[o.Type].parse(n.Value, o)
	}
	if !ok {
		r.errorf(n, "%s", complaint(n, o))
	}
	return v, ok && r.wellFormed(n, o)
}

// wellFormed checks texts that have a grammar of their own. What is wrong is reported at its place inside the value.
func (r *reader) wellFormed(n *yamldoc.Node, o rule.Option) bool {
	var err error
	switch o.Type {
	case rule.Pattern:
		_, err = rule.ParseFlow(n.Value)
	case rule.ShapeOf:
		_, err = rule.ParseShape(n.Value)
	case rule.Expr:
		_, err = rule.CompileExpression(n.Value)
	}
	wrong := (*rule.SyntaxError)(nil)
	if !errors.As(err, &wrong) {
		if err != nil {
			r.errorf(n, "%v", err)
		}
		return err == nil
	}
	if at, ok := inside(n, wrong.Offset); ok {
		r.errorf(at, "%s: %s", o.Key, wrong.Message)
	} else {
		r.errorf(n, "%s: %v", o.Key, err)
	}
	return false
}

// inside returns the place of a byte of a scalar, if the value is on one line and without escapes.
func inside(n *yamldoc.Node, offset int) (*yamldoc.Node, bool) {
	at := *n
	switch {
	case strings.ContainsAny(n.Value, "\n\\\"'") || n.Style&(yamldoc.Literal|yamldoc.Folded) != 0:
		return nil, false
	case n.Style&(yamldoc.SingleQuoted|yamldoc.DoubleQuoted) != 0:
		at.Column++
	}
	at.Column += utf8.RuneCountInString(n.Value[:min(offset, len(n.Value))])
	return &at, true
}

// valueType is how a single value of one type of option is read.
type valueType struct {
	expected string // in an error
	pattern  string // of its texts, in the JSON Schema
	numbers  bool   // the JSON Schema allows numbers from 0 as well
	parse    func(text string, o rule.Option) (any, bool)
}

// valueTypes has the types of options but for lists and mappings.
var valueTypes = map[rule.OptionType]valueType{
	rule.Word: {expected: "a word", parse: func(s string, o rule.Option) (any, bool) {
		return s, s != "" && (len(o.Enum) == 0 || slices.Contains(o.Enum, s))
	}},
	rule.Text:    textType,
	rule.Pattern: textType,
	rule.ShapeOf: textType,
	rule.Expr:    textType,
	rule.Glob:    {expected: "a pattern such as */mlp/*", parse: func(s string, _ rule.Option) (any, bool) { return s, s != "" && phrase.ValidGlob(s) }},
	rule.Count: {parse: func(s string, o rule.Option) (any, bool) {
		v, err := strconv.ParseFloat(s, 64)
		return v, err == nil && v >= o.Least && v == math.Trunc(v) && !math.IsInf(v, 0)
	}},
	rule.Size:   {"a number from 0, or a size such as 12GiB", `^[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?([KMGT]iB|[KMGTk]?B)?$`, true, parser(ParseSize)},
	rule.Share:  {"a share from 0 to 1 (100%), such as 0.5 or 50%", `^(0(\.[0-9]+)?|1(\.0+)?|(100(\.0+)?|[0-9]{1,2}(\.[0-9]+)?) ?%)$`, true, parser(parseShare)},
	rule.Growth: {"an amount from 0, such as 2, 1MiB or 5%", `^[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?([KMGT]iB|[KMGTk]?B|%)?$`, true, parser(growthOf(ParseSize))},
	rule.TimeGrowth: {
		"a time such as 50us, a percentage such as 5%, or a number of nanoseconds",
		`^([0-9]+(\.[0-9]+)?%|([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$`, true, parser(growthOf(parseNanoseconds)),
	},
	rule.Switch: {expected: "true or false", parse: func(s string, _ rule.Option) (any, bool) { return strings.EqualFold(s, "true"), true }},
	rule.Seconds: {expected: "a time above 0, such as 90s or 20m", pattern: timePattern, parse: func(s string, _ rule.Option) (any, bool) {
		d, err := time.ParseDuration(s)
		return d.Seconds(), err == nil && d > 0
	}},
	rule.Nanoseconds: {"a time such as 13ms or 350us, or a number of nanoseconds", timePattern, true, parser(parseNanoseconds)},
	rule.Day: {expected: "a day such as 2027-02-01", pattern: `^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$`, parse: func(s string, _ rule.Option) (any, bool) {
		_, err := time.Parse(time.DateOnly, s)
		return s, err == nil
	}},
	rule.FindingID: {expected: "the id of a change or of a finding: 12 hex digits, as `xlagate check` prints them",
		pattern: findingID.String(), parse: func(s string, _ rule.Option) (any, bool) {
			return s, findingID.MatchString(s)
		}},
}

const timePattern = `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`

var textType = valueType{expected: "a text", parse: func(s string, _ rule.Option) (any, bool) { return s, s != "" }}

// parser makes the parser of one kind of text that of an option.
func parser[T any](parse func(string) (T, bool)) func(string, rule.Option) (any, bool) {
	return func(s string, _ rule.Option) (any, bool) { return parse(s) }
}

var findingID = regexp.MustCompile(`^[0-9a-f]{12}$`)

// scale are the suffixes that amounts may be written with. Longer ones come first, so that "KiB" is not read as "B".
type scale []struct {
	suffix string
	factor float64
}

// sizeUnits are those of sizes, timeUnits those of predicted times.
var (
	sizeUnits = scale{
		{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
		{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"kB", 1e3}, {"B", 1},
	}
	timeUnits = scale{{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}
)

// ParseSize reads a number of bytes: 1048576, 500MB, 2GiB.
func ParseSize(s string) (float64, bool) { return sizeUnits.parse(s) }

// parse reads a number with one of the suffixes, or without.
func (units scale) parse(s string) (float64, bool) {
	factor := 1.0
	for _, u := range units {
		if strings.HasSuffix(s, u.suffix) {
			s, factor = strings.TrimSuffix(s, u.suffix), u.factor
			break
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	v *= factor
	return v, err == nil && v >= 0 && !math.IsInf(v, 0)
}

func parseShare(s string) (float64, bool) {
	percent := strings.HasSuffix(s, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(s, "%")), 64)
	if percent {
		v /= 100
	}
	return v, err == nil && v >= 0 && v <= 1
}

// growthOf reads a percentage, or an amount.
func growthOf(amount func(string) (float64, bool)) func(string) (rule.Change, bool) {
	return func(s string) (rule.Change, bool) {
		if rest, ok := strings.CutSuffix(s, "%"); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			return rule.Change{Amount: v, Percent: true}, err == nil && v >= 0 && !math.IsInf(v, 0)
		}
		v, ok := amount(s)
		return rule.Change{Amount: v}, ok
	}
}

func (r *reader) list(n *yamldoc.Node, o rule.Option) (any, bool) {
	items := []*yamldoc.Node{n}
	if n.Kind == yamldoc.Sequence {
		items = n.Content
	}
	if len(items) == 0 && !o.Empty {
		r.errorf(n, "%s is an empty list, which matches nothing; name something or leave out the key", o.Key)
		return nil, false
	}
	var out []string
	if n.Tag == "!!null" {
		r.errorf(n, "%s is empty; name something or leave out the key", o.Key)
		return nil, false
	}
	for _, item := range items {
		switch {
		case item.Kind != yamldoc.Scalar || item.Tag == "!!null" || item.Tag == "!!bool" || item.Value == "":
			r.errorf(item, "%s holds %s; expected words, as in [a, b]", o.Key, describeNode(item))
			return nil, false
		case o.Type == rule.Globs && !phrase.ValidGlob(item.Value):
			r.errorf(item, "%q is not a pattern; close its brackets and braces, and let them stand for %d alternatives at most", item.Value, phrase.MostAlternatives)
			return nil, false
		case len(o.Enum) > 0 && !slices.Contains(o.Enum, item.Value):
			r.errorf(item, "%s holds %q; expected one of %s%s", o.Key, item.Value, oneOf(o.Enum), meant(item.Value, o.Enum))
			return nil, false
		}
		out = append(out, item.Value)
	}
	return out, true
}

func (r *reader) table(n *yamldoc.Node, o rule.Option, what string) (any, bool) {
	if n.Kind != yamldoc.Sequence {
		r.errorf(n, "%s is %s; expected a list of mappings with the keys %s", o.Key, describeNode(n), oneOf(keysOf(o.Fields)))
		return nil, false
	}
	if len(n.Content) == 0 {
		r.errorf(n, "%s of %s is an empty list; a rule that looks for nothing would always pass", o.Key, what)
		return nil, false
	}
	var out []rule.Entry
	for _, item := range n.Content {
		e := r.mapping(item, o.Fields, o.Key+" of "+what)
		if len(o.NeedsOne) > 0 && item.Kind == yamldoc.Mapping && !slices.ContainsFunc(o.NeedsOne, func(key string) bool { return valueOf(item, key) != nil }) {
			r.errorf(item, "an entry of %s in %s is empty; give %s", o.Key, what, phrase.Or(o.NeedsOne))
		}
		out = append(out, e)
	}
	return out, true
}

func (r *reader) pairs(n *yamldoc.Node, o rule.Option) (any, bool) {
	if n.Kind != yamldoc.Mapping {
		r.errorf(n, "%s is %s; expected a mapping of names to values", o.Key, describeNode(n))
		return nil, false
	}
	if len(n.Content) == 0 {
		r.errorf(n, "%s is empty; name something or leave out the key", o.Key)
		return nil, false
	}
	out := map[string]string{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if v := n.Content[i+1]; v.Kind != yamldoc.Scalar {
			r.errorf(v, "%s of %s is %s; expected a single value", n.Content[i].Value, o.Key, describeNode(v))
			return nil, false
		}
		out[n.Content[i].Value] = n.Content[i+1].Value
	}
	return out, true
}

func describeNode(n *yamldoc.Node) string {
	switch {
	case n.Kind == yamldoc.Mapping:
		return "a mapping"
	case n.Kind == yamldoc.Sequence && len(n.Content) == 0:
		return "an empty list"
	case n.Kind == yamldoc.Sequence:
		return "a list"
	case n.Tag == "!!null":
		return "empty"
	}
	return strconv.Quote(wire.Plain(n.Value))
}

// parseNanoseconds reads a time such as 13ms, or a number of nanoseconds.
func parseNanoseconds(s string) (float64, bool) {
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		return n, n >= 0 && !math.IsInf(n, 0)
	}
	d, err := time.ParseDuration(s)
	return float64(d.Nanoseconds()), err == nil && d >= 0
}

func expected(o rule.Option) string {
	switch {
	case o.Type == rule.Word && len(o.Enum) > 0:
		return "one of " + oneOf(o.Enum)
	case o.Type == rule.Count:
		return "a whole number from " + strconv.FormatFloat(o.Least, 'f', -1, 64)
	}
	return valueTypes[o.Type].expected
}

// complaint returns why a scalar was refused, and what to write instead.
func complaint(n *yamldoc.Node, o rule.Option) string {
	switch {
	case o.Type == rule.Size || o.Type == rule.Growth:
		if fixed, ok := nearSize(n.Value); ok {
			return strconv.Quote(n.Value) + " is not a size; write " + fixed + " or a number of bytes"
		}
	case o.Type == rule.Count && o.Key == "max" && strings.HasSuffix(n.Value, "%"):
		return o.Key + " is " + strconv.Quote(n.Value) + "; expected a whole number from 0; a share of the baseline is written max_increase: " + n.Value
	case o.Type == rule.Seconds && strings.Trim(n.Value, "0123456789.") == "":
		return strconv.Quote(n.Value) + " is not a time; write " + n.Value + "s"
	case o.Type == rule.Word:
		return o.Key + " is " + strconv.Quote(n.Value) + "; expected one of " + oneOf(o.Enum) + phrase.DidYouMean(n.Value, o.Enum)
	}
	return o.Key + " is " + strconv.Quote(n.Value) + "; expected " + expected(o)
}

// nearSize corrects common mistakes: "12 GIB", "12gb".
func nearSize(s string) (string, bool) {
	compact := strings.ReplaceAll(s, " ", "")
	if last := len(compact) - 1; last > 0 && strings.ContainsAny(compact[last:], "kKMGT") {
		compact = compact[:last] + strings.ToUpper(compact[last:]) + "iB"
	}
	for _, u := range sizeUnits {
		if len(compact) > len(u.suffix) && strings.EqualFold(compact[len(compact)-len(u.suffix):], u.suffix) {
			fixed := compact[:len(compact)-len(u.suffix)] + u.suffix
			if _, ok := ParseSize(fixed); ok {
				return fixed, true
			}
		}
	}
	return "", false
}
