package dump

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// snapshotLabel is the stage of a module that was taken out of a snapshot.
const snapshotLabel = "snapshot"

// takeSnapshot takes the module out of what was recorded of an execution, where nothing else of the module was dumped: the flags that
// record snapshots may keep XLA from dumping it.
func (m *Module) takeSnapshot() {
	f := m.Companion(KindSnapshot)
	if f == nil || len(m.Stages) > 0 {
		return
	}
	inner := &File{Path: f.Path, Size: f.Size, ModTime: f.ModTime, rel: f.rel, Kind: KindHLOProto, src: snapshotSource{f}, limit: f.limit}
	data, release, err := inner.src.bytes(f.limit)
	if err != nil {
		return // it stays a companion, and the dump says that it holds no module
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

// snapshotSource is the module in a snapshot: field 1 of an HloSnapshot, an HloProto; or field 1 of an HloUnoptimizedSnapshot, an
// HloModuleProto, before which the file holds the message's length.
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
		message, n := protowire.ConsumeBytes(data)
		if n < 0 {
			return nil, false
		}
		data = message
	}
	module, ok := firstField(data, 1)
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

// Close gives back what is read from.
func (r releasing) Close() error { return r.release() }

// hasSchedule tells an optimized module, as a HloProto or by itself: the compiler schedules last.
func hasSchedule(data []byte) bool {
	if inner, ok := firstField(data, 1); ok && isHLOProto(inner) {
		data = inner
	}
	_, ok := firstField(data, 7) // HloModuleProto.schedule
	return ok
}

// firstField is the first length-delimited field of a number in a serialized message.
func firstField(message []byte, number protowire.Number) ([]byte, bool) {
	for len(message) > 0 {
		num, typ, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil, false
		}
		size := protowire.ConsumeFieldValue(num, typ, message[n:])
		if size < 0 {
			return nil, false
		}
		if num == number && typ == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(message[n:])
			return value, true
		}
		message = message[n+size:]
	}
	return nil, false
}
