package gate

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"os"
	"slices"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/result"
)

// Footprint identifies what a check depends on: what was asked for, the state of the files, and which lines git says were edited. It reads none of the files.
// It is "" if that is not enough: of a command that is captured, the standard input, a revision, and a file that was written a moment ago.
func Footprint(o Options) string {
	begun := time.Now() // a file that changes later may have been read before
	list, err := targets(o)
	if err != nil || len(o.Command) > 0 || slices.ContainsFunc(list, func(t config.Target) bool { return t.Capture != nil || t.RequireFresh }) {
		return ""
	}
	go o.edits() // while the files are looked at
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %q %q %q %q\n", o.Dir, o.Root, o.Baseline, o.Against, o.FailOn, o.AllowMissing, o.Reviewed)
	fmt.Fprintf(sum, "%q %q %q %d %v %v %v %s\n", o.Dumps, o.Logs, o.Profiles, o.MaxMemory, o.EveryStage, o.AnyStage, o.Passes, o.Now.UTC().Format(time.DateOnly))
	for _, t := range list {
		fmt.Fprintf(sum, "%q %q\n", t.Name, t.Dump)
	}
	for _, place := range placesOf(o, list) {
		if !OnDisk(place) || baseline.Remote(place) || !files.State(sum, place, begun) {
			return ""
		}
	}
	o.addEdits(sum)
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// placesOf lists the files and folders that a check reads.
func placesOf(o Options, list []config.Target) []string {
	base := baselinePlace(o)
	places := []string{absolute(o.Dir, o.Config.Path), absolute(base.Dir, base.Where)}
	for _, path := range slices.Concat([]string{o.Against, o.Assembler.Path()}, o.Dumps, o.Logs, o.Profiles) {
		if path != "" {
			places = append(places, absolute(o.Dir, path))
		}
	}
	for _, t := range list {
		matching, _ := doublestar.FilepathGlob(t.Dump)
		places = append(append(places, matching...), absoluteAll(o.Config.Dir, t.Logs)...)
	}
	return places
}

// addEdits adds the edited files to a hash: which they are and when they were written.
func (o Options) addEdits(sum hash.Hash) {
	edits, unknown := o.edits()
	fmt.Fprintf(sum, "%q\n", unknown)
	if edits == nil {
		return
	}
	fmt.Fprintf(sum, "%q\n", edits.Base)
	for _, h := range edits.Hunks() {
		fmt.Fprintf(sum, "%q %d %d\n", h.File, h.First, h.Lines)
		if info, err := os.Lstat(edits.Path(h.File)); err == nil {
			fmt.Fprintf(sum, "%d %d\n", info.Size(), info.ModTime().UnixNano())
		}
	}
}

// IsSettled reports whether a result depends on nothing but what a footprint identifies: not on what could not be read, and not on when a file was committed.
func IsSettled(r *result.Result) bool {
	return len(r.Problems) == 0 && !slices.ContainsFunc(r.Notes, func(n result.Note) bool { return n.Kind == "stale" })
}
