package gate

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/git"
)

// Watch knows the files that a check depends on: configuration, baseline, dumps and, for a captured command, sources. It polls them, because
// notifications do not work on network file systems, where dumps often are.
type Watch struct {
	places  []string // files and folders
	sources string   // the folder of the sources; "" where nothing is captured
	known   map[string]stamp
}

// stamp identifies what is in a file, without reading it.
type stamp struct {
	size    int64
	written time.Time
}

// NewWatch records the state of the files of a check.
func NewWatch(ctx context.Context, o Options) (*Watch, error) {
	list, err := targets(o)
	if err != nil {
		return nil, err
	}
	w := &Watch{places: []string{o.Config.Path}}
	if base := baselinePlace(o); !baseline.Remote(base.Where) {
		w.places = append(w.places, absolute(base.Dir, base.Where))
	}
	for _, t := range list {
		switch {
		case len(o.Dumps) > 0:
		case len(o.Command) > 0 || t.Capture != nil && t.Dump == "":
			w.sources = o.Config.Dir
		case OnDisk(t.Dump):
			w.places = append(w.places, t.Dump)
		}
	}
	for _, path := range append([]string{o.Against}, o.Dumps...) {
		switch {
		case path == "-":
			return nil, UsageError{"the standard input can be read only once; watch a dump or a command"}
		case path != "" && OnDisk(path):
			w.places = append(w.places, absolute(o.Dir, path))
		}
	}
	w.known = w.look(ctx)
	return w, nil
}

// WatchFiles records the state of files, and of all files in folders.
func WatchFiles(ctx context.Context, places []string) *Watch {
	w := &Watch{places: places}
	w.known = w.look(ctx)
	return w
}

// Wait waits until files change and then stay unchanged, and returns the name of one of them.
func (w *Watch) Wait(ctx context.Context, every time.Duration) (string, error) {
	changed := ""
	for tick := time.NewTicker(every); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return "", ctx.Err()
		case <-tick.C:
		}
		now := w.look(ctx)
		one := difference(w.known, now)
		w.known = now
		if one == "" && changed != "" {
			tick.Stop()
			return changed, nil
		}
		if one != "" {
			changed = one
		}
	}
}

// difference names the first file that was written, is new or is gone.
func difference(was, is map[string]stamp) string {
	var names []string
	for name, s := range is {
		if was[name] != s {
			names = append(names, name)
		}
	}
	for name := range was {
		if _, there := is[name]; !there {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return slices.Min(names)
}

// look records the state of the files. An unreadable file counts as missing: the check reports it.
func (w *Watch) look(ctx context.Context) map[string]stamp {
	seen := map[string]stamp{}
	note := func(path string, info fs.FileInfo, err error) {
		if err == nil && !info.IsDir() {
			seen[path] = stamp{info.Size(), info.ModTime()}
		}
	}
	for _, place := range w.places {
		paths, _ := doublestar.FilepathGlob(place)
		for _, root := range append(paths, place) {
			_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
				if err == nil {
					info, err := e.Info()
					note(path, info, err)
				}
				return nil
			})
		}
	}
	for _, path := range w.sourceFiles(ctx) {
		info, err := os.Stat(path)
		note(path, info, err)
	}
	return seen
}

// sourceFiles lists the files that a captured command may read: those that git tracks and untracked Python files; outside of a repository all Python
// files. It leaves out what the command writes.
func (w *Watch) sourceFiles(ctx context.Context) []string {
	if w.sources == "" {
		return nil
	}
	kept, err := git.Run(ctx, w.sources, "ls-files", "-z", "--cached")
	fresh, err2 := git.Run(ctx, w.sources, "ls-files", "-z", "--others", "--exclude-standard", "--", "*.py")
	var files []string
	if errors.Join(err, err2) == nil {
		for name := range strings.SplitSeq(string(kept)+string(fresh), "\x00") {
			files = append(files, filepath.Join(w.sources, name))
		}
		return files
	}
	_ = filepath.WalkDir(w.sources, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
		case e.IsDir() && path != w.sources && (strings.HasPrefix(e.Name(), ".") || environment(path)):
			return fs.SkipDir
		case strings.HasSuffix(path, ".py"):
			files = append(files, path)
		}
		return nil
	})
	return files
}

// environment reports whether a folder is a virtual environment of Python.
func environment(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "pyvenv.cfg"))
	return err == nil
}
