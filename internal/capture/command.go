package capture

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/xlagate/xlagate/internal/logs"
	"github.com/xlagate/xlagate/internal/phrase"
)

// ExitError reports a command that failed. Its dump may be incomplete.
type ExitError struct {
	Why  string // "exit status 1", "killed", "did not end within 20m0s"
	Said string // the last line of stderr
	Err  error

	// Failure is the exception that ended a Python program; nil if its log has none.
	Failure *logs.Failure
}

// Error returns how the command ended, with the exception that ended it, else with its last line.
func (e *ExitError) Error() string {
	text := fmt.Sprintf("the command failed (%s), so its dump is not checked", e.Why)
	if e.Failure != nil {
		return e.Failure.String() + "; " + text
	}
	if e.Said != "" {
		text += "; it last said: " + e.Said
	}
	return text
}

// logged matches the beginning of a line of TensorFlow's and XLA's own log that is no error: "I0000 00:00:1795399785.130783   23287 dump_graph.cc:245] ".
var logged = regexp.MustCompile(`^[IW]\d{4} [\d:.]+ +\d+ [\w.]+:\d+\] `)

// lastSaid returns the last line that a command wrote. It skips lines of the logs of TensorFlow, XLA and JAX unless there are no others.
func lastSaid(log []byte) string {
	var last, said string
	var misses missLines
	for line := range strings.Lines(string(log)) {
		ofMiss := misses.has(line)
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if last = line; !ofMiss && !logged.MatchString(line) && !compilerLog.MatchString(line) {
			said = line
		}
	}
	return phrase.Cut(cmp.Or(said, last), maxSaid, maxSaid/2)
}

// maxSaid bounds the letters of that line.
const maxSaid = 1000

// Unwrap returns the error of os/exec.
func (e *ExitError) Unwrap() error { return e.Err }

// runCommand runs the command in a new process group, copies its output into two logs, and kills its remaining processes at the end.
func runCommand(ctx context.Context, opts Options, env *environ, to string) error {
	said, err := os.Create(filepath.Join(to, stdoutFile))
	if err != nil {
		return fmt.Errorf("keep the command's stdout: %w", err)
	}
	defer said.Close()
	log, err := os.Create(filepath.Join(to, logFile))
	if err != nil {
		return fmt.Errorf("keep the command's stderr: %w", err)
	}
	defer log.Close()
	shown := &unloggedWriter{to: cmp.Or(opts.Stderr, io.Discard), compiler: env.logs, misses: env.asks}
	opts.Stdout, opts.Stderr = io.MultiWriter(cmp.Or(opts.Stdout, io.Discard), said), io.MultiWriter(log, shown)
	err = runGroup(ctx, opts, env.vars)
	if ferr := shown.flush(); err == nil {
		err = ferr
	}
	if cerr := errors.Join(said.Close(), log.Close()); cerr != nil && err == nil {
		return fmt.Errorf("keep what the command wrote: %w", cerr)
	}
	if err == nil {
		return nil
	}
	wrote, _ := os.ReadFile(log.Name()) // the command has failed already
	return &ExitError{Why: err.Error(), Said: lastSaid(wrote), Err: err, Failure: logs.FindFailure(wrote)}
}

func runGroup(ctx context.Context, opts Options, env []string) error {
	if opts.Timeout > 0 {
		var cancel context.CancelFunc
		cause := fmt.Errorf("did not end within %v", opts.Timeout)
		ctx, cancel = context.WithTimeoutCause(ctx, opts.Timeout, cause)
		defer cancel()
	}
	cmd, err := command(ctx, opts.Argv, opts.Dir, env)
	if err != nil {
		return err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = opts.Stdin, opts.Stdout, opts.Stderr
	ownGroup(cmd)
	if err = cmd.Start(); err == nil {
		stop := killAtSecond(cmd)
		err = cmd.Wait()
		stop()
	}
	killGroup(cmd)
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return err
}

// Interruptions returns the signals that end xlagate, and with it the command that it runs: the command's process group gets none of those that a
// terminal sends. Under nohup, SIGHUP stays ignored.
func Interruptions() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// killAtSecond kills a command that has not exited when the user interrupts a second time.
func killAtSecond(cmd *exec.Cmd) (stop func()) {
	asked, ended := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(asked, Interruptions()...)
	go func() {
		for range 2 {
			select {
			case <-asked:
			case <-ended:
				return
			}
		}
		killGroup(cmd)
	}()
	return func() {
		signal.Stop(asked)
		close(ended)
	}
}

// command returns the command to run. It finds the program in the command's PATH and working directory, not in those of xlagate.
func command(ctx context.Context, argv []string, dir string, env []string) (*exec.Cmd, error) {
	const grace = 5 * time.Second // for a command to exit after the signal, and for its children to close its output after that
	e := environ{vars: env, dir: dir}
	path, err := lookPath(argv[0], dir, e.get("PATH"))
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, argv[1:]...)
	cmd.Args[0], cmd.Dir, cmd.Env, cmd.WaitDelay = argv[0], dir, env, grace
	return cmd, nil
}

// compilerLog matches the beginning of a line that TensorFlow logs for each function and argument that it compiles, in its current and its former form.
var compilerLog = regexp.MustCompile(`^(I\d{4}|\d{4}-\d\d-\d\d) .*\b(xla_compiler|dump_graph)\.cc:\d+\] `)

// missLines knows the lines that JAX logs when it traces a function: the first has a place, those below are indented.
type missLines struct{ inside bool }

const firstOfMiss = "TRACING CACHE MISS at "

// has reports whether a line is one of those. It is asked for every line in turn.
func (m *missLines) has(line string) bool {
	m.inside = strings.HasPrefix(line, firstOfMiss) || m.inside && strings.HasPrefix(line, "  ")
	return m.inside
}

// unloggedWriter passes on a command's output without what only the capture makes it log.
type unloggedWriter struct {
	to       io.Writer
	compiler bool // pass on TensorFlow's lines too
	misses   bool // pass on JAX's lines too
	ofMiss   missLines
	held     []byte
}

// Write passes on immediately what cannot be the beginning of such a line.
func (u *unloggedWriter) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		u.held = append(u.held, line...)
		mayBe := !u.compiler && (u.held[0] == 'I' || u.held[0]-'0' < 10) || !u.misses && (u.ofMiss.inside || u.held[0] == firstOfMiss[0])
		if whole := line[len(line)-1] == '\n'; !whole && mayBe {
			continue
		}
		if err := u.flush(); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

func (u *unloggedWriter) flush() error {
	line := u.held
	u.held = nil
	if u.ofMiss.has(string(line)) && !u.misses || !u.compiler && compilerLog.Match(line) {
		return nil
	}
	_, err := u.to.Write(line)
	return err
}
