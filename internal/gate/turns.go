package gate

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

// captureMemory is how much memory a capture is taken to need, which is known only at its end.
const captureMemory = 4 << 30

// accelerators match the device files of GPUs and TPUs. A process takes most of a device's memory, or all of the device.
var accelerators = []string{"/dev/nvidia[0-9]*", "/dev/kfd", "/dev/accel*", "/dev/vfio/[0-9]*"}

// capturing reports whether a command makes the dump of a target.
func capturing(targets []config.Target) bool {
	return slices.ContainsFunc(targets, func(t config.Target) bool { return t.Capture != nil })
}

// atOnce returns how many targets are looked at side by side. Captures are one after another where a device file matches.
func (o Options) atOnce(targets []config.Target, devices []string) int {
	if !capturing(targets) {
		return cmp.Or(o.Jobs, runtime.GOMAXPROCS(0))
	}
	if slices.ContainsFunc(devices, func(pattern string) bool { found, _ := filepath.Glob(pattern); return found != nil }) {
		return 1
	}
	n := cmp.Or(o.Jobs, runtime.GOMAXPROCS(0)/2) // a compiler uses more than one processor at times
	if o.MaxMemory > 0 {
		n = min(n, int(o.MaxMemory/captureMemory))
	}
	return max(1, n)
}

// alone reports whether no other target is looked at beside one: its compile time is limited.
func (o Options) alone(t config.Target) bool {
	return t.Capture != nil && slices.ContainsFunc(o.Config.Rules, func(s *rule.Settings) bool {
		return s.Rule.ID == "max-compile-time" && s.Level != "off" && s.Covers(t.Name, "*")
	})
}

// inTurn returns the targets in the order in which they are looked at: those first whose command, or whose accepted programs, name an edited file.
func (o Options) inTurn(targets []*measuredTarget) []*measuredTarget {
	edits, _ := o.edits()
	edited := func(l *measuredTarget) int {
		set, _ := l.readStored(o) // look reports one that cannot be read
		for _, h := range edits.Hunks() {
			if strings.Contains(l.Capture.Run, path.Base(h.File)) || set.Names(h.File) {
				return 0
			}
		}
		return 1
	}
	turns := map[*measuredTarget]int{}
	for _, l := range targets {
		if l.Capture != nil {
			turns[l] = edited(l)
		}
	}
	targets = slices.Clone(targets)
	slices.SortStableFunc(targets, func(a, b *measuredTarget) int { return turns[a] - turns[b] })
	return targets
}

// announced returns what makes the options of each of n targets: if there are several, their messages say of which target they are, and how many are looked
// at after it.
func (o Options) announced(n int) func(l *measuredTarget, after int) Options {
	var one sync.Mutex
	warn, to := o.Warn, o.Captured
	return func(l *measuredTarget, after int) Options {
		o := o // targets are looked at side by side
		if o.among = n > 1; !o.among {
			return o
		}
		if warn != nil {
			o.Warn = func(message string) {
				one.Lock()
				defer one.Unlock()
				warn("target " + l.Name + ": " + message)
			}
		}
		if to != nil {
			o.Captured = &lineWriter{to: to, one: &one, before: l.Name + " | "}
		}
		if o.waiting = ""; after > 0 {
			o.waiting = fmt.Sprintf(" (after it: %s)", phrase.Some(after, "target"))
		}
		return o
	}
}

// lineWriter passes on whole lines, with a text before each.
type lineWriter struct {
	to     io.Writer
	one    *sync.Mutex // of all writers to the same place
	before string
	held   []byte
}

// Write passes on the lines that end. What a command prints on its two streams arrives at the same time.
func (w *lineWriter) Write(p []byte) (int, error) {
	w.one.Lock()
	defer w.one.Unlock()
	w.held = append(w.held, p...)
	end := bytes.LastIndexByte(w.held, '\n') + 1
	var whole []byte
	for line := range bytes.Lines(w.held[:end]) {
		whole = append(append(whole, w.before...), line...)
	}
	w.held = slices.Clone(w.held[end:])
	_, err := w.to.Write(whole)
	return len(p), err
}

// tell says what became of a target among several: what was compiled and, for check, whether it passes by itself.
func (l *measuredTarget) tell(ctx context.Context, o Options, began time.Time) {
	if ctx.Err() != nil { // a person stopped it
		return
	}
	if w, ok := o.Captured.(*lineWriter); ok && len(w.held) > 0 { // a last line without an end
		_, _ = w.Write([]byte("\n"))
	}
	said := cmp.Or(l.made, "it ended ") + "in " + phrase.Seconds(time.Since(began).Seconds())
	if o.checking {
		o.Last = nil
		r := judgeAll(o, []*measuredTarget{l})
		said += ": " + r.Verdict
		if why := reasons(r); len(why) > 0 {
			said += " (" + strings.Join(phrase.First(why, 3), "; ") + ")"
		}
	}
	o.warn(said)
}

// reasons lists what keeps a result from passing.
func reasons(r *result.Result) []string {
	if r.Verdict == "incomplete" {
		return phrase.Map(r.Problems, func(p result.Problem) string { return p.Message })
	}
	worst := phrase.Filter(r.Changes, func(c result.Change) bool { return r.Verdict == "fail" && !c.Waived && c.Level == r.Changes[0].Level })
	return phrase.Map(worst, func(c result.Change) string { return c.Program + ": " + c.Title })
}
