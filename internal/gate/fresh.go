package gate

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/result"
)

// checkFresh reports a dump that is older than an edit of a source file that it names: it may show another model. With require_fresh this is a
// problem, and so is a dump whose age is unknown.
func (l *measuredTarget) checkFresh(ctx context.Context, o Options) {
	stale, unknown := l.stale(ctx, o)
	const fix = "dump again, or set capture: in the target, so that every check does"
	switch {
	case l.RequireFresh && stale+unknown != "":
		l.didNotRun(stale+unknown, fix)
	case stale != "":
		l.notes = append(l.notes, result.Note{Kind: "stale", Target: l.Name, Message: stale + "; " + fix})
	}
}

// stale returns which edit is newer than the dump, or why that is unknown.
func (l *measuredTarget) stale(ctx context.Context, o Options) (stale, unknown string) {
	edits, unknown := o.edits()
	if unknown != "" {
		return "", "whether the dump is fresh is not known: " + unknown
	}
	hunks := slices.DeleteFunc(edits.Hunks(), func(h git.Hunk) bool { return !h.Code || h.Lines == 0 })
	if len(hunks) == 0 && !l.RequireFresh {
		return "", ""
	}
	written := lastWritten(l.dumps)
	if written.IsZero() {
		return "", "whether the dump is fresh is not known: it is not a file"
	}
	named := map[string]bool{}
	for _, p := range l.report.Programs {
		for _, v := range p.Variants {
			for _, at := range v.Frames() {
				named[edits.File(at.File)] = true
			}
		}
	}
	delete(named, "")
	for _, h := range hunks {
		if !named[h.File] {
			continue
		}
		if edits.Unedited(ctx, l.dumps) {
			return fmt.Sprintf("%s was edited, but not the dump, which is in the repository too: it may show the model before the edit", h.File), ""
		}
		if at := edits.EditedAt(ctx, h.File); at.After(written) {
			return fmt.Sprintf("the dump was written at %s, before the last edit of %s at %s: it may show the model before the edit",
				written.Format(time.DateTime), h.File, at.Format(time.DateTime)), ""
		}
	}
	return "", ""
}

// lastWritten is when the last of the files was written; the zero time where there are none.
func lastWritten(paths []string) (last time.Time) {
	for _, root := range paths {
		if !OnDisk(root) {
			continue
		}
		_ = filepath.WalkDir(root, func(_ string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return nil // what cannot be read is a problem of the dump already
			}
			if info, err := e.Info(); err == nil && info.ModTime().After(last) {
				last = info.ModTime()
			}
			return nil
		})
	}
	return last
}
