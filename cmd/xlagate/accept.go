package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/github"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
)

func acceptCommand(w world) *cli.Command {
	return &cli.Command{
		Name:      "accept",
		Usage:     "refresh the baseline after an intended change",
		ArgsUsage: "[DUMP…] [-- COMMAND…]",
		Category:  theGate,
		Description: "xlagate accept --reason \"bigger batch\"             the dump whole\n" +
			"xlagate accept --only 3fa91c02b7d1 --reason \"why\"    one change of the last check, up to what it costs now\n" +
			"xlagate accept --from result.json                  the result of CI, without a dump\n" +
			"xlagate accept -i                                  show each change and ask",
		Flags: append(append(configFlags(), pullRequestFlags()...),
			&cli.StringSliceFlag{Name: "only", Usage: "allow the changes with these `IDS`, separated by commas, up to what they cost now"},
			&cli.StringFlag{Name: "reason", Usage: "why the change is right: `TEXT` stands in the baseline"},
			&cli.BoolFlag{Name: "tighten", Usage: "record only what got better, and lower the budgets to it, with some room"},
			&cli.StringFlag{Name: "from", Usage: "take facts and changes from a result `FILE`"},
			&cli.BoolFlag{Name: "interactive", Aliases: []string{"i"}, Usage: "show each change at the terminal and ask what to do with it"},
		),
		Action: func(c *cli.Context) error {
			only := ids(c.StringSlice("only"))
			if c.IsSet("only") && len(only) == 0 {
				return wrongUsage("--only is empty; leave it out to accept all, or give ids as `xlagate check` prints them")
			}
			if at := slices.IndexFunc(only, func(id string) bool { return !result.IsID(id) }); at >= 0 {
				return wrongUsage("%q is no id; give ids as `xlagate check` prints them: xlagate accept --only 3fa91c02b7d1 --reason \"why\"", only[at])
			}
			if c.Int("pull-request") != 0 || c.Bool("from-event") {
				return acceptOnGitHub(c, w)
			}
			last := lastCheck(w)
			if id := c.Args().First(); result.IsID(id) && last.holds([]string{id}) { // the last result may take seconds to read
				return wrongUsage("%s is the id of a change, not a dump; xlagate accept --only %s --reason \"why\"", id, id)
			}
			if err := last.chooseConfig(c, w, only); err != nil {
				return err
			}
			o, err := gateOptions(c, w)
			if err != nil {
				return err
			}
			a := gate.AcceptOptions{Only: only, Reason: c.String("reason"), Tighten: c.Bool("tighten")}
			isNoReason := strings.Trim(a.Reason, " \t\n\"'`.…") == "" // dots and quotes stood for one
			if isNoReason && (c.IsSet("reason") || !a.Tighten && !c.Bool("interactive")) {
				return wrongUsage("accept needs a reason for the readers of the baseline: add --reason and a few words of your own")
			}
			if from := c.String("from"); from != "" {
				if a.From, err = readResult(w, from); err != nil {
					return incomplete(w, err)
				}
				if err := sameSource(c, w, o, a.From); err != nil {
					return err
				}
			} else if len(a.Only) > 0 && len(o.Dumps)+len(o.ByTarget)+len(o.Command) == 0 && o.Against == "" &&
				last.holds(a.Only) && last.config == absoluteOr(o.Config.Path) {
				a.From, _ = last.result() // what was judged is what is accepted, even if the dump has changed since
			}
			if c.Bool("interactive") {
				if err := decide(c, w, o, &a); err != nil || len(a.Only) == 0 {
					return err
				}
			}
			if !c.Bool("quiet") {
				a.Before = func(planned *gate.Accepted) { sayLeft(w, planned) }
			}
			done, err := gate.Accept(c.Context, o, a)
			if err != nil {
				return incomplete(w, err)
			}
			if !c.Bool("quiet") {
				sayAccepted(w, done)
			}
			return nil
		},
	}
}

// sameSource refuses a result of other sources than those of the checkout: its facts would be taken for those of a model that nobody compiled. What the
// baseline and its rules add is no other source.
func sameSource(c *cli.Context, w world, o gate.Options, r *result.Result) error {
	if r.Origin == nil || !github.ValidCommit(r.Origin.Head) {
		return nil // made outside of a job that knows its commit
	}
	ask := func(args ...string) ([]byte, error) { return git.Run(c.Context, o.Config.Dir, args...) }
	head, err := ask("rev-parse", "HEAD")
	if err != nil {
		return nil // no checkout to compare with
	}
	here, from := strings.TrimSpace(string(head)), r.Origin.Head
	if here == from {
		return nil
	}
	of := []string{":/", ":(exclude,literal)" + filepath.Base(o.Config.Path)}
	store := o.Config.Baseline
	if !filepath.IsAbs(store) {
		store = filepath.Join(absoluteOr(o.Config.Dir), store)
	}
	if filepath.IsLocal(gate.Relative(repositoryAround(absoluteOr(o.Config.Dir)), store)) { // git refuses paths outside of the repository
		of = append(of, ":(exclude,literal)"+store)
	}
	differ, err := ask(slices.Concat([]string{"diff", "--name-only", "-z", from, here, "--"}, of)...)
	files := strings.FieldsFunc(string(differ), func(r rune) bool { return r == 0 })
	switch {
	case err != nil:
		return wrongUsage("the result is of commit %.12s, which this checkout does not hold (%.12s is checked out); to compare them, get it: git fetch origin %s", from, here, from)
	case len(files) == 0:
		return nil
	}
	text := fmt.Sprintf("the result is of commit %.12s, and %.12s, which is checked out, differs from it in %s", from, here, phrase.List(phrase.First(files, 3), "and"))
	if _, err := ask("merge-base", "--is-ancestor", from, here); err != nil {
		return wrongUsage("%s; accept it where it belongs: git switch --detach %s", text, from)
	}
	w.warn(text + ": what these edits changed is not accepted with it")
	return nil
}

func ids(values []string) []string {
	all := phrase.Map(strings.Split(strings.Join(values, ","), ","), strings.TrimSpace)
	return phrase.Filter(all, func(id string) bool { return id != "" })
}

// sayLeft says what accepting leaves to be done by hand.
func sayLeft(w world, planned *gate.Accepted) {
	for _, b := range planned.Left() {
		sayBudget(w, b)
	}
	for _, p := range planned.Unjudged {
		w.printf("remains  %s: %s\n  fix: %s\n", p.File, p.Message, p.Fix)
	}
	for _, u := range planned.Unsettled {
		todo := "change it there, or allow it: " + result.AcceptCommand(nil, u.Change)
		if u.Change == "" {
			todo = "accepting does not settle it: xlagate explain " + u.Rule
		}
		w.printf("remains  %s %s: %s; %s\n", u.Place, u.Rule, u.Message, todo)
	}
}

func sayAccepted(w world, done *gate.Accepted) {
	for _, c := range done.Changes {
		upTo := ": up to what it costs now"
		if p := c.Price; p.StepNS == 0 && p.PeakBytes == 0 && p.Compilations == 0 && len(c.Effects) == 0 {
			upTo = "" // a program that is gone, a result that is lost
		}
		w.printf("allowed  %s%s\n", report.Headline(&c), upTo)
	}
	for _, path := range done.Written {
		w.printf("wrote    %s\n", path)
	}
	for _, path := range done.Removed {
		w.printf("removed  %s\n", path)
	}
	for _, b := range done.Budgets {
		if b.Left == "" {
			sayBudget(w, b)
		}
	}
	switch {
	case len(done.Written)+len(done.Removed) == 0 && len(done.Budgets) > 0:
		fmt.Fprintf(w.out, "the baseline is as it was: %d unchanged\n", done.Unchanged)
	case len(done.Written)+len(done.Removed) == 0:
		fmt.Fprintf(w.out, "nothing to accept: %s unchanged\n", phrase.Some(done.Unchanged, "program"))
	default:
		fmt.Fprintln(w.out, "commit them together with the change")
	}
}

// sayBudget prints what happened to a limit that was too loose or too tight.
func sayBudget(w world, b *config.Budget) {
	done, left := "lowered", "slack"
	if b.Raised() {
		done = "raised"
	}
	if b.Narrow() {
		left = "narrow"
	}
	where := fmt.Sprintf("%s %s of %s", b.Place(), b.Key, b.Settings.Rule.ID)
	if b.Left != "" {
		w.printf("%-7s  %s is %s, %s is enough; change it by hand: %s\n", left, where, b.From, b.Became, b.Left)
		return
	}
	w.printf("%-7s  %s %s → %s\n", done, where, b.From, b.Became)
}
