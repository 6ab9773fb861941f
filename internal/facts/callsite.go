package facts

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// callSite is the line that called the jitted function: a frame outside of it, in any instruction's stack. A function that was
// jitted under another name is found by the frames that all stacks share. Where a helper stands between the model and its jit, the
// line in a file that holds the model's operations is the one to look at. It is not known where the dump holds no stacks.
func (r *reader) callSite(program string) hlo.Location {
	if called := r.sources.called(); called.File != "" {
		return called
	}
	asked := map[int32]bool{}
	var around []hlo.Location // the outer frames that all stacks share, from the outside in
	for md := range r.eachMetadata() {
		if md.Frame == 0 || asked[md.Frame] {
			continue
		}
		asked[md.Frame] = true
		stack := r.sources.stack(md)
		if at := outermost(stack, program) + 1; at > 0 {
			if callers := modelFrames(outsideIn(stack[at:])); len(callers) > 0 {
				return r.sources.relative(r.ownCall(callers))
			}
		}
		around = sharedFrames(around, stack[min(1, len(stack)):])
	}
	if around = modelFrames(around); len(asked) < 2 || len(around) == 0 {
		return hlo.Location{}
	}
	return r.sources.relative(r.ownCall(around))
}

// modelFrames leaves the model's own of frames: libraries (flax.nnx.jit, equinox.filter_jit) put theirs between a jitted function and its call.
func modelFrames(frames []hlo.Location) []hlo.Location {
	return slices.DeleteFunc(frames, func(f hlo.Location) bool { return originOf(f.File) != originModel })
}

// ownCall is the innermost of the frames in a file that holds operations of the model, else the innermost.
func (r *reader) ownCall(frames []hlo.Location) hlo.Location {
	own := r.operationFiles()
	for _, f := range slices.Backward(frames) {
		if own[r.sources.relative(f).File] {
			return f
		}
	}
	return frames[len(frames)-1]
}

// operationFiles are the model's files that operations come from.
func (r *reader) operationFiles() map[string]bool {
	files := map[string]bool{}
	for md := range r.eachMetadata() {
		files[r.sources.locate(md).File] = true
	}
	delete(files, "")
	return files
}

// outermost is the last frame of a stack that is the program's own; -1 where none is.
func outermost(stack []hlo.Location, program string) int {
	at := len(stack) - 1
	for at >= 0 && !names(stack[at].Function, program) {
		at--
	}
	return at
}

func outsideIn(stack []hlo.Location) []hlo.Location {
	frames := append([]hlo.Location{}, stack...)
	slices.Reverse(frames)
	return frames
}

// sharedFrames is what frames that are listed from the outside in and a stack begin with in common, seen from the outside; nothing has
// been seen yet where the frames are nil.
func sharedFrames(frames, stack []hlo.Location) []hlo.Location {
	if frames == nil {
		return outsideIn(stack)
	}
	n := 0
	for n < len(frames) && n < len(stack) && frames[n] == stack[len(stack)-1-n] {
		n++
	}
	return frames[:n]
}

// names reports whether a qualified function name ("run.<locals>.act") is a program's ("act"). Frameworks spell a lambda in words.
func names(qualified, program string) bool {
	last := qualified[strings.LastIndexByte(qualified, '.')+1:]
	return last == program || last == "<lambda>" && strings.Trim(program, "_") == "lambda"
}
