package logs

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/xlagate/xlagate/internal/phrase"
)

// tookTime reads "2m12.850942799s", which XLA logs at the end of a slow operation, before the lines that name it.
func (r *reader) tookTime(rest []byte) {
	if d, err := time.ParseDuration(string(bytes.TrimSpace(rest))); err == nil {
		r.took = d.Seconds()
	}
}

// slowCompile reads "jit_step.8] Very slow compile? If you want to file a bug, …". XLA says it after two minutes, and at the end.
func (r *reader) slowCompile(rest []byte) {
	if module, _, ok := bytes.Cut(rest, []byte("] Very slow compile?")); ok {
		r.add(Event{Kind: SlowCompile, Line: r.line, Program: string(module), Value: r.took, Text: "XLA compiles it for more than two minutes"})
		r.took = 0
	}
}

// slowFolding reads the instruction that XLA computes while it compiles, behind an empty line.
func (r *reader) slowFolding([]byte) {
	e := Event{Kind: SlowFolding, Line: r.line, Value: r.took}
	r.took = 0
	for text, ok := r.peek(); ok && e.Node == "" && (len(text) == 0 || text[0] == ' '); text, ok = r.peek() {
		r.next()
		instruction := strings.TrimSpace(string(text))
		e.Node, _, _ = strings.Cut(instruction, " = ")
		e.metadata(instruction)
	}
	if e.Node == "" {
		r.unreadable(e.Line, "an instruction that takes long to fold")
		return
	}
	e.Text = "XLA computes " + e.Node + " while it compiles, for more than a second"
	r.add(e)
}

// undonated reads "train.py:12: UserWarning: Some donated buffers were not usable: float32[8,64]." The line may be one of JAX's own.
func (r *reader) undonated(line []byte) {
	place, types, _ := bytes.Cut(line, []byte(": UserWarning: Some donated buffers were not usable: "))
	e := Event{Kind: Undonated, Line: r.line, Text: "no result takes the place of the donated " + strings.TrimSuffix(string(bytes.TrimSpace(types)), ".")}
	if file, number, ok := phrase.CutLast(string(place), ":"); ok && !Installed(file) {
		e.Where.File = file
		e.Where.Line, _ = strconv.Atoi(number)
	}
	r.add(e)
}
