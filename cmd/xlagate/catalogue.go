package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/ruledoc"
	"github.com/xlagate/xlagate/internal/suggest"
	"github.com/xlagate/xlagate/rules"
)

func rulesCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name: "rules", Usage: "the catalogue of rules", Category: reference, Flags: outputFlags(&to, report.ViewFormats()),
		Action: func(c *cli.Context) error {
			return writeAll(c, w, orText(to.list), func(out output, o report.Options, dst writer) error {
				return report.Rules(dst, ruledoc.All(), out.format, o)
			})
		},
	}
}

func explainCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name: "explain", Usage: "why a rule exists, what it reads, an example, how to mend", ArgsUsage: "RULE|FINDING", Category: reference,
		Flags: append(outputFlags(&to, report.ViewFormats()), &cli.StringFlag{Name: "from", Usage: "the result `FILE` in which the finding stands", Value: "xlagate-result.json"}),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return wrongUsage("explain takes one rule or one finding's id; `xlagate rules` lists the rules")
			}
			name := c.Args().First()
			if rule := rules.ByID(name); rule != nil {
				return writeAll(c, w, orText(to.list), func(out output, o report.Options, dst writer) error {
					return report.Explain(dst, ruledoc.Of(rule), out.format, o)
				})
			}
			f, err := findingOf(c, w, name)
			if err != nil {
				return err
			}
			return writeAll(c, w, orText(to.list), func(out output, o report.Options, dst writer) error {
				return report.ExplainFinding(dst, f, ruledoc.ByID(f.Rule), out.format, o)
			})
		},
	}
}

// findingOf finds a finding by its id in a result.
func findingOf(c *cli.Context, w world, id string) (*result.Finding, error) {
	if len(id) != 12 || strings.Trim(id, "0123456789abcdef") != "" {
		return nil, wrongUsage("there is no rule %q%s (`xlagate rules` lists them)", id, suggest.DidYouMean(id, rules.IDs()))
	}
	r, err := readResult(w, c.String("from"))
	if err != nil && !c.IsSet("from") {
		return nil, wrongUsage("to explain a finding, name the result it stands in: xlagate explain %s --from result.json", id)
	}
	if err != nil {
		return nil, incomplete(w, err)
	}
	for i := range r.Findings {
		if r.Findings[i].ID == id {
			return &r.Findings[i], nil
		}
	}
	return nil, wrongUsage("%s holds no finding %s", c.String("from"), id)
}
