package dump

import (
	"bytes"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// The labels of stages whose files do not spell one.
const (
	looseGiven     = "hlo"
	looseOptimized = "optimized_hlo"
)

// looseRole tells a file's stage by what it holds; of one that holds no sign of it, and of a drawing, the stage in its name counts.
func looseRole(f *File, word string) role {
	final := strings.HasPrefix(word, looseOptimized)
	switch f.Kind {
	case KindHLOText, KindHLOProto:
		signs := f.signs()
		if f.Kind == KindHLOProto && signs.buffers && !signs.optimized {
			return role{kind: KindBufferProto}
		}
		if !final && !signs.optimized {
			return role{&Stage{Kind: StageBefore, Label: looseGiven}, f.Kind}
		}
	default:
		if !final {
			return role{&Stage{Kind: StageGiven, Label: looseGiven}, f.Kind}
		}
	}
	return role{&Stage{Kind: StageAfter, Label: looseOptimized}, f.Kind}
}

// signs are what in a module file tells how far its compilation went.
type signs struct {
	optimized bool // it has a schedule or a fusion: only the compiler makes those
	buffers   bool // a HloProto holds the buffer assignment
}

// signs reads a module file as far as it takes to tell. One that cannot be read has none: its reader says what is wrong with it.
func (f *File) signs() (s signs) {
	data, release, err := f.Bytes()
	if err != nil {
		return signs{}
	}
	err = Guard(func() error {
		if f.Kind == KindHLOText {
			s.optimized = textIsOptimized(data)
			return nil
		}
		module := data
		if inner, ok := firstField(data, 1); ok && isHLOProto(inner) {
			module = inner
			_, s.buffers = firstField(data, 3) // HloProto.buffer_assignment
		}
		s.optimized = protoIsOptimized(module)
		return nil
	})
	if err != nil || release() != nil {
		return signs{}
	}
	return s
}

func textIsOptimized(text []byte) bool {
	header, _, _ := bytes.Cut(skipBlank(text), []byte("\n"))
	return bytes.Contains(header, []byte("is_scheduled=true")) || bytes.Contains(text, []byte(" fusion("))
}

// protoIsOptimized looks for the schedule of a HloModuleProto, and for the opcode of a fusion as it lies in an HloInstructionProto.
func protoIsOptimized(module []byte) bool {
	_, scheduled := firstField(module, 7) // HloModuleProto.schedule
	const opcode = 2<<3 | byte(protowire.BytesType)
	return scheduled || bytes.Contains(module, append([]byte{opcode, byte(len("fusion"))}, "fusion"...))
}
