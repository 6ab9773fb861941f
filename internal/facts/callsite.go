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
	asked := map[int32]bool{}
	var around []hlo.Location // the outer frames that all stacks share, from the outside in
	for md := range r.eachMetadata() {
		if md.Frame == 0 || asked[md.Frame] {
			continue
		}
		asked[md.Frame] = true
		stack := r.m.Stack(md)
		slices.Reverse(stack)
		if at := slices.IndexFunc(stack, func(f hlo.Location) bool { return names(f.Function, program) }); at > 0 && originOf(stack[at-1].File) == originModel {
			return r.sources.relative(r.ownCall(stack[:at]))
		}
		around = sharedFrames(around, stack[:max(0, len(stack)-1)])
	}
	if len(asked) < 2 || len(around) == 0 || originOf(around[len(around)-1].File) != originModel {
		return hlo.Location{}
	}
	return r.sources.relative(r.ownCall(around))
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

// sharedFrames is the longest common beginning; nothing has been seen yet where the first is nil.
func sharedFrames(a, b []hlo.Location) []hlo.Location {
	if a == nil {
		return append([]hlo.Location{}, b...)
	}
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// names reports whether a qualified function name ("run.<locals>.act") is a program's ("act"). Frameworks spell a lambda in words.
func names(qualified, program string) bool {
	last := qualified[strings.LastIndexByte(qualified, '.')+1:]
	return last == program || last == "<lambda>" && strings.Trim(program, "_") == "lambda"
}
