package report

import (
	"fmt"
	"path"
	"strings"

	"github.com/xlagate/xlagate/internal/result"
)

// findingTitle is "error  required-fusions  softmax  3fa91c02b7d1".
func findingTitle(r *result.Result, f *result.Finding) line {
	l := in(levelVoice(f), levelWord(f)).and("  ").in(strong, ruleName(f)).and("  ").in(name, subject(r, f))
	return l.and("  ").in(dim, f.ID)
}

func levelWord(f *result.Finding) string {
	if f.Waived {
		return "waived"
	}
	return f.Level
}

func levelVoice(f *result.Finding) voice {
	switch {
	case f.Waived:
		return dim
	case f.Level == "error":
		return bad
	case f.Level == "warning":
		return warn
	}
	return plain
}

func ruleName(f *result.Finding) string {
	if f.Name != "" && f.Name != f.Rule {
		return f.Rule + " (" + f.Name + ")"
	}
	return f.Rule
}

// subject is the program, behind its target where there are several.
func subject(r *result.Result, f *result.Finding) string {
	if len(r.Targets) > 1 {
		return strings.TrimSuffix(f.Target+"/"+f.Program, "/")
	}
	if f.Program == "" {
		return f.Target
	}
	return f.Program
}

// findingSection is a finding in full, as the text format and `explain` show it. Lines that were shown with an earlier finding
// are named, not shown again; shown holds them.
func findingSection(r *result.Result, f *result.Finding, shown map[string]string) section {
	s := section{Title: findingTitle(r, f)}
	s.add(para{say(f.Message)})
	if f.Variant != "" && manyVariants(r, f) {
		s.add(para{in(dim, "variant ").in(name, shortSignature(f.Variant, maxName))})
	}
	if key := reasons(f); shown[key] != "" {
		s.add(para{say("for the same reason as " + shown[key])})
	} else {
		s.add(list{causeLines(f)})
		s.add(section{Blocks: []block{evidence(f)}})
		shown[key] = f.ID
	}
	s.add(para{consequences(f)})
	if f.Reason != "" {
		s.add(para{in(dim, "the rule is there because: ").and(f.Reason)})
	}
	s.add(para{mend(f)})
	return s
}

// reasons is what is shown of a finding's cause and evidence, to be recognised. A finding without any has none to share.
func reasons(f *result.Finding) string {
	key := linesText(causeLines(f)) + "\n" + strings.Join(f.Evidence.Before, "\n") + "\x00" + strings.Join(f.Evidence.After, "\n")
	if len(key) == 2 {
		return f.ID
	}
	return f.Target + "\x00" + f.Program + "\x00" + key
}

func manyVariants(r *result.Result, f *result.Finding) bool {
	for i := range r.Targets {
		if r.Targets[i].Name != f.Target {
			continue
		}
		for j := range r.Targets[i].Programs {
			if p := &r.Targets[i].Programs[j]; p.Name == f.Program {
				return len(p.Variants) > 1
			}
		}
	}
	return false
}

// causeLines name the place in the model and what happened there.
func causeLines(f *result.Finding) []line {
	c := f.Cause
	if c == nil {
		return nil
	}
	var where line
	if p := place(c.Source); p != "" {
		where = in(name, p)
		if c.Source.Function != "" {
			where = where.and(" in ").in(name, c.Source.Function)
		}
	}
	if c.OpName != "" {
		where = where.with("   ", in(name, c.OpName))
	} else if c.OpType != "" {
		where = where.with("   ", in(name, c.OpType))
	}
	var lines []line
	if len(where) > 0 {
		lines = append(lines, where)
	}
	if c.Summary != "" && !strings.Contains(f.Message, c.Summary) {
		lines = append(lines, say(c.Summary))
	}
	return lines
}

// place is "file.py:12"; "" when no file is known.
func place(s result.Source) string {
	if s.File == "" {
		return ""
	}
	if s.Line == 0 {
		return s.File
	}
	return fmt.Sprintf("%s:%d", s.File, s.Line)
}

// shortPlace is the place with the file's own name alone.
func shortPlace(s result.Source) string {
	if s.File != "" {
		s.File = path.Base(s.File)
	}
	return place(s)
}

// evidence shows the lines before and after, those that are equal once.
func evidence(f *result.Finding) listing {
	return lineDiff(f.Evidence.Before, f.Evidence.After)
}

// consequences folds what follows from the finding into a line.
func consequences(f *result.Finding) line {
	if len(f.Consequences) == 0 {
		return nil
	}
	var parts []string
	for _, c := range f.Consequences {
		parts = append(parts, c.Message+" ("+c.Rule+")")
	}
	return in(dim, "follows from it: ").and(strings.Join(parts, ", "))
}

func mend(f *result.Finding) line {
	switch {
	case f.Waived && f.Waiver != nil:
		return in(dim, "waived: ").and(waiver(f.Waiver))
	case f.Mend == "":
		return nil
	case strings.HasPrefix(f.Mend, "xlagate accept"):
		return in(dim, "intended?  ").in(name, f.Mend)
	}
	return in(dim, "mend: ").and(f.Mend)
}

func waiver(w *result.Waiver) string {
	text := w.Reason
	if w.Owner != "" {
		text += ", " + w.Owner
	}
	if w.Expires != "" {
		text += ", until " + w.Expires
	}
	return text
}
