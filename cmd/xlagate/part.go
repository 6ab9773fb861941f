package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
)

func shardFlag() cli.Flag {
	return &cli.StringFlag{Name: "shard", Usage: "measure part `I/N` of the modules, I from 0 to N-1; xlagate merge joins the parts"}
}

// chosenShard reads --shard. Without it the shard is the whole.
func chosenShard(c *cli.Context) (dump.Shard, error) {
	if !c.IsSet("shard") {
		return dump.Shard{}, nil
	}
	s, err := dump.ParseShard(c.String("shard"))
	if err != nil {
		return s, wrongUsage("--shard %s", err)
	}
	return s, nil
}

// checkPart measures one part of a check. The exit code says whether the part could be measured; merging the parts gives the verdict.
func checkPart(c *cli.Context, w world, list []output, o gate.Options) error {
	if !slices.ContainsFunc(list, func(out output) bool { return out.format == "json" }) {
		return wrongUsage("--shard %s makes a part of a result, and nothing would be kept of it; write it with -f json -o part-%d.json", o.Shard, o.Shard.Index)
	}
	r, err := gate.CheckPart(c.Context, o)
	if err != nil {
		return err
	}
	err = writeAll(c, w, list, func(out output, o report.Options, dst io.Writer) error {
		return report.Result(dst, r, out.format, o)
	})
	if err != nil {
		return err
	}
	unread := slices.DeleteFunc(slices.Clone(r.Problems), func(p result.Problem) bool { return p.Pending })
	if len(unread) > 0 {
		sayProblems(w, "part "+o.Shard.String(), unread)
		return verdict(gate.ExitIncomplete)
	}
	if !c.Bool("quiet") && !toScreen(list) {
		fmt.Fprintf(w.out, "part %s: %s measured; xlagate merge joins the parts and judges\n", o.Shard, phrase.Some(r.Summary.Programs, "program"))
	}
	return nil
}
