// Package dump finds out what lies on disk: which files belong to which module, at which stage, in which format, and what
// else XLA or TensorFlow left beside them. It reads names, first lines and sizes; what stands in the files is read elsewhere.
package dump

import "io"

// Dump is what one run left behind: a directory, an archive, a log with files printed into it, or a single file.
type Dump struct {
	Path      string
	Single    bool      // one module file that was named by itself, whatever its stage
	Modules   []*Module // by process, then number
	Throwaway []*Module // modules that XLA's autotuner compiled to try things out: never the user's
	Graphs    []*File   // TensorFlow graph dumps
	Logs      []*File   // logs of the framework and the compiler
	Traces    []*File   // profiles: *.trace.json.gz, *.xplane.pb
	Toolchain *File     // xlagate-toolchain.json, which `xlagate capture` writes; nil when absent
	Other     []*File   // known, but of no module
	Unknown   []*File   // of no known kind
	Problems  []Problem // what could not be looked at, or cannot be right

	closers []io.Closer
}

// Problem is a file or module that could not be looked at, or a dump that cannot be right. The gate must not pass over it.
type Problem struct {
	File    string // as the user would name it
	Module  string // the ID of the module it belongs to, where known
	Message string // a sentence: why
	Fix     string // what to do about it
	Damaged bool   // the file holds nothing that could be read

	module *Module
}

// Options says how a dump is opened.
type Options struct {
	Stdin io.Reader // what the path "-" reads: a tar stream, compressed or not, or any single file
}
