package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/rules"
)

func rulesCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name: "rules", Usage: "list the rules", Category: aboutTool, Flags: outputFlags(&to, report.Rules.Names()),
		Action: func(c *cli.Context) error {
			return write(c, w, to.list, phrase.Map(rules.All.IDs(), rules.All.Doc), report.Rules)
		},
	}
}

func explainCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name: "explain", Usage: "say why a rule exists, what it reads, and how to fix what it finds; or show one change", ArgsUsage: "RULE|CHANGE|FINDING", Category: aboutTool,
		Flags: append(outputFlags(&to, report.Rules.Names()), &cli.StringFlag{Name: "from", Usage: "the result `FILE` that holds the change (default: the last check's)"}),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return wrongUsage("explain takes one rule, or the id of one change or finding; `xlagate rules` lists the rules")
			}
			name := c.Args().First()
			if rule := rules.All.ByID(name); rule != nil {
				return write(c, w, to.list, rule.Doc(), report.Explain)
			}
			r, change, err := changeOf(c, w, name)
			if err != nil {
				return err
			}
			var docs []result.RuleDoc // of each rule that the change breaks
			broken := phrase.Filter(r.Findings, func(f result.Finding) bool { return f.Change == change.ID })
			for _, same := range phrase.Group(broken, func(f result.Finding) string { return f.Rule }) {
				docs = append(docs, rules.All.Doc(same[0].Rule))
			}
			return writeAll(c, w, orText(to.list), func(out output, o report.Options, dst io.Writer) error {
				o.All = true
				return report.ExplainChange(dst, r, change, docs, out.format, o)
			})
		},
	}
}

// changeOf finds a change by its id, or by the id of one of its findings. The start of an id is enough where no other begins so.
func changeOf(c *cli.Context, w world, id string) (*result.Result, *result.Change, error) {
	const minID = 4 // the shortest start of an id that is taken for one
	isID := strings.Trim(id, "0123456789abcdef") == ""
	if isID && len(id) < minID {
		return nil, nil, wrongUsage("%q is too short for an id; give at least %d digits of it", id, minID)
	}
	if len(id) > 12 || !isID {
		return nil, nil, wrongUsage("there is no rule %q%s (`xlagate rules` lists them)", id, phrase.DidYouMean(id, rules.All.IDs()))
	}
	from := c.String("from")
	r, err := resultOr(w, from)
	switch {
	case err != nil:
		return nil, nil, incomplete(w, err)
	case r == nil:
		return nil, nil, notKept(id)
	}
	begins := func(whole string) bool { return strings.HasPrefix(whole, id) }
	found := phrase.Pick(r.Changes, func(change *result.Change) bool {
		isOf := func(f result.Finding) bool {
			return f.Change == change.ID && (begins(f.ID) || slices.ContainsFunc(f.Also, begins))
		}
		return begins(change.ID) || slices.ContainsFunc(r.Findings, isOf)
	})
	switch {
	case len(found) == 1:
		return r, found[0], nil
	case len(found) > 1:
		return nil, nil, wrongUsage("%s begins the ids of %d changes, such as %s and %s", id, len(found), found[0].ID, found[1].ID)
	case from != "":
		return nil, nil, wrongUsage("%s holds no change and no finding %s", from, id)
	}
	return nil, nil, notKept(id)
}

func notKept(id string) error {
	return wrongUsage("the last result does not have %s; run xlagate check again, or name a result: xlagate explain %s --from result.json", id, id)
}

// released is the version of a release build, set by the linker.
var released string

// nextRelease is the version that is worked on.
const nextRelease = "0.1.0"

// version is that of the release; of a build from sources the next one with the commit: "0.1.0-dev+9636b3b".
func version() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return nextRelease + "-dev"
	}
	of := strings.Split(info.Main.Version, "-") // v0.0.0-20261128143102-0c2794943cf9 of a commit without a tag
	if len(of) < 3 {
		return strings.TrimPrefix(info.Main.Version, "v")
	}
	return fmt.Sprintf("%s-dev+%.7s", nextRelease, of[len(of)-1])
}

func versionCommand(w world) *cli.Command {
	return &cli.Command{Name: "version", Usage: "print the version", Category: aboutTool, Action: func(*cli.Context) error {
		return printVersion(w.out)
	}}
}

func printVersion(out io.Writer) error {
	_, err := fmt.Fprintf(out, "xlagate %s\n", version())
	return err
}

// schemaNames lists the files that have a JSON Schema.
var schemaNames = []string{"config", "result", "baseline"}

func schemaCommand(w world) *cli.Command {
	return &cli.Command{
		Name: "schema", Usage: "print the JSON Schema of the configuration, a result or a baseline", ArgsUsage: "config|result|baseline", Category: aboutTool,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 || !slices.Contains(schemaNames, c.Args().First()) {
				return wrongUsage("there is no schema %q; there are %s", c.Args().First(), strings.Join(schemaNames, ", "))
			}
			data, err := schemaOf(c.Args().First())
			if err != nil {
				return err
			}
			_, err = w.out.Write(data)
			return err
		},
	}
}

func schemaOf(name string) ([]byte, error) {
	s, err := config.Schema(rules.All), error(nil)
	switch name {
	case "result":
		s, err = result.JSONSchema()
	case "baseline":
		s, err = baseline.JSONSchema()
	}
	if err != nil {
		return nil, fmt.Errorf("make the schema of %s: %w", name, err)
	}
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", "xlagate "+name // the dialect that editors and validators agree on
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("write the schema of %s: %w", name, err)
	}
	var b bytes.Buffer
	wrapJSON(&b, data, "")
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// wrapJSON writes a value of JSON. An object that is longer than a line has a line for each key, and a list as many as it needs.
func wrapJSON(b *bytes.Buffer, value []byte, indent string) {
	const width = 160
	if len(indent)+len(value) <= width || value[0] != '{' && value[0] != '[' {
		b.Write(value)
		return
	}
	d := json.NewDecoder(bytes.NewReader(value))
	_, _ = d.Token() // the bracket; encoding/json wrote the value, so that none of this can fail
	b.WriteByte(value[0])
	left := 0 // in the line
	for isFirst := true; d.More(); isFirst = false {
		var key, member json.RawMessage
		if value[0] == '{' {
			name, _ := d.Token()
			key, _ = json.Marshal(name)
			key = append(key, ':')
		}
		_ = d.Decode(&member)
		if !isFirst {
			b.WriteByte(',')
		}
		if left -= len(member) + 1; left < 0 || key != nil {
			b.WriteString("\n " + indent)
			left = width - len(indent) - len(member) - 2
		}
		b.Write(key)
		wrapJSON(b, member, indent+" ")
	}
	b.WriteString("\n" + indent)
	b.WriteByte(value[len(value)-1])
}
