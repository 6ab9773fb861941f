// Package result is what a gate run found, in the form that is written, merged, rendered and posted: schema xlagate.result/v1.
package result

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Schema names the form.
const Schema = "xlagate.result/v1"

// Result is one gate run.
type Result struct {
	Schema   string     `json:"schema"`
	Tool     Tool       `json:"tool"`
	Origin   *Origin    `json:"origin,omitempty"` // absent outside of GitHub Actions
	Verdict  string     `json:"verdict"`          // pass | fail | incomplete
	ExitCode int        `json:"exit_code"`
	Summary  Summary    `json:"summary"`
	Targets  []Target   `json:"targets"`
	Changes  []Change   `json:"changes"`  // worst first, then by price
	Findings []Finding  `json:"findings"` // worst first
	Problems []Problem  `json:"problems,omitempty"`
	Notes    []Note     `json:"notes,omitempty"`    // improvements and other things worth knowing that cannot fail
	Headroom []Headroom `json:"headroom,omitempty"` // how much of each budget is used
	Partial  *Partial   `json:"partial,omitempty"`  // of a check of some of the targets: --target NAME
	Policy   *Policy    `json:"policy,omitempty"`   // what the base branch says; absent outside of a pull request
}

// Open lists the changes that wait for a decision: those that break a rule and are not waived, worst first.
func (r *Result) Open() []*Change {
	return phrase.Pick(r.Changes, func(c *Change) bool { return len(c.Findings) > 0 && !c.Waived })
}

// Holds reports whether a change or a finding has an id.
func (r *Result) Holds(id string) bool {
	return slices.ContainsFunc(r.Changes, func(c Change) bool { return c.ID == id }) || slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Is(id) })
}

// Is reports whether an id is that of a finding or of its change.
func (f *Finding) Is(id string) bool {
	return id != "" && (f.ID == id || f.Change == id || slices.Contains(f.Also, id))
}

// Excess returns by how much a finding is over its limit, below zero where it is under one; 0 where nothing is counted.
func (f *Finding) Excess() float64 {
	actual, _ := f.Actual.(float64)
	limit, _ := f.Limit.(float64)
	return actual - limit
}

// OptionsOf returns the options with which the changes of a target are accepted.
func (r *Result) OptionsOf(target string) []string {
	for i := range r.Targets {
		if r.Targets[i].Name == target || target == "" {
			return r.Targets[i].Options
		}
	}
	return nil
}

// SetOptions sets the options with which the changes of a result are accepted.
func (r *Result) SetOptions(options []string) {
	for i := range r.Targets {
		r.Targets[i].Options = options
	}
	for i := range r.Changes {
		if c := &r.Changes[i]; c.Accept != "" {
			c.Accept = AcceptCommand(options, c.ID)
		}
	}
}

// DropFixes removes the commands of notes and problems. Whoever wrote the result chose them.
func (r *Result) DropFixes() {
	for i := range r.Notes {
		r.Notes[i].Fix = ""
	}
	for i := range r.Problems {
		r.Problems[i].Fix = ""
	}
}

// Broken returns a function that reports whether an open change is in a program of a target.
func (r *Result) Broken() func(target, program string) bool {
	broken := map[[2]string]bool{}
	for _, c := range r.Open() {
		for _, name := range c.Programs() {
			broken[[2]string{c.Target, name}] = true
		}
	}
	return func(target, program string) bool { return broken[[2]string{target, program}] }
}

// Tool is the program that made the result.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Origin is the gate and the commit that a job of GitHub Actions judged.
type Origin struct {
	Repository string `json:"repository"` // OWNER/NAME
	Key        string `json:"key"`        // of the gate, where a repository has several
	Head       string `json:"head"`       // of the pull request; outside of one, what was checked out
	Run        int64  `json:"run"`
}

// Summary counts the changes that break a rule by their level, and what was checked.
type Summary struct {
	Changes  int `json:"changes"` // all, with those that break nothing
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
	Waived   int `json:"waived"`
	Checks   int `json:"checks"` // how many times a rule checked something
	Targets  int `json:"targets"`
	Programs int `json:"programs"`
}

// Target is one dump that was checked.
type Target struct {
	Name      string          `json:"name"`
	Dump      string          `json:"dump"`
	Baseline  string          `json:"baseline,omitempty"` // what it was compared with
	Toolchain facts.Toolchain `json:"toolchain"`
	Base      facts.Toolchain `json:"base_toolchain,omitzero"`
	Device    string          `json:"device,omitempty"` // that prices are for, by its name in the table of devices
	// DeviceAssumed says that neither the configuration nor the dump names the device: it is the reference of its kind.
	DeviceAssumed bool      `json:"device_assumed,omitempty"`
	NotCovered    []string  `json:"not_covered"`
	Programs      []Program `json:"programs"`
	// Graphs are the facts of TensorFlow's graphs: clusters.count, clusters.clustered_ops, …; absent when autoclustering did not run.
	Graphs  facts.Values `json:"graphs,omitempty"`
	Helpers int          `json:"helpers"`            // one-op helper modules left out
	LeftOut []string     `json:"left_out,omitempty"` // programs that the rule file leaves out
	// RuleFile is the configuration's path from the top of the repository; absent where it is outside of one.
	RuleFile string `json:"rule_file,omitempty"`
	// Options are those of check that accept needs too: the rule file, where it is not the one that is found without, and the baseline.
	Options []string `json:"options,omitempty"`
}

// Partial is what a check of some of the targets leaves to xlagate merge: what only all of them together can say.
type Partial struct {
	Config    string   `json:"config"`    // the SHA-256 of the configuration
	Unmatched []string `json:"unmatched"` // the places of the rules that match no program of these targets
}

// Program is one function of the model.
type Program struct {
	Name     string    `json:"name"`
	Was      string    `json:"was,omitempty"` // its name in the baseline, where that is another one
	Change   string    `json:"change"`        // same | changed | added | removed | unbased
	Variants []Variant `json:"variants"`
	// Accept is the program's baseline as accepting everything would write it, so that `accept --from` needs only the result.
	Accept Later `json:"accept,omitzero"`
}

// Variant is one compilation of a program.
type Variant struct {
	Signature   string       `json:"signature"`
	Was         string       `json:"was,omitempty"` // the signature of the baseline's matching variant, where it is another
	Modules     []string     `json:"modules"`
	Fingerprint string       `json:"fingerprint"`
	Unstable    []string     `json:"unstable"`
	Facts       facts.Values `json:"facts"`
	Base        facts.Values `json:"base,omitempty"` // the facts of the baseline's matching variant
}

// Change is one thing that somebody did, with its price, all of its effects and the findings that came of it. People read, accept and waive
// changes.
type Change struct {
	ID       string   `json:"id"`             // 12 hex digits of a hash of target, program (the first by name), kind and place
	Also     []string `json:"also,omitempty"` // the ids of the other changes that it is where git does not know what was edited
	Level    string   `json:"level"`          // error | warning | info | better: the worst of its findings; without one, whether it saves or not
	Target   string   `json:"target"`
	Program  string   `json:"program"`  // if one edit is in several, the one that it costs most
	Variants []string `json:"variants"` // the signatures of the variants that it is in
	Others   []Other  `json:"others,omitempty"`
	Edit
	Price    Price    `json:"price"`
	Effects  []Effect `json:"effects"`
	Evidence Evidence `json:"evidence,omitzero"`
	Findings []string `json:"findings"` // by id, in the order of the result's
	Decision
}

// Edit is what was done to the model, or what happened to it, and where.
type Edit struct {
	Kind    string   `json:"kind"`
	Title   string   `json:"title"`
	Details []string `json:"details,omitempty"` // more sentences on what was done
	OpName  string   `json:"op_name,omitempty"` // the model's own name of the operation
	Source  Source   `json:"source,omitzero"`
}

// Decision is what can be done about a change, or was.
type Decision struct {
	Accept string  `json:"accept,omitempty"` // the command that accepts it
	Waived bool    `json:"waived"`
	Waiver *Waiver `json:"waiver,omitempty"`
}

// ID is the id of a change or a finding that a text identifies: 12 hex digits.
func ID(text string) string { return fmt.Sprintf("%.6x", sha256.Sum256([]byte(text))) }

// AcceptCommand is what to type to accept changes, without ids all of them. The options are those of check that accept needs too.
func AcceptCommand(options []string, ids ...string) string {
	line := "xlagate accept"
	if len(ids) > 0 {
		line += " --only " + strings.Join(ids, ",")
	}
	line += " --reason \"why\" " + phrase.Shell(options)
	return strings.TrimSpace(line)
}

// Other is another program that the edit behind a change is in, with what it adds to that.
type Other struct {
	Program  string   `json:"program"`
	Variants []string `json:"variants"`
	Price    Price    `json:"price"`
}

// Programs lists the programs that a change is in, the one that it costs most first.
func (c *Change) Programs() []string {
	return append([]string{c.Program}, phrase.Map(c.Others, func(o Other) string { return o.Program })...)
}

// IsIn reports whether a change is in a program of a target.
func (c *Change) IsIn(target, program string) bool {
	return c.Target == target && slices.Contains(c.Programs(), program)
}

// Price is what a change adds to a run; what it saves is below zero.
type Price struct {
	StepNS       float64 `json:"step_ns"` // predicted
	LowNS        float64 `json:"low_ns"`  // the ends between which it is expected
	HighNS       float64 `json:"high_ns"`
	StepWasNS    float64 `json:"step_was_ns,omitempty"` // of the program's whole step before the change
	PeakBytes    float64 `json:"peak_bytes"`            // at the peak, in the device's memory
	Compilations int     `json:"compilations"`          // how many more than before
}

// Effect is one fact that a change moved.
type Effect struct {
	Fact facts.ID `json:"fact"`
	Was  float64  `json:"was"`
	Is   float64  `json:"is"`
}

// Finding is one limit that was broken.
type Finding struct {
	ID             string   `json:"id"`               // 12 hex digits of a hash of rule, target, program and subject
	Change         string   `json:"change"`           // the id of the change that it belongs to
	Also           []string `json:"also,omitempty"`   // the ids of the changes that break the same limit where git does not know what was edited, and are this change
	Shared         []string `json:"shared,omitempty"` // the ids of other changes that break the same limit there
	Rule           string   `json:"rule"`
	Name           string   `json:"name,omitempty"` // the rule's name in the configuration
	Level          string   `json:"level"`          // error | warning | info
	Target         string   `json:"target"`
	Program        string   `json:"program"`
	Variant        string   `json:"variant,omitempty"`
	Was            string   `json:"was,omitempty"`     // the signature of the variant in the baseline, if it is another
	Subject        string   `json:"subject,omitempty"` // what the rule checked: a fact, a fusion's name, a parameter
	Message        string   `json:"message"`
	Reason         string   `json:"reason,omitempty"` // why the rule is in the configuration
	Actual         any      `json:"actual,omitempty"`
	Limit          any      `json:"limit,omitempty"`
	Baseline       any      `json:"baseline,omitempty"`
	Unit           string   `json:"unit,omitempty"`  // "bytes" or ""
	Bound          *Bound   `json:"bound,omitempty"` // the limit that is still broken after the finding is accepted; absent where accepting settles it
	Waived         bool     `json:"waived"`
	Waiver         *Waiver  `json:"waiver,omitempty"`
	AddsNS         float64  `json:"adds_ns,omitempty"` // of a limit on the step: what the change adds to the step
	WithinBaseline float64  `json:"-"`                 // the most that the comparison with the baseline allows; 0 without one
	Unsure         string   `json:"-"`                 // the level of growth that is not sure; "" where nothing says how sure it is
}

// Bound is a limit of the configuration that needs no baseline.
type Bound struct {
	Place   string `json:"place"`             // of the entry: file:line:column
	Key     string `json:"key"`               // max, min, equal, or an option of the rule's own
	Needs   any    `json:"needs,omitempty"`   // the number, or the list in YAML, with which it holds
	Written bool   `json:"written,omitempty"` // accepting everything writes that number
}

// Source is a place in the model.
type Source struct {
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Function string `json:"function,omitempty"`
	Text     string `json:"text,omitempty"`   // the line itself, where the file is there
	Edited   bool   `json:"edited,omitempty"` // git says that the line was edited
}

// Evidence holds the lines that prove a change, before and after.
type Evidence struct {
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
}

// Waiver is the permission that a change or a finding was given.
type Waiver struct {
	Reason  string `json:"reason"`
	Owner   string `json:"owner"`
	Expires string `json:"expires"`
}

// Problem is something that could not be checked; any makes the result incomplete.
type Problem struct {
	Target  string `json:"target,omitempty"`
	Rule    string `json:"rule,omitempty"`
	File    string `json:"file,omitempty"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
	Settled bool   `json:"-"`                 // accepting the dump settles it
	Pending bool   `json:"pending,omitempty"` // it holds as long as results are missing: `xlagate merge` says it anew, or no more
}

// Note is worth knowing, but neither good nor bad enough to be a finding.
type Note struct {
	Kind    string `json:"kind"` // better | lost | upgrade | numerics | slack | headroom | bisect | stale | places | device | left-out
	Target  string `json:"target,omitempty"`
	Program string `json:"program,omitempty"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
}

// Headroom is the use of one budget.
type Headroom struct {
	Target  string  `json:"target"`
	Program string  `json:"program"`
	Rule    string  `json:"rule"`
	Key     string  `json:"key,omitempty"` // max, or max_increase: then the limit is what that allows over the baseline
	Subject string  `json:"subject,omitempty"`
	Actual  float64 `json:"actual"`
	Limit   float64 `json:"limit"`
	Base    float64 `json:"baseline,omitempty"`
	Unit    string  `json:"unit,omitempty"`
}

// Policy is what the base branch of a pull request says of the same facts, and how the pull request changes what it is judged by.
type Policy struct {
	Base  string       `json:"base"`            // as people know it: "main@91ab03d"
	Files []PolicyFile `json:"files,omitempty"` // the rule files that the pull request changes
	Flags []string     `json:"flags,omitempty"` // what the command line of the check says in place of its rule file: "--fail-on never"
	// Accepts are the programs whose accepted facts the pull request replaces.
	Accepts []Acceptance `json:"accepts,omitempty"`
	// Accepted is what only the base branch finds and the pull request's baseline accepts, and Loosened what its baseline does not accept either: its own
	// rules let it pass.
	Accepted []Dispute `json:"accepted,omitempty"`
	Loosened []Dispute `json:"loosened,omitempty"`
	// AcceptedChanges and LoosenedChanges count the changes by which the base branch fails the pull request.
	AcceptedChanges int  `json:"accepted_changes"`
	LoosenedChanges int  `json:"loosened_changes"`
	Own             bool `json:"own,omitempty"`   // the base branch says "policy: own": the pull request's rules decide
	First           bool `json:"first,omitempty"` // the base branch has no rule file at all: nothing of it could be loosened
}

// PolicyFile is a rule file that a pull request changes.
type PolicyFile struct {
	Name string `json:"name,omitempty"` // absent where the pull request removes it
	Was  string `json:"was,omitempty"`  // the file that judges on the base branch; absent where none does
	Diff string `json:"diff,omitempty"` // unified
}

// Dispute is a finding of the base branch alone. What it could not check is an error without ids.
type Dispute struct {
	ID      string `json:"id,omitempty"`
	Change  string `json:"change,omitempty"`
	Rule    string `json:"rule"`
	Level   string `json:"level"`
	Target  string `json:"target"`
	Program string `json:"program,omitempty"`
	Message string `json:"message"`
}

// SameAs reports whether another dispute is about the same limit, whatever was found there.
func (d Dispute) SameAs(other Dispute) bool {
	return d.ID == other.ID && d.Target == other.Target && (d.ID != "" || d.Message == other.Message)
}

// Acceptance is a program whose accepted facts a pull request replaces.
type Acceptance struct {
	Target  string `json:"target"`
	Program string `json:"program"`
	Reason  string `json:"reason,omitempty"`
	Removed bool   `json:"removed,omitempty"` // nothing is compared with the facts any more
}

// Add adds what the base branch says by another rule file.
func (p *Policy) Add(more *Policy) {
	p.Files, p.Flags = append(p.Files, more.Files...), append(p.Flags, more.Flags...)
	p.Accepts, p.Accepted, p.Loosened = append(p.Accepts, more.Accepts...), append(p.Accepted, more.Accepted...), append(p.Loosened, more.Loosened...)
	p.AcceptedChanges += more.AcceptedChanges
	p.LoosenedChanges += more.LoosenedChanges
	p.Own, p.First = p.Own && more.Own, p.First || more.First
}

// Unreviewed reports whether a rule file judges that the base branch, which has others, does not have.
func (p *Policy) Unreviewed() bool {
	return !p.First && slices.ContainsFunc(p.Files, func(f PolicyFile) bool { return f.Was == "" })
}

// Same reports whether the pull request changes nothing in what it is judged by, and the base branch says the same.
func (p *Policy) Same() bool {
	return len(p.Files)+len(p.Flags)+len(p.Accepts)+len(p.Accepted)+len(p.Loosened) == 0
}

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

// TrendSchema names the form of a trend.
const TrendSchema = "xlagate.trend/v1"

// Trend is how what was accepted went, commit by commit.
type Trend struct {
	Schema   string        `json:"schema"`
	Baseline string        `json:"baseline"`
	Since    string        `json:"since,omitempty"`
	Commits  []TrendCommit `json:"commits"` // those that changed the baseline, the oldest first
	Series   []TrendSeries `json:"series"`
}

// TrendCommit is a commit that changed the baseline. The last may be what is not committed yet, without a name.
type TrendCommit struct {
	Commit  string `json:"commit,omitempty"`
	Date    string `json:"date,omitempty"` // day of the commit
	Subject string `json:"subject"`
	Unread  string `json:"unread,omitempty"` // why the baseline in it could not be read
}

// TrendSeries is one fact of one program.
type TrendSeries struct {
	Target  string       `json:"target"`
	Program string       `json:"program"`
	Fact    string       `json:"fact"`
	Unit    string       `json:"unit,omitempty"`
	Limit   float64      `json:"limit,omitempty"` // that the configuration sets today; 0: none
	Points  []TrendPoint `json:"points"`          // where it was accepted first, and where it changed
}

// TrendPoint is a value that was accepted.
type TrendPoint struct {
	At     int     `json:"at"` // index into the commits
	Value  float64 `json:"value"`
	Reason string  `json:"reason,omitempty"` // given when it was accepted
	Gone   bool    `json:"gone,omitempty"`   // the program, or the fact, is in the baseline no more
}

// Later is a text that is made when it is first read. Only JSON shows what accept would write: for 2,000 programs that is a sixth of the work of
// a check, which other formats do without.
type Later struct{ make func() []byte }

// LaterText returns the text that a function makes.
func LaterText(text func() []byte) Later { return Later{text} }

// Text returns the text, which must stay as it is. The zero Later has none.
func (l Later) Text() []byte {
	if l.make == nil {
		return nil
	}
	return l.make()
}

// IsZero reports whether there is no text.
func (l Later) IsZero() bool { return l.make == nil }

// Equal reports whether both make the same text.
func (l Later) Equal(other Later) bool { return bytes.Equal(l.Text(), other.Text()) }

// MarshalText returns the text.
func (l Later) MarshalText() ([]byte, error) { return l.Text(), nil }

// UnmarshalText takes a text that is there.
func (l *Later) UnmarshalText(text []byte) error {
	*l = Later{}
	if text = bytes.Clone(text); len(text) > 0 {
		l.make = func() []byte { return text }
	}
	return nil
}

// WithoutAccept returns a copy of a result that does not say what accepting everything would write.
func (r *Result) WithoutAccept() *Result {
	out := *r
	out.Targets = slices.Clone(r.Targets)
	for i := range out.Targets {
		t := &out.Targets[i]
		t.Programs = slices.Clone(t.Programs)
		for k := range t.Programs {
			t.Programs[k].Accept = Later{}
		}
	}
	return &out
}

// JSONSchema describes a result.
func JSONSchema() (*jsonschema.Schema, error) {
	s, err := jsonschema.For[Result](&jsonschema.ForOptions{
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{
			reflect.TypeFor[facts.Values](): {Ref: "#/$defs/facts"},
			reflect.TypeFor[Later]():        {Type: "string"},
		},
	})
	if err == nil {
		of := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Type: "number"}}
		for _, f := range facts.Table {
			if !strings.Contains(string(f.ID), "*") {
				of.Properties[string(f.ID)] = &jsonschema.Schema{Type: "number", Description: f.Doc}
			}
		}
		s.Defs = map[string]*jsonschema.Schema{"facts": of}
	}
	return s, err
}
