package gate

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// FactsInput is a file of facts, as far as it is merged.
type FactsInput struct {
	File   string        `json:"-"`
	Schema string        `json:"schema"`
	Dump   string        `json:"dump"`
	Parts  []result.Part `json:"parts"`
}

// FactsPart is one part of facts, to be merged with the others.
func FactsPart(o Options, s dump.Shard, shares []*facts.Share) (result.Part, error) {
	packed, err := pack(shares)
	return result.Part{Shard: s.String(), Version: o.Version, Form: facts.ShareForm(), Facts: packed}, err
}

// MergeFacts joins parts of facts. As long as they do not join, they are given back, and the report says why.
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
	why := misfit(Options{Environment: Environment{Version: version}, Request: Request{Config: &config.Config{}}}, parts)
	if why == "" {
		var packed []string
		for _, p := range byTarget(parts)[""] {
			packed = append(packed, p.Part.Facts)
		}
		reports, err := joinPacked(packed)
		if err == nil {
			return facts.Merge(reports), nil, nil
		}
		why = "its parts do not join: " + err.Error()
	}
	var kept []result.Part
	for _, p := range byTarget(parts)[""] {
		kept = append(kept, *p.Part)
	}
	return &facts.Report{Dump: inputs[0].Dump, Problems: []facts.Problem{{
		File: inputs[0].Dump, Message: why, Fix: "look at the jobs, and merge the facts of one run only",
	}}}, kept, nil
}
