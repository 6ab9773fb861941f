package result

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Bounds on a result from an untrusted run. Real results are far smaller.
const (
	maxItems = 10_000  // of a list
	maxName  = 16_384  // names, messages
	maxText  = 4 << 20 // a program's baseline, lists of arguments
)

// longTexts are the fields that may hold more than a name.
var longTexts = map[string]bool{"Accept": true, "Signature": true, "Title": true, "Details": true,
	"Variants": true, "Variant": true, "Message": true, "Before": true, "After": true, "Diff": true}

// checkSizes holds every text and list of a value to its bound. Amounts are numbers or texts.
func checkSizes(v reflect.Value, most int) error {
	switch v.Kind() {
	case reflect.String:
		if v.Len() > most {
			return errTooLong
		}
	case reflect.Interface:
		if kind := v.Elem().Kind(); kind == reflect.Map || kind == reflect.Slice {
			return fmt.Errorf("an amount is a %s", kind)
		}
		return checkSizes(v.Elem(), most)
	case reflect.Pointer:
		return checkSizes(v.Elem(), most)
	case reflect.Slice:
		if v.Len() > maxItems {
			return fmt.Errorf("it has %d entries; at most %d are read", v.Len(), maxItems)
		}
		for i := range v.Len() {
			if err := checkSizes(v.Index(i), most); err != nil {
				return err
			}
		}
	case reflect.Map:
		if v.Len() > maxItems {
			return errTooLong
		}
		for key, value := range v.Seq2() {
			if err := errors.Join(checkSizes(key, most), checkSizes(value, most)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for field, value := range v.Fields() {
			bound := maxName
			if longTexts[field.Name] {
				bound = maxText
			}
			if err := checkSizes(value, bound); err != nil {
				return fmt.Errorf("%s: %w", field.Name, err)
			}
		}
	}
	return nil
}

var id = regexp.MustCompile(`^[0-9a-f]{12}$`)

// IsID reports whether a text has the form of an id.
func IsID(text string) bool { return id.MatchString(text) }

// Kinds are the kinds of changes that package changes names.
var Kinds = []string{"code", "arguments", "donation", "constants", "results", "sharding", "toolchain", "flags", "unknown"}

// Read reads a result that cannot be trusted: its schema is held to strictly, unknown fields are refused, and everything is bounded.
func Read(data []byte) (*Result, error) {
	r, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("not a result: %w", err)
	}
	if r.Schema != Schema {
		return nil, fmt.Errorf("the schema is %q, expected %q", clip(r.Schema), Schema)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("not a result that xlagate made: %w", err)
	}
	return r, nil
}

// Parse reads a result. Its keys are those of the schema, letter by letter, each once.
func Parse(data []byte) (*Result, error) {
	var r Result
	var wrong *files.JSONError
	err := files.ReadJSON(data, &r)
	if errors.As(err, &wrong) {
		line, column := files.Position(data, wrong.Offset)
		return nil, fmt.Errorf("%d:%d: %w", line, column, err)
	}
	return &r, err
}

func clip(s string) string { return s[:min(len(s), 80)] }

// owned is a finding that a change names.
type owned struct{ change, finding string }

func (r *Result) check() error {
	switch s := r.Summary; {
	case !slices.Contains([]string{"pass", "fail", "incomplete"}, r.Verdict):
		return fmt.Errorf("the verdict is %q", clip(r.Verdict))
	case min(s.Changes, s.Errors, s.Warnings, s.Infos, s.Waived, s.Checks, s.Targets, s.Programs) < 0:
		return errors.New("a count is negative")
	}
	if err := checkSizes(reflect.ValueOf(*r), maxName); err != nil {
		return err
	}
	for i := range r.Targets {
		if err := r.Targets[i].check(); err != nil {
			return fmt.Errorf("target %q: %w", clip(r.Targets[i].Name), err)
		}
	}
	for i := range r.Changes {
		if err := r.Changes[i].check(r.OptionsOf(r.Changes[i].Target)); err != nil {
			return fmt.Errorf("change %d: %w", i+1, err)
		}
	}
	for i := range r.Findings {
		if err := r.Findings[i].check(); err != nil {
			return fmt.Errorf("finding %d: %w", i+1, err)
		}
	}
	// What belongs to no change would be shown nowhere.
	named, there := map[owned]bool{}, map[owned]bool{}
	ids := map[string]bool{}
	for i := range r.Changes {
		ids[r.Changes[i].ID] = true
	}
	for i := range r.Changes {
		for _, id := range r.Changes[i].Also {
			if ids[id] {
				return fmt.Errorf("change %s answers to %s, which is another change", r.Changes[i].ID, id)
			}
		}
		for _, id := range r.Changes[i].Findings {
			named[owned{r.Changes[i].ID, id}] = true
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if !named[owned{f.Change, f.ID}] {
			return fmt.Errorf("finding %s belongs to change %s, which does not name it", f.ID, f.Change)
		}
		there[owned{f.Change, f.ID}] = true
	}
	for i := range r.Changes {
		for _, id := range r.Changes[i].Findings {
			if !there[owned{r.Changes[i].ID, id}] {
				return fmt.Errorf("change %s names finding %s, which is not there", r.Changes[i].ID, id)
			}
		}
	}
	return nil
}

// ValidTarget reports whether a name can be a target's. It is also the path of the target's baseline, so it must not leave that directory on any system,
// nor be hidden in it: xlagate and git keep files of their own under such names.
func ValidTarget(name string) bool {
	odd := func(r rune) bool { return r == '\\' || r == ':' || !unicode.IsPrint(r) }
	if !fs.ValidPath(name) || strings.ContainsFunc(name, odd) {
		return false
	}
	for folder := range strings.SplitSeq(name, "/") {
		if folder[0] == '.' || strings.TrimRight(folder, ". ") != folder || files.Device(folder) { // Windows drops what is trimmed
			return false
		}
	}
	return true
}

func (t *Target) check() error {
	switch {
	case !ValidTarget(t.Name):
		return errors.New("its name is a path out of the baseline")
	case t.RuleFile != "" && !fs.ValidPath(t.RuleFile):
		return fmt.Errorf("its rule file is %q", clip(t.RuleFile))
	case !validOptions(t.Options):
		return fmt.Errorf("its options are %q", clip(strings.Join(t.Options, " ")))
	}
	for i := range t.Programs {
		if p := &t.Programs[i]; len(p.Accept.Text()) > maxText {
			return fmt.Errorf("program %q: %w", clip(p.Name), errTooLong)
		}
	}
	return nil
}

// validOptions reports whether options can be part of a command that people paste.
func validOptions(options []string) bool {
	odd := func(r rune) bool { return !unicode.IsPrint(r) }
	for pair := range slices.Chunk(options, 2) {
		if len(pair) < 2 || pair[0] != "-c" && pair[0] != "--baseline" || pair[1] == "" || pair[1][0] == '-' || strings.ContainsFunc(pair[1], odd) {
			return false
		}
	}
	return true
}

func (c *Change) check(options []string) error {
	switch {
	case !IsID(c.ID) || slices.ContainsFunc(c.Also, func(id string) bool { return !IsID(id) }):
		return fmt.Errorf("the id is %q; expected 12 hex digits", clip(c.ID))
	case !slices.Contains([]string{"error", "warning", "info", "better"}, c.Level):
		return fmt.Errorf("the level is %q", clip(c.Level))
	case !slices.Contains(Kinds, c.Kind):
		return fmt.Errorf("the kind is %q", clip(c.Kind))
	case c.Level == "better" && len(c.Findings) > 0:
		return errors.New("its level is better, but it has findings")
	case c.Accept != "" && c.Accept != AcceptCommand(options, c.ID): // it is there to be pasted
		return fmt.Errorf("it is accepted with %q", clip(c.Accept))
	case !c.Price.plausible() || slices.ContainsFunc(c.Others, func(o Other) bool { return !o.Price.plausible() }):
		return errors.New("its price is out of bounds")
	}
	return nil
}

// plausible bounds a price to what a run can take: a century, and all memory there is.
func (p Price) plausible() bool {
	return max(math.Abs(p.StepNS), math.Abs(p.LowNS), math.Abs(p.HighNS), math.Abs(p.StepWasNS), math.Abs(p.PeakBytes)) < 1<<62 &&
		p.Compilations >= 0 && p.Compilations <= maxItems
}

func (f *Finding) check() error {
	switch {
	case !IsID(f.ID) || !IsID(f.Change) || slices.ContainsFunc(slices.Concat(f.Also, f.Shared), func(id string) bool { return !IsID(id) }):
		return fmt.Errorf("the id is %q, of change %q; expected 12 hex digits each", clip(f.ID), clip(f.Change))
	case !slices.Contains([]string{"error", "warning", "info"}, f.Level):
		return fmt.Errorf("the level is %q", clip(f.Level))
	}
	return nil
}

var errTooLong = errors.New("it is longer than what xlagate writes")

// MostListed is how many changes, findings, problems and notes a result lists, each. Nobody reads more, and all of them are counted.
const MostListed = 10_000

// Bound leaves out what is beyond [MostListed], and adds a note that counts it. The summary and the verdict stay as they are.
func (r *Result) Bound() {
	var left []string
	count := func(n int, noun string) {
		if n > 0 {
			left = append(left, phrase.Some(n, noun))
		}
	}
	count(bound(&r.Changes), "change")
	count(r.boundFindings(), "finding")
	count(bound(&r.Problems), "problem")
	count(bound(&r.Headroom), "budget")
	if n := len(r.Notes) - MostListed; n > 0 || len(left) > 0 {
		r.Notes = r.Notes[:min(len(r.Notes), MostListed-1)]
		count(max(n, 0), "note")
		r.Notes = append(r.Notes, Note{Kind: "left-out", Message: fmt.Sprintf("%s more are not listed", phrase.List(left, "and")),
			Fix: "fix what is listed first, or look at fewer programs at once"})
	}
}

// bound cuts a list, and returns how much longer it was.
func bound[T any](list *[]T) int {
	n := max(0, len(*list)-MostListed)
	*list = (*list)[:len(*list)-n]
	return n
}

// boundFindings keeps the findings that changes still name.
func (r *Result) boundFindings() int {
	named, room := map[owned]bool{}, MostListed
	for i := range r.Changes {
		c := &r.Changes[i]
		c.Findings = c.Findings[:min(len(c.Findings), room)]
		room -= len(c.Findings)
		for _, id := range c.Findings {
			named[owned{c.ID, id}] = true
		}
	}
	kept := slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return !named[owned{f.Change, f.ID}] })
	n := len(r.Findings) - len(kept)
	r.Findings = kept
	return n
}
