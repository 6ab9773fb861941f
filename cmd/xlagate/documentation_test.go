package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/testfile"
	"github.com/xlagate/xlagate/rules"
)

// TestDocumentation holds the pages and schemas in docs to what the code declares; with -update it writes them.
func TestDocumentation(t *testing.T) {
	settings, err := configMarkdown()
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{"rules.md": rulesMarkdown(), "config.md": settings, "facts.md": factsMarkdown()}
	for _, name := range schemaNames {
		data, err := schemaOf(name)
		if err != nil || !json.Valid(data) {
			t.Fatalf("the schema of %s: %v", name, err)
		}
		if name == "config" {
			name = "xlagate"
		}
		pages[name+".schema.json"] = string(data)
	}
	for name, page := range pages {
		testfile.Golden(t, filepath.Join("../../docs", name), page)
	}
}

const markdownHead = `# Rules

Made by ` + "`go test ./cmd/xlagate -run Documentation -update`" + `; do not edit. ` + "`xlagate explain RULE`" + ` shows one rule, with an entry that fails, what it
reports, and an entry that passes.

Every rule takes ` + "`level`, `program`, `target`, `name` and `reason`" + `. A rule that counts something takes bounds: ` + "`max`, `min` and `equal`" + ` need no baseline,
` + "`max_increase` and `max_decrease`" + ` (2, 1MiB or 5%) compare with it. Without a bound, there may be no more than in the baseline, unless the rule says otherwise. An improvement fails
only a bound that is written in its direction. A key that has no effect on a rule is an error. A rule reads the optimized module unless it says what else.

Start with ` + "`extends: [recommended]`" + `.
`

// rulesMarkdown is the page of all rules.
func rulesMarkdown() string {
	var b strings.Builder
	b.WriteString(markdownHead)
	told := map[result.OptionDoc]string{}
	for _, r := range rules.All.Rules {
		ruleSection(&b, r, told)
	}
	return b.String()
}

// usual drops what the head of the page says of every rule: its bounds, and what holds without one.
var usual = strings.NewReplacer("; without a bound, no more than in the baseline", "", ". Without a bound none is allowed", ": none is allowed", " Takes max, min and equal.", "", "Counts nothing: it takes no bounds.", "",
	" Takes max, min, equal, max_increase and max_decrease.", "")

// plainEntry matches an entry that has nothing but bounds.
var plainEntry = regexp.MustCompile(`^- \{ rule: [a-z-]+(, (max|min|equal|max_increase|max_decrease): [^,]+)* \}$`)

func ruleSection(b *strings.Builder, r *rule.Rule, told map[result.OptionDoc]string) {
	doc := r.Doc()
	fmt.Fprintf(b, "\n## %s\n\n%s. %s", r.ID, upper(r.Title), r.Why)
	if len(r.Threads) > 0 {
		fmt.Fprintf(b, " (%s)", strings.Join(links(r.Threads[:min(2, len(r.Threads))]), ", "))
	}
	fmt.Fprintf(b, "\n\n%s", usual.Replace(doc.Counts))
	if !slices.Equal(r.Reads, []rule.Input{rule.Optimized}) && len(doc.Reads) > 0 {
		fmt.Fprintf(b, " Reads %s.", strings.Join(doc.Reads, ", "))
	}
	if doc.Since != "1" {
		fmt.Fprintf(b, " Since version %s.", doc.Since)
	}
	b.WriteString("\n")
	optionList(b, r.ID, doc.Options, told)
	if entry, _, shown := strings.Cut(doc.Fails, "\n#"); shown && !plainEntry.MatchString(entry) && !strings.HasPrefix(entry, "version:") {
		fmt.Fprintf(b, "\n```yaml\n%s\n```\n", entry)
	}
	fmt.Fprintf(b, "\nFix: %s\n", r.Fix)
}

// optionList lists the keys of a rule. Those that it shares with one rule above are named with a link to it; told holds the rule of each key above.
func optionList(b *strings.Builder, id string, options []result.OptionDoc, told map[result.OptionDoc]string) {
	shared := map[string][]string{}
	for _, o := range options {
		if first := told[o]; first != "" {
			shared[first] = append(shared[first], "`"+o.Key+"`")
		}
	}
	lines := ""
	for _, o := range options {
		switch first := told[o]; {
		case len(shared[first]) < 3:
			takes := strings.ReplaceAll(o.Type, " | ", "|")
			if o.Default != "" && o.Default != "false" {
				takes += "; default " + o.Default
			}
			lines += fmt.Sprintf("- `%s` (%s): %s\n", o.Key, takes, o.Doc)
		case shared[first][0] == "`"+o.Key+"`":
			lines += fmt.Sprintf("- %s: as in [%s](#%s)\n", strings.Join(shared[first], ", "), first, first)
		}
		if told[o] == "" {
			told[o] = id
		}
	}
	if lines != "" {
		b.WriteString("\n" + lines)
	}
}

func upper(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// links turns owner/repository#12 into links.
func links(threads []string) []string {
	var out []string
	for _, thread := range threads {
		repository, number, _ := strings.Cut(thread, "#")
		out = append(out, fmt.Sprintf("[%s](https://github.com/%s/issues/%s)", thread, repository, number))
	}
	return out
}

// configText is the page about xlagate.yaml, with KEYS and PACKS where the lists belong.
//
//go:embed testdata/docs/config.md
var configText string

// configMarkdown is the page about xlagate.yaml: its text with the keys that its reader uses.
func configMarkdown() (string, error) {
	var keys, packs strings.Builder
	optionList(&keys, "", rule.DocOptions("", config.Keys(rules.All.PackNames())), map[result.OptionDoc]string{})
	for _, name := range rules.All.PackNames() {
		says, err := packSays(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&packs, "- `%s`: %s\n", name, says)
	}
	page := strings.Replace(configText, "\nKEYS\n", keys.String(), 1)
	return strings.Replace(page, "PACKS\n", packs.String(), 1), nil
}

// packSays is the comment at the head of a pack.
func packSays(name string) (string, error) {
	data, err := rules.All.Pack(name)
	if err != nil {
		return "", fmt.Errorf("read the pack %s: %w", name, err)
	}
	var says []string
	for line := range strings.Lines(string(data)) {
		comment, is := strings.CutPrefix(line, "#")
		if !is {
			break
		}
		says = append(says, strings.TrimSpace(comment))
	}
	return strings.Join(says, " "), nil
}

// factsText is the page about facts. A line "FACTS kernels fusions" stands for the list of the facts in these groups.
//
//go:embed testdata/docs/facts.md
var factsText string

// factsMarkdown is the page about facts: its text with the lists of facts.
func factsMarkdown() string {
	var b strings.Builder
	for line := range strings.Lines(factsText) {
		if groups, is := strings.CutPrefix(line, "FACTS "); is {
			factRows(&b, strings.Fields(groups))
		} else {
			b.WriteString(line)
		}
	}
	return b.String()
}

func factRows(b *strings.Builder, groups []string) {
	from := usualSource
	for _, f := range facts.Table {
		if !slices.Contains(groups, f.ID.Group()) {
			continue
		}
		if f.From != from {
			from = f.From
			fmt.Fprintf(b, "\nFrom the %s:\n\n", strings.Replace(from, "TensorFlow's graphs", "graphs of TensorFlow", 1))
		}
		fmt.Fprintf(b, "- `%s`: %s\n", f.ID, f.Doc)
	}
}

// usualSource is what a fact is measured from where the page does not say it.
const usualSource = "optimized module"
