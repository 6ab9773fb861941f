package gate

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// CheckPart does one part of the work of Check: it measures. No rule judges a part, because what is missing may be in another; Merge joins the parts
// and judges. The verdict of a part is always incomplete.
func CheckPart(ctx context.Context, o Options) (*result.Result, error) {
	list, err := targets(o)
	if err == nil {
		err = cuttable(o, list)
	}
	if err != nil {
		return nil, err
	}
	r, dealer := newResult(o), dump.NewDealer(o.Shard)
	for _, t := range list {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("stopped before target %s: %w", t.Name, err)
		}
		l := &measuredTarget{Target: t}
		r.Targets = append(r.Targets, l.part(ctx, o, dealer))
		r.Problems = append(r.Problems, l.problems...)
	}
	r.Problems = append(r.Problems, result.Problem{
		Rule: "target-ran", Message: fmt.Sprintf("this is part %s of a check: it was measured, and no rule has judged it", o.Shard),
		Fix: "join all parts: xlagate merge part-*.json", Pending: true,
	})
	count(r)
	decide(r, failOn(o))
	return r, nil
}

// cuttable refuses commands: every part would run the command again.
func cuttable(o Options, list []config.Target) error {
	const instead = "dump once (xlagate capture --to DIR -- COMMAND), then check DIR in parts"
	if len(o.Command) > 0 {
		return UsageError{"--shard splits a dump, but every part would run the command by itself; " + instead}
	}
	for _, t := range list {
		if t.Capture != nil && len(o.Dumps) == 0 {
			return UsageError{fmt.Sprintf("--shard splits a dump, but target %s captures one, and every part would do so by itself; %s: --target %s=DIR", t.Name, instead, t.Name)}
		}
	}
	return nil
}

// part measures this machine's part of a target.
func (l *measuredTarget) part(ctx context.Context, o Options, dealer *dump.Dealer) result.Target {
	out := result.Target{Name: l.Name, NotCovered: []string{}, Programs: []result.Program{}, Part: &result.Part{
		Shard: o.Shard.String(), Version: o.Version, Form: facts.ShareForm(), Config: o.Config.Sum, ConfigFile: o.Config.Path,
		Baseline: o.Baseline, Against: o.Against,
	}}
	paths, err := l.paths(ctx, o)
	out.Dump = l.dump
	if err != nil {
		l.fail(err)
		return out
	}
	logs := append(absoluteAll(o.Config.Dir, l.Logs), o.Logs...)
	if out.Part.Facts, err = l.measurePart(ctx, o, dealer, paths, logs); err != nil {
		l.fail(err)
		return out
	}
	if o.Against != "" {
		paths, err := existing(o.Dir, absolute(o.Dir, o.Against))
		if err == nil {
			out.Part.AgainstFacts, err = (&measuredTarget{}).measurePart(ctx, o, dealer, paths, nil)
		}
		if err != nil {
			l.fail(err)
		}
	}
	l.listPart(&out)
	return out
}

// measurePart measures this machine's part of each dump, and packs what it measured.
func (l *measuredTarget) measurePart(ctx context.Context, o Options, dealer *dump.Dealer, paths, logs []string) (string, error) {
	shares, err := MeasureShares(ctx, o, dealer, paths, logs)
	if err != nil {
		return "", err
	}
	packed, err := pack(shares)
	if err != nil {
		return "", err
	}
	l.report = Partial(shares)
	return packed, nil
}

// listPart lists what this part holds, and what of it could not be read.
func (l *measuredTarget) listPart(out *result.Target) {
	l.reportProblems(l.report)
	out.Toolchain, out.Helpers = l.report.Toolchain, len(l.report.Helpers)
	for _, p := range l.included() {
		listed := result.Program{Name: p.Name, Change: "unbased", Variants: []result.Variant{}}
		for _, v := range p.Variants {
			listed.Variants = append(listed.Variants, variant(&diff.Variant{New: v}))
		}
		out.Programs = append(out.Programs, listed)
	}
}

// MeasureShares measures one part of each of several dumps, with logs that are outside of them.
func MeasureShares(ctx context.Context, o Options, dealer *dump.Dealer, paths, logs []string) ([]*facts.Share, error) {
	var shares []*facts.Share
	for _, path := range paths {
		d, err := openDump(ctx, o, path)
		if err != nil {
			return nil, err
		}
		s, err := facts.MeasureShare(ctx, d, o.measuring(path, logs), dealer)
		if err = errors.Join(err, closeDump(ctx, d)); err != nil {
			return nil, err
		}
		shares = append(shares, s)
		logs = nil // they are about the run, and counted once
	}
	return shares, nil
}

// Partial is what one part alone knows of its dumps.
func Partial(shares []*facts.Share) *facts.Report {
	reports := phrase.Map(shares, func(s *facts.Share) *facts.Report { return s.Report() })
	return facts.Merge(reports)
}

// pack turns what a part measured into text.
func pack(shares []*facts.Share) (string, error) {
	data, err := facts.PackShares(shares)
	return base64.StdEncoding.EncodeToString(data), err
}

// joinPacked joins what the parts of one target measured, each dump for itself.
func joinPacked(packed []string) ([]*facts.Report, error) {
	var dumps [][]*facts.Share // by dump, then by part
	for i, text := range packed {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, fmt.Errorf("the facts are damaged: %w", err)
		}
		shares, err := facts.UnpackShares(data)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			dumps = make([][]*facts.Share, len(shares))
		}
		if len(shares) != len(dumps) {
			return nil, fmt.Errorf("one part read %d dumps, another %d", len(dumps), len(shares))
		}
		for d, s := range shares {
			dumps[d] = append(dumps[d], s)
		}
	}
	var reports []*facts.Report
	for _, shares := range dumps {
		r, err := facts.Join(shares)
		if err != nil {
			return nil, err
		}
		reports = append(reports, r)
	}
	return reports, nil
}

// FactsInput is a file of facts, as far as it is merged.
type FactsInput struct {
	File   string                     `json:"-"`
	Schema string                     `json:"schema"`
	Dump   string                     `json:"dump"`
	Parts  []result.Part              `json:"parts"`
	Rest   map[string]json.RawMessage `json:",embed"` // what is not merged
}

// FactsPart is one part of facts, to be merged with the others.
func FactsPart(o Options, s dump.Shard, shares []*facts.Share) (result.Part, error) {
	packed, err := pack(shares)
	return result.Part{Shard: s.String(), Version: o.Version, Form: facts.ShareForm(), Facts: packed}, err
}

// MergeFacts joins parts of facts. If they do not fit together, it returns them, and the report says why.
func MergeFacts(inputs []FactsInput, version string) (*facts.Report, []result.Part, error) {
	var parts []part
	for _, in := range inputs {
		if len(in.Parts) == 0 {
			return nil, nil, UsageError{fmt.Sprintf("%s holds no part of facts, so there is nothing to merge; xlagate facts --shard I/N makes parts", in.File)}
		}
		for _, p := range in.Parts {
			s, _ := dump.ParseShard(p.Shard)
			parts = append(parts, part{Target: result.Target{Part: &p}, shard: s, file: in.File})
		}
	}
	why := whyUnjoinable(Options{Environment: Environment{Version: version}, Request: Request{Config: &config.Config{}}}, parts)
	if why == "" {
		packed := phrase.Map(byTarget(parts)[""], func(p part) string { return p.Part.Facts })
		reports, err := joinPacked(packed)
		if err == nil {
			return facts.Merge(reports), nil, nil
		}
		why = "its parts do not belong together: " + err.Error()
	}
	kept := phrase.Map(byTarget(parts)[""], func(p part) result.Part { return *p.Part })
	return &facts.Report{Dump: inputs[0].Dump, Problems: []facts.Problem{{
		File: inputs[0].Dump, Message: why, Fix: "look at the jobs, and merge the facts of one run only",
	}}}, kept, nil
}
