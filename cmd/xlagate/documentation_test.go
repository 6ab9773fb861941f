package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
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

Made from the code by ` + "`go test ./internal/reference -run Documentation -update`" + `; do not edit. ` + "`xlagate rules`" + ` lists them, ` + "`xlagate explain RULE`" + ` shows one.

Every rule takes ` + "`level`, `program`, `target`, `name` and `reason`" + `, and those that count something ` + "`max`, `min` and `equal`" + `, which need no
baseline, and ` + "`max_increase` and `max_decrease`" + `, which compare with it: 2, 1MiB or 5%. Each metric knows which direction is worse; an improvement fails
only an explicit bound in that direction. Without a bound a rule compares with the baseline or, where it says so, allows none. A key that has no effect on a rule is
an error.

Packs: PACKS. Start with ` + "`extends: [recommended]`" + `.

`

// rulesMarkdown is the page of all rules.
func rulesMarkdown() string {
	var b strings.Builder
	b.WriteString(strings.Replace(markdownHead, "PACKS", "`"+strings.Join(rules.All.PackNames(), "`, `")+"`", 1))
	contents(&b)
	for _, r := range rules.All.Rules {
		ruleSection(&b, r)
	}
	return b.String()
}

// contents lists the rules, category by category.
func contents(b *strings.Builder) {
	category := rule.Category("")
	for _, r := range rules.All.Rules {
		if r.Category != category {
			category = r.Category
			fmt.Fprintf(b, "\n**%s**\n\n| rule | checks that |\n|---|---|\n", category)
		}
		fmt.Fprintf(b, "| [%s](#%s) | %s |\n", r.ID, r.ID, cell(r.Title))
	}
}

func ruleSection(b *strings.Builder, r *rule.Rule) {
	fmt.Fprintf(b, "\n## %s\n\n%s.\n\n%s\n\n", r.ID, upper(r.Title), r.Why)
	doc := r.Doc()
	if len(doc.Reads) > 0 {
		fmt.Fprintf(b, "Reads %s.\n", strings.Join(doc.Reads, ", "))
	}
	fmt.Fprintf(b, "%s Since version %s.\n", doc.Counts, doc.Since)
	optionRows(b, doc.Options)
	for _, example := range []struct{ title, text string }{{"Fails", doc.Fails}, {"Passes", doc.Passes}} {
		if example.text != "" {
			fmt.Fprintf(b, "\n%s:\n\n```yaml\n%s\n```\n", example.title, example.text)
		}
	}
	fmt.Fprintf(b, "\nTo fix it: %s\n", r.Fix)
	if len(r.Threads) > 0 {
		fmt.Fprintf(b, "\nWould have caught %s.\n", strings.Join(links(r.Threads), ", "))
	}
}

func optionRows(b *strings.Builder, options []result.OptionDoc) {
	if len(options) == 0 {
		return
	}
	b.WriteString("\n| key | value | default | |\n|---|---|---|---|\n")
	for _, o := range options {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", o.Key, cell(o.Type), cell(o.Default), cell(o.Doc))
	}
}

// cell escapes a text for a table cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

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

// configText is the page about xlagate.yaml, with KEYS and PACKS where the tables belong.
//
//go:embed testdata/docs/config.md
var configText string

// configMarkdown is the page about xlagate.yaml: its text with the tables that its reader uses.
func configMarkdown() (string, error) {
	var keys, packs strings.Builder
	optionRows(&keys, rule.DocOptions("", config.Keys(rules.All.PackNames())))
	packs.WriteString("| pack | |\n|---|---|\n")
	for _, name := range rules.All.PackNames() {
		says, err := packSays(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&packs, "| `%s` | %s |\n", name, cell(says))
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

// factsText is the page about facts. A line "FACTS kernels fusions" stands for the table of the facts in these groups.
//
//go:embed testdata/docs/facts.md
var factsText string

// factsMarkdown is the page about facts: its text with the table of facts.
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
	b.WriteString("| fact | meaning | measured from |\n|---|---|---|\n")
	for _, f := range facts.Table {
		if slices.Contains(groups, f.ID.Group()) {
			fmt.Fprintf(b, "| `%s` | %s | %s |\n", f.ID, cell(f.Doc), f.From)
		}
	}
}
