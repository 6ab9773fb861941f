package gate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// unread returns a problem for each input that holds no result.
func unread(inputs []Input) []result.Problem {
	var out []result.Problem
	for _, in := range inputs {
		if in.Unread != nil {
			out = append(out, result.Problem{Rule: "target-ran", File: in.Unread.File, Message: in.Unread.Message, Fix: in.Unread.Fix, Pending: true})
		}
	}
	return out
}

// doubled finds targets that are in two results: one would hide the other.
func doubled(inputs []Input) []result.Problem {
	var out []result.Problem
	first := map[string]string{}
	inParts := map[string]string{}
	for _, in := range withResult(inputs) {
		for _, t := range in.Targets {
			if t.Part != nil {
				inParts[t.Name] = in.File
			} else if other, twice := first[t.Name]; twice {
				out = append(out, pending(t.Name, fmt.Sprintf("it is in %s and in %s: one would hide the other", other, in.File)))
			} else {
				first[t.Name] = in.File
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(inParts)) {
		if other, twice := first[name]; twice {
			out = append(out, pending(name, fmt.Sprintf("it is whole in %s, and a part of it in %s", other, inParts[name])))
		}
	}
	return out
}

// unjoinable finds parts that cannot be joined: some are missing or there twice, or they are not of one run.
func unjoinable(o Options, parts []part) []result.Problem {
	groups, names := byTarget(parts), map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		if why := misfit(o, groups[name]); why != "" {
			names[why] = append(names[why], name)
		}
	}
	var out []result.Problem
	for _, why := range slices.Sorted(maps.Keys(names)) {
		out = append(out, said(names[why], why))
	}
	return out
}

// said makes one problem for all targets with the same reason.
func said(targets []string, why string) result.Problem {
	p := pending(targets[0], why)
	if more := len(targets) - 1; more > 0 {
		p.Target, p.Message = "", fmt.Sprintf("target %s, and %d more: %s", targets[0], more, why)
	}
	return p
}

// misfit returns why the parts of one target cannot be joined, "" when they can.
func misfit(o Options, parts []part) string {
	var found []dump.ShardFound
	for _, p := range parts {
		if p.shard.Whole() {
			return fmt.Sprintf("%s says that it is part %q, which is none", p.file, p.Part.Shard)
		}
		if why := foreign(o, &p, &parts[0]); why != "" {
			return why
		}
		found = append(found, dump.ShardFound{Shard: p.shard, File: p.file})
	}
	if why := dump.ShardComplaint(found); why != "" {
		return "it " + why
	}
	return ""
}

// foreign returns why a part is of another run than the first, or cannot be judged here; "" where neither holds.
func foreign(o Options, p, first *part) string {
	switch {
	case p.Part.Version != o.Version || p.Part.Form != facts.ShareForm():
		return fmt.Sprintf("%s was measured by another xlagate (%s) than this one (%s): use one for all", p.file, p.Part.Version, o.Version)
	case o.Config == nil:
		return "parts are judged by their configuration, and there is none here: -c xlagate.yaml"
	case p.Part.Config != o.Config.Sum:
		return fmt.Sprintf("%s was measured under another configuration: %s is not %s, or was changed in between", p.file, p.Part.ConfigFile, o.Config.Path)
	case p.Part.Baseline != first.Part.Baseline:
		return fmt.Sprintf("%s is to be held against the baseline %q, %s against %q", first.file, first.Part.Baseline, p.file, p.Part.Baseline)
	case p.Part.Against != first.Part.Against:
		return fmt.Sprintf("%s is compared with the dump %q, %s with %q", first.file, first.Part.Against, p.file, p.Part.Against)
	}
	return ""
}

// absent finds targets that are declared and in none of the results.
func absent(cfg *config.Config, inputs []Input) []result.Problem {
	if cfg == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, in := range withResult(inputs) {
		for _, t := range in.Targets {
			seen[t.Name] = true
		}
	}
	var out []result.Problem
	for _, t := range cfg.Targets {
		if !seen[t.Name] {
			out = append(out, pending(t.Name, fmt.Sprintf("it (%s) is in none of the results: its job did not run or did not upload", t.Place)))
		}
	}
	return out
}

// withResult leaves out what could not be read.
func withResult(inputs []Input) []Input {
	return slices.DeleteFunc(slices.Clone(inputs), func(in Input) bool { return in.Unread != nil })
}
