package dump

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/wire"
)

// snapshotLabel is the label of the stage of a module from a snapshot.
const snapshotLabel = "snapshot"

// takeSnapshot reads the module from a snapshot of an execution if nothing else of the module was dumped: the flags that
// record snapshots may keep XLA from dumping it.
func (m *Module) takeSnapshot() {
	f := m.Companion(KindSnapshot)
	if f == nil || len(m.Stages) > 0 {
		return
	}
	inner := &File{Path: f.Path, Size: f.Size, ModTime: f.ModTime, rel: f.rel, Kind: KindHLOProto, src: snapshotSource{f}, limit: f.limit}
	data, release, err := inner.src.bytes(f.limit)
	if err != nil {
		return // it remains a companion, and the dump reports that it holds no module
	}
	s := Stage{Kind: StageBefore, Label: snapshotLabel, Proto: inner}
	if hasSchedule(data) {
		s.Kind = StageAfter
	}
	if release() == nil {
		m.Stages = append(m.Stages, s)
		m.Companions = slices.DeleteFunc(m.Companions, func(c *File) bool { return c == f })
	}
}

// snapshotSource reads the module in a snapshot: field 1 of an HloSnapshot, an HloProto; or field 1 of an HloUnoptimizedSnapshot, an
// HloModuleProto. The length of an HloUnoptimizedSnapshot precedes it in the file.
type snapshotSource struct{ file *File }

var errNoSnapshot = errors.New("the snapshot holds no module")

func (s snapshotSource) bytes(Limit) ([]byte, func() error, error) {
	data, release, err := s.file.Bytes()
	if err != nil {
		return nil, nil, err
	}
	module, ok := s.module(data)
	if !ok {
		return nil, nil, errors.Join(errNoSnapshot, release())
	}
	return module, release, nil
}

func (s snapshotSource) module(data []byte) ([]byte, bool) {
	if strings.Contains(s.file.rel, "hlo_unoptimized_snapshot") {
		length, n := binary.Uvarint(data)
		if n <= 0 || length > uint64(len(data)-n) {
			return nil, false
		}
		data = data[n:][:length]
	}
	module, ok := wire.First(data, 1)
	return module, ok && isHLOProto(module)
}

func (s snapshotSource) open() (io.ReadCloser, error) {
	data, release, err := s.bytes(s.file.limit)
	if err != nil {
		return nil, err
	}
	return releasing{bytes.NewReader(data), release}, nil
}

type releasing struct {
	io.Reader
	release func() error
}

// Close releases the file.
func (r releasing) Close() error { return r.release() }

// hasSchedule reports whether a module, an HloProto or a bare HloModuleProto, has a schedule. Only optimized modules have one.
func hasSchedule(data []byte) bool {
	if inner, ok := wire.First(data, 1); ok && isHLOProto(inner) {
		data = inner
	}
	_, ok := wire.First(data, 7) // HloModuleProto.schedule
	return ok
}
