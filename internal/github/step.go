package github

import (
	"fmt"
	"os"
	"strings"
)

// maxSummary is what GitHub takes of one step: above it nothing is shown at all.
const maxSummary = 1 << 20

// writeSummary appends the whole report to the step's summary, within what is left of its size.
func (p *Publication) writeSummary() error {
	if p.Summary == "" {
		return nil
	}
	o := p.Report
	o.MaxBytes = maxSummary - 1
	if info, err := os.Stat(p.Summary); err == nil {
		o.MaxBytes -= int(info.Size())
	}
	if o.MaxBytes < 1000 {
		return fmt.Errorf("write the step's summary: it is full already")
	}
	if err := appendTo(p.Summary, p.Comment.Markdown(o)+"\n"); err != nil {
		return fmt.Errorf("write the step's summary: %w", err)
	}
	return nil
}

// writeOutputs sets the step's outputs.
func (p *Publication) writeOutputs(done Posted) error {
	if p.Output == "" {
		return nil
	}
	r := p.Comment.Result
	s := r.Summary
	var b strings.Builder
	set := func(key string, value any) {
		text := strings.NewReplacer("\r", " ", "\n", " ").Replace(fmt.Sprint(value))
		fmt.Fprintf(&b, "%s=%s\n", key, text)
	}
	set("verdict", r.Verdict)
	set("exit-code", r.ExitCode)
	set("errors", s.Errors)
	set("warnings", s.Warnings)
	set("infos", s.Infos)
	set("waived", s.Waived)
	set("changes", changes(r))
	set("comment-url", done.Comment.URL)
	set("check-url", done.Check)
	if err := appendTo(p.Output, b.String()); err != nil {
		return fmt.Errorf("write the step's outputs: %w", err)
	}
	return nil
}
