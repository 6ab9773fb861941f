// Package capture runs a command with flags that make XLA and TensorFlow dump what they compile, and records the toolchain in the dump:
// the versions of the framework and the compiler, the backend, the device and the XLA flags.
package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// The files that capture writes into the dump directory.
const (
	toolchainFile = "xlagate-toolchain.json"
	logFile       = "xlagate-stderr.log"
	stdoutFile    = "xlagate-stdout.log"
	metricsFile   = "xlagate-torch-metrics.txt"
	reasonsFile   = "xlagate-torch-reasons.txt"
	graphFolder   = "graph"
)

// Options are the command to run and the directory of its dump.
type Options struct {
	Argv    []string // the command
	Env     []string // its environment, as in os.Environ: the job's tokens are removed from it, and the dump flags are added
	Keep    []string // the tokens that the command gets nevertheless, by the names of their variables
	Dir     string   // its working directory; "" for the current one
	To      string   // the directory of the dump: new, empty or written by a capture
	Cache   string   // the folder of programs that earlier captures compiled; "" to compile all
	Passes  bool     // dump each module after every pass too
	Timeout time.Duration
	Stdin   io.Reader // never a terminal: the command runs in a new process group
	Stdout  io.Writer // both are copied into To as well, where the logs of framework and compiler are read
	Stderr  io.Writer
}

// Outcome is the result of a command.
type Outcome struct {
	Dir       string // the dump, as an absolute path
	Toolchain facts.Toolchain
	Log       string   // the path of the file with the command's stderr
	Notes     []string // sentences about changed flags and unknown versions
	Compiled  int      // modules
	Restored  int      // modules that were not compiled
}

// ErrNothingDumped reports that a command succeeded without dumping a module or graph.
var ErrNothingDumped = errors.New("the command succeeded, but XLA dumped nothing: it compiled nothing, or it overwrites XLA_FLAGS")

// ErrFromCache reports that XLA dumped none of the functions that TensorFlow gave it.
var ErrFromCache = errors.New("TensorFlow gave functions to XLA, but XLA dumped none: they came from TensorFlow's persistent cache")

// Run runs the command and waits for it. It returns an outcome whenever the command was started. For a command that fails it
// returns an [ExitError] and keeps the dump, marked as incomplete.
func Run(ctx context.Context, opts Options) (*Outcome, error) {
	if len(opts.Argv) == 0 {
		return nil, errors.New("there is no command to capture; give one after --")
	}
	to, err := filepath.Abs(opts.To)
	if err != nil {
		return nil, fmt.Errorf("find the dump directory %s: %w", opts.To, err)
	}
	var removed []string
	opts.Env, removed = withoutTokens(opts)
	versions, _ := versionsOf(ctx, opts, opts.Env) // repeated after the command, which may install or change its Python
	env, err := dumpEnvironment(opts, to, versions)
	if err != nil {
		return nil, err
	}
	if len(removed) > 0 {
		env.note("the command ran without the job's %s; if it needs one, name it with an empty value in xlagate.yaml: capture: { env: { %s: '' } }",
			strings.Join(phrase.First(removed, 5), ", "), removed[0])
	}
	if err := prepare(to); err != nil {
		return nil, err
	}
	r := &record{Schema: "xlagate.toolchain/v1", Status: "running", Toolchain: facts.Toolchain{Flags: compilerFlags(env)}}
	if err := r.write(to); err != nil {
		return nil, err
	}
	env.set("XLAGATE_DUMP", to) // for xlagate.compile of the Python package
	env.set("XLAGATE_CACHE", opts.Cache)
	if opts.Cache == "" {
		return finish(ctx, opts, env, to, r, nil)
	}
	warm, err := beginWarm(opts, env, to, versions)
	if err != nil {
		return nil, err
	}
	out, err := finish(ctx, opts, env, to, r, warm)
	return out, errors.Join(err, warm.end())
}

// finish runs the command and completes the record.
func finish(ctx context.Context, opts Options, env *environ, to string, r *record, warm *warmRun) (*Outcome, error) {
	out := &Outcome{Dir: to, Log: filepath.Join(to, logFile), Notes: env.notes, Toolchain: r.Toolchain}
	err := runCommand(ctx, opts, env, to)
	if err == nil && warm != nil {
		err = warm.keep(to)
		if err == nil {
			r.Restored, err = warm.restore(to)
		}
		if n := len(r.Restored); n > 0 {
			out.Notes = append(out.Notes, fmt.Sprintf("%s taken from the cache, not compiled: %s", phrase.Some(n, "program"), strings.Join(phrase.First(r.Restored, 3), ", ")))
		}
	}
	if err == nil {
		err = r.lookAt(ctx, to)
		out.Restored, out.Compiled = len(r.Restored), r.modules-len(r.Restored)
	}
	if err != nil {
		r.Status = "failed"
		return out, errors.Join(err, r.write(to))
	}
	r.Status = "done"
	if r.Framework == facts.TorchFramework && !env.torch {
		out.Notes = append(out.Notes, "findings will not name the model's lines: PyTorch/XLA was not found before the run; set XLA_IR_DEBUG=1, XLA_HLO_DEBUG=1, PT_XLA_DEBUG_LEVEL=1 and XLA_FLAGS=--xla_dump_hlo_as_proto")
	}
	versions, err := versionsOf(ctx, opts, env.vars)
	if err != nil {
		out.Notes = append(out.Notes, err.Error())
	}
	r.Versions = relevant(versions, r.Framework, r.Backend)
	out.Toolchain = r.Toolchain
	return out, r.write(to)
}

// prepare creates the dump directory, or empties it if all files are from an earlier capture: modules of two runs in one
// directory would look like recompiles. It never removes other files.
func prepare(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the dump directory: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look into the dump directory: %w", err)
	}
	if len(entries) == 0 {
		return nil
	}
	if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == toolchainFile }) {
		return fmt.Errorf("%s is not empty and was not written by a capture; give a new directory, or remove this one first", dir)
	}
	foreign, err := foreignFiles(dir)
	if err != nil {
		return err
	}
	if len(foreign) > 0 {
		return fmt.Errorf("%s holds %s, which was not written by a capture; move it away, or give another directory", dir, strings.Join(phrase.First(foreign, 1), " and "))
	}
	others := phrase.Filter(phrase.Map(entries, fs.DirEntry.Name), func(name string) bool { return name != toolchainFile })
	for _, name := range append(others, toolchainFile) { // the record last, so that the rest of a killed removal is still known to be a capture's
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("empty the dump directory: %w", err)
		}
	}
	return nil
}

// foreignFiles returns the files of a directory that no capture writes.
func foreignFiles(dir string) (foreign []string, err error) {
	err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		if !dumpFile(filepath.ToSlash(rel)) {
			foreign = append(foreign, rel)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look into the dump directory: %w", err)
	}
	return foreign, nil
}

// dumpFile reports whether a file is named as XLA, TensorFlow or capture name files; rel is the path below the dump directory.
func dumpFile(rel string) bool {
	folder, _, inFolder := strings.Cut(rel, "/")
	if slices.Contains([]string{toolchainFile, logFile, stdoutFile, metricsFile, reasonsFile}, rel) || inFolder && (folder == graphFolder || folder == "shardy") {
		return true
	}
	if inFolder && slices.Contains([]string{"compile_options.pb", "module.mlir", "topology.pb"}, path.Base(rel)) { // JAX's inputs of the compiler
		return true
	}
	for part := range strings.SplitSeq(rel, "/") {
		if strings.HasPrefix(part, "module_") || strings.Contains(part, ".module_") {
			return true
		}
	}
	return strings.HasSuffix(rel, ".triton-to-llvm.txt") || strings.HasSuffix(rel, ".canonicalize-cse.txt")
}
