package main

import (
	"encoding/json"
	"fmt"
	"os"
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

// TestDocumentation holds the lists in the pages of docs, and the schemas there, to what the code declares; with -update it writes them.
func TestDocumentation(t *testing.T) {
	for name, page := range filledPages(t) {
		testfile.Golden(t, filepath.Join("../../docs", name), page)
	}
	for _, name := range schemaNames {
		data, err := schemaOf(name)
		if err != nil || !json.Valid(data) {
			t.Fatalf("the schema of %s: %v", name, err)
		}
		if name == "config" {
			name = "xlagate"
		}
		testfile.Golden(t, filepath.Join("../../docs", name+".schema.json"), string(data))
	}
}

// TestEveryFactIsInThePage: each group of facts is in one list of docs/facts.md, and each list names groups that exist.
func TestEveryFactIsInThePage(t *testing.T) {
	page := readPage(t, "facts.md")
	lists := map[string]int{}
	for _, m := range list.FindAllStringSubmatch(page, -1) {
		for _, group := range strings.Fields(m[3]) {
			lists[group]++
		}
	}
	for _, f := range facts.Table {
		if group := f.ID.Group(); lists[group] != 1 {
			t.Errorf("the group %q of the fact %s is in %d lists of docs/facts.md; add it to one line <!-- made: facts … -->", group, f.ID, lists[group])
		}
	}
	for group := range lists {
		if !slices.ContainsFunc(facts.Table, func(f facts.Fact) bool { return f.ID.Group() == group }) {
			t.Errorf("docs/facts.md lists the facts of %q; internal/facts/table.go has no fact of this group", group)
		}
	}
}

// list matches a list in a page that is made from code: all lines between the two comments. The first comment says what is listed.
var list = regexp.MustCompile(`(?s)(<!-- made: (rules|keys|packs|facts)([a-z_ ]*) -->\n).*?(<!-- end of what is made -->\n)`)

// filledPages returns the pages with lists, each list as the code has it now.
func filledPages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, name := range []string{"rules.md", "config.md", "facts.md"} {
		pages[name] = list.ReplaceAllStringFunc(readPage(t, name), func(old string) string {
			m := list.FindStringSubmatch(old)
			items := ""
			switch m[2] {
			case "rules":
				items = rulesMarkdown()
			case "keys":
				items = keysMarkdown()
			case "packs":
				items = packsMarkdown(t)
			case "facts":
				items = factsMarkdown(strings.Fields(m[3]))
			}
			return m[1] + "\n" + strings.TrimSpace(items) + "\n\n" + m[4]
		})
	}
	return pages
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("../../docs", name))
	if err != nil {
		t.Fatal(err)
	}
	if !list.Match(page) {
		t.Fatalf("docs/%s has no list that is made from code", name)
	}
	return string(page)
}

// rulesMarkdown describes all rules.
func rulesMarkdown() string {
	var b strings.Builder
	told := map[result.OptionDoc]string{}
	for _, r := range rules.All.Rules {
		ruleSection(&b, r, told)
	}
	return b.String()
}

// usual drops what the head of docs/rules.md says of every rule: its bounds, and what holds without one.
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

// keysMarkdown lists the keys of xlagate.yaml.
func keysMarkdown() string {
	var b strings.Builder
	optionList(&b, "", rule.DocOptions("", config.Keys(rules.All.PackNames())), map[result.OptionDoc]string{})
	return b.String()
}

// packsMarkdown lists the packs.
func packsMarkdown(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, name := range rules.All.PackNames() {
		says, err := packSays(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "- `%s`: %s\n", name, says)
	}
	return b.String()
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

// factsMarkdown lists the facts of some groups.
func factsMarkdown(groups []string) string {
	var b strings.Builder
	from := usualSource
	for _, f := range facts.Table {
		if !slices.Contains(groups, f.ID.Group()) {
			continue
		}
		if f.From != from {
			from = f.From
			fmt.Fprintf(&b, "\nFrom the %s:\n\n", strings.Replace(from, "TensorFlow's graphs", "graphs of TensorFlow", 1))
		}
		fmt.Fprintf(&b, "- `%s`: %s\n", f.ID, f.Doc)
	}
	return b.String()
}

// usualSource is what a fact is measured from where the page does not say it.
const usualSource = "optimized module"
