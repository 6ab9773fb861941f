package git

// Hunk is lines of a file that were edited together.
type Hunk struct {
	File     string // its path in the repository, with slashes; of a deleted file the path that it had
	OldFile  string // the path before; "" of a new file
	OldFirst int    // the first of the lines that were removed or changed; where there are none, the line behind which others were added
	OldLines int
	First    int // the first of the lines that were added or changed; where there are none, the line behind which others were removed
	Lines    int
	Code     bool   // any of these lines, before or now, is more than a comment, an import or blank
	Function string // the Python function or class around it, as Python names it: "Block.__call__"; "" outside of all

	removed string // the line that tells the function where no line is left to tell it
}

// holds reports whether a line is among those that were added or changed.
func (h *Hunk) holds(line int) bool { return line >= h.First && line < h.First+h.Lines }

// touches reports whether a line is the one before or behind lines that were only removed.
func (h *Hunk) touches(line int) bool {
	return h.Lines == 0 && (line == h.First || line == h.First+1)
}
