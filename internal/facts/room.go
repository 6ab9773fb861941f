package facts

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sync/semaphore"

	"github.com/xlagate/xlagate/internal/dump"
	amounts "github.com/xlagate/xlagate/internal/phrase"
)

// What reading takes, as a multiple of the content of a file: that itself, the model of it and what is worked out beside it. Measured on
// real modules of 9 and 24 MB: 2.3 to 2.9 times a text, 3.4 times a proto.
const (
	textWeight  = 3
	protoWeight = 4
	otherWeight = 2  // of a companion file
	unpacking   = 12 // how many times its stored size a compressed module is
)

// ownRoom is what the program takes with nothing read.
const ownRoom = 32 << 20

// weight is about how much memory it takes to read a file.
func weight(f *dump.File) int64 {
	size := f.Size
	switch strings.ToLower(filepath.Ext(f.Path)) {
	case ".gz", ".zst", ".xz":
		size *= unpacking
	}
	switch f.Kind {
	case dump.KindHLOText:
		return textWeight * size
	case dump.KindHLOProto:
		return protoWeight * size
	}
	return otherWeight * size
}

// moduleWeight is about how much memory a module takes, whose files are read one after the other.
func moduleWeight(m *dump.Module) int64 {
	var most int64
	for i := range m.Stages {
		_, heavy := stageSize(&m.Stages[i])
		most = max(most, heavy)
	}
	if f := m.Companion(dump.KindBufferAssignment); f != nil {
		most = max(most, weight(f))
	}
	return most
}

// stageSize is how much is read of a stage, and about how much memory that takes; nothing where it was only drawn.
func stageSize(s *dump.Stage) (size, heavy int64) {
	if f := s.HLO(); f != nil {
		return f.Size, weight(f)
	}
	return 0, 0
}

// room is the memory in which modules are read side by side.
type room struct {
	taken *semaphore.Weighted
	size  int64
}

// newRoom is what a limit leaves to modules; nil where there is no limit.
func newRoom(limit int64) *room {
	if limit <= 0 {
		return nil
	}
	size := max(limit-ownRoom, 1)
	return &room{semaphore.NewWeighted(size), size}
}

// enter waits until there is room for a unit. One that takes more than there is has it all to itself.
func (r *room) enter(ctx context.Context, weight int64) (leave func(), err error) {
	if r == nil {
		return func() {}, nil
	}
	weight = min(weight, r.size)
	if err := r.taken.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	return func() { r.taken.Release(weight) }, nil
}

// tooSmall says which unit is read although it takes more than there is, the largest of several; "" when all fit.
func (r *room) tooSmall(work []unit, limit int64) string {
	var largest unit
	n := 0
	for _, u := range work {
		if r == nil || u.weight <= r.size {
			continue
		}
		if n++; u.weight > largest.weight {
			largest = u
		}
	}
	if n == 0 {
		return ""
	}
	others := ""
	if n > 1 {
		others = fmt.Sprintf(", like %d more", n-1)
	}
	return fmt.Sprintf("%s takes about %s to read, more than the %s that were given: it is read by itself%s",
		largest.name, amounts.Bytes(float64(largest.weight+ownRoom)), amounts.Bytes(float64(limit)), others)
}
