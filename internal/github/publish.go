package github

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/xlagate/xlagate/internal/report"
)

// Publication is all that is said about one result.
type Publication struct {
	Comment report.Comment
	Report  report.Options
	StepFiles

	PullRequest int    // 0: none
	Head        string // the commit that was checked
	Ref         string
	Run         Run // that checked it
	At          time.Time

	Key   string // tells the comments of one pull request apart
	Mode  string // of the comment
	Check bool   // make a check run
	SARIF bool   // hand the changes to code scanning
}

// Posted is the outcome of a publication. Failures are warnings and never change the verdict.
type Posted struct {
	Comment  Outcome
	Check    string
	Warnings []string
	// Commands are workflow commands to print where no check run could carry the annotations.
	Commands string
}

// Publish posts a result everywhere. Without a client it writes only the step's own files.
func Publish(ctx context.Context, c *Client, p Publication) Posted {
	var done Posted
	done.note(p.writeSummary())
	if c == nil {
		done.Commands = p.commands()
	} else {
		p.post(ctx, c, &done)
	}
	done.note(p.writeOutputs(done))
	return done
}

func (p *Publication) post(ctx context.Context, c *Client, done *Posted) {
	if p.PullRequest != 0 {
		outcome, err := c.stick(ctx, p.PullRequest, p.draft())
		done.Comment = outcome
		done.note(err)
	}
	if p.Check && p.Head != "" {
		check := p.check()
		url, err := c.check(ctx, check)
		if !refused(err) {
			done.Check = url
			done.note(err)
		} else if c.status(ctx, check) != nil { // a commit status says less
			done.note(err)
		}
	}
	if done.Check == "" {
		done.Commands = p.commands()
	}
	if p.SARIF && p.Head != "" {
		var log strings.Builder
		err := report.Result.Render(&log, p.Comment.Result, "sarif", p.Report)
		if err == nil {
			err = c.uploadSARIF(ctx, p.Head, p.Ref, log.String())
		}
		done.note(err)
	}
}

// note keeps what went wrong as a warning.
func (d *Posted) note(err error) {
	if err != nil {
		d.Warnings = append(d.Warnings, err.Error())
	}
}

func (p *Publication) draft() Draft {
	r, anyRun := p.Comment.Result, p.Comment
	anyRun.Run, anyRun.Full = 0, ""
	m := Marker{
		Key: p.Key, Run: p.Run, Head: p.Head, At: p.At.Unix(), Print: fmt.Sprintf("%.6x", sha256.Sum256([]byte(anyRun.Markdown(p.Report)))), Clean: p.Comment.Clean(),
		Problems: len(r.Problems), Errors: r.Summary.Errors, Warnings: r.Summary.Warnings,
	}
	return Draft{Marker: m, Mode: p.Mode, Write: p.write}
}

func (p *Publication) write(before *Marker, most int) string {
	c := p.Comment
	if before != nil && before.Problems+before.Errors+before.Warnings > 0 {
		c.Was = report.Sum(before.Problems, before.Errors, before.Warnings)
		if before.Head != "" {
			c.Was += " at " + short(before.Head)
		}
	}
	o := p.Report
	o.MaxBytes = most
	return c.Markdown(o)
}

func (p *Publication) check() Check {
	r := p.Comment.Result
	o := p.Report
	o.MaxBytes = maxCheckText
	name := "xlagate"
	if p.Key != DefaultKey {
		name += " (" + p.Key + ")"
	}
	conclusion := "success"
	switch {
	case r.ExitCode != 0:
		conclusion = "failure"
	case report.NeedsReview(r):
		conclusion = "action_required"
	}
	return Check{
		Name: name, Head: p.Head, ID: fmt.Sprintf("%s/%d/%d/%d", p.Key, p.Run.ID, p.Run.Attempt, p.At.Unix()), Conclusion: conclusion,
		Title: report.Outcome(r), Summary: p.Comment.Markdown(o), URL: p.Comment.Full,
		Annotations: report.Annotations(r, o),
	}
}

// DefaultKey is the key of a gate that has no other beside it.
const DefaultKey = "default"

// commands are the worst changes as workflow commands.
func (p *Publication) commands() string {
	var b strings.Builder
	if err := report.Result.Render(&b, p.Comment.Result, "github", p.Report); err != nil {
		return ""
	}
	return b.String()
}

// maxSARIF is what code scanning takes, compressed.
const maxSARIF = 10 << 20

func (c *Client) uploadSARIF(ctx context.Context, commit, ref, log string) error {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(log))
	if err = errors.Join(err, z.Close()); err != nil {
		return fmt.Errorf("pack the SARIF log: %w", err)
	}
	if packed.Len() > maxSARIF {
		return fmt.Errorf("upload the SARIF log: it has %d bytes compressed; GitHub takes %d", packed.Len(), maxSARIF)
	}
	_, answer, err := c.api.CodeScanning.UploadSarif(ctx, c.owner, c.name, &gh.SarifAnalysis{
		CommitSHA: gh.String(commit), Ref: gh.String(ref), Sarif: gh.String(base64.StdEncoding.EncodeToString(packed.Bytes())), ToolName: gh.String("xlagate"),
	})
	if err == nil && answer.StatusCode == http.StatusAccepted {
		return nil
	}
	if err == nil {
		err = errors.New("GitHub did not say that it took it; is GITHUB_API_URL right, and is there a proxy?")
	}
	return c.failed(err, "upload the SARIF log for %s", short(commit))
}
