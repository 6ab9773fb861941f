package capture

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/files"
)

// maxKept bounds the bytes of the programs that are kept. The oldest are dropped first.
const maxKept = 2 << 30

// keptEntry is the name of JAX's cache entry in an archive; the dumped files stand below keptFiles, named without the module's number.
const (
	keptEntry = "entry"
	keptFiles = "files/"
)

// warmRun is a run of a command that may take programs from JAX's cache instead of compiling them. A program is kept as one archive that holds JAX's
// cache entry and the files that XLA dumped when it compiled the program. The cache that the command sees holds only entries of whole
// archives, so JAX compiles every program whose files are lost.
type warmRun struct {
	store string              // the folder of the archives: KEY.zip
	jax   string              // JAX's cache for this run
	given map[string]bool     // the keys of the entries that were there before the run
	after map[string][]string // the optimized text of a kept program, after the name of its module → keys
}

// cacheKey matches the name of an entry in JAX's cache: the name of the module, and a hash.
var cacheKey = regexp.MustCompile(`^((.+)-[0-9a-f]{64}-cache)$`)

// The optimized module of a program that XLA compiled for the CPU, and of one that JAX took from its cache.
var (
	compiledText = regexp.MustCompile(`^(module_\d+\.(.+))\.cpu_after_optimizations\.txt$`)
	restoredText = regexp.MustCompile(`^(module_\d+\.(.+))\.after_optimizations\.txt$`)
)

// beginWarm prepares JAX's cache for a command. The command has a store of its own: commands that run at the same time, or that compile the same program from
// other lines, would remove each other's programs. So has each environment: JAX's keys leave out flags that decide what is dumped.
func beginWarm(opts Options, env *environ, to string, versions map[string]string) (*warmRun, error) {
	flags := strings.ReplaceAll(env.get("XLA_FLAGS"), quoteFlag("xla_dump_to", to), "")
	// XLA divides work among the processors.
	id := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %d", opts.Argv, flags, env.get("LIBTPU_INIT_ARGS"), versions, runtime.NumCPU()))
	cache, err := filepath.Abs(opts.Cache)
	if err != nil {
		return nil, fmt.Errorf("find the cache %s: %w", opts.Cache, err)
	}
	w := &warmRun{store: filepath.Join(cache, fmt.Sprintf("%x", id[:8])), given: map[string]bool{}, after: map[string][]string{}}
	if err := os.MkdirAll(w.store, 0o755); err != nil {
		return nil, fmt.Errorf("make the cache: %w", err)
	}
	if w.jax, err = os.MkdirTemp("", "xlagate-jax-cache-"); err != nil {
		return nil, fmt.Errorf("make a cache for JAX: %w", err)
	}
	archives, err := filepath.Glob(filepath.Join(w.store, "*.zip"))
	if err != nil {
		return nil, fmt.Errorf("look into the cache: %w", err)
	}
	for _, archive := range archives {
		if err := w.give(strings.TrimSuffix(filepath.Base(archive), ".zip")); err != nil {
			env.note("%s is not used and is removed: %v", archive, err)
			if err := remove(archive); err != nil {
				return nil, errors.Join(fmt.Errorf("remove a damaged program from the cache: %w", err), w.end())
			}
		}
	}
	for _, v := range [][2]string{
		{"XLAGATE_CACHE", cache},
		{"JAX_ENABLE_COMPILATION_CACHE", "true"}, {"JAX_COMPILATION_CACHE_DIR", w.jax},
		{"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0"}, {"JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1"}, {"JAX_PERSISTENT_CACHE_ENABLE_XLA_CACHES", "none"},
		{"JAX_COMPILATION_CACHE_INCLUDE_METADATA_IN_KEY", "true"}, // the files name source lines
	} {
		env.set(v[0], v[1])
	}
	return w, nil
}

func (w *warmRun) end() error {
	if err := os.RemoveAll(w.jax); err != nil {
		return fmt.Errorf("remove JAX's cache of this run: %w", err)
	}
	return nil
}

// give puts a kept program into JAX's cache. It reads the whole archive, whose checksums tell whether it is damaged.
func (w *warmRun) give(key string) error {
	name := cacheKey.FindStringSubmatch(key)
	if name == nil {
		return errors.New("its name is no key of JAX's cache")
	}
	content, err := w.read(key)
	if err != nil {
		return err
	}
	text, entry := content[keptFiles+".cpu_after_optimizations.txt"], content[keptEntry]
	if text == nil || entry == nil {
		return errors.New("it holds no program")
	}
	if err := os.WriteFile(filepath.Join(w.jax, key), entry, 0o600); err != nil {
		return fmt.Errorf("put a program into JAX's cache: %w", err)
	}
	w.given[key] = true
	w.know(name[2], text, key)
	return nil
}

func (w *warmRun) know(name string, text []byte, key string) {
	program := identity(name, text)
	w.after[program] = append(w.after[program], key)
}

// identity returns what tells a program in JAX's cache from others: a hash of the name of its module and of the words of its optimized text, without source
// lines, which JAX's cache numbers anew.
func identity(name string, text []byte) string {
	head, tables, found := bytes.Cut(text, []byte("\nFileNames\n"))
	if end := firstComputation.FindIndex(tables); found && end != nil {
		text = slices.Concat(head, tables[end[0]:])
	}
	words := []byte(name + "\n")
	for word := range bytes.FieldsSeq(text) {
		before, line, _ := bytes.Cut(word, []byte("stack_frame_id="))
		words = append(append(append(words, ' '), before...), bytes.TrimLeft(line, "0123456789")...)
	}
	return fmt.Sprintf("%x", sha256.Sum256(words))
}

// firstComputation matches where the tables of source lines in front of the computations of a module end.
var firstComputation = regexp.MustCompile(`\n\n(?:%|ENTRY )`)

func (w *warmRun) read(key string) (map[string][]byte, error) {
	archive, err := zip.OpenReader(filepath.Join(w.store, key+".zip"))
	if err != nil {
		return nil, err
	}
	defer archive.Close()
	content := map[string][]byte{}
	for _, f := range archive.File {
		rest, isFile := strings.CutPrefix(f.Name, keptFiles)
		if isFile && !filepath.IsLocal("module"+rest) || !isFile && f.Name != keptEntry {
			return nil, fmt.Errorf("it holds the file %q", f.Name)
		}
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		data, err := files.ReadAll(r, maxKept)
		if err := errors.Join(err, r.Close()); err != nil {
			return nil, err
		}
		content[f.Name] = data
	}
	return content, nil
}

// keep stores what this run compiled. A program is kept if its files are certain: the run compiled no other of its name.
func (w *warmRun) keep(dump string) error {
	keys, err := namedIn(w.jax, cacheKey)
	if err != nil {
		return fmt.Errorf("look into JAX's cache: %w", err)
	}
	modules, err := namedIn(dump, compiledText)
	if err != nil {
		return fmt.Errorf("look into the dump: %w", err)
	}
	for name, prefixes := range modules {
		made := slices.DeleteFunc(keys[name], func(key string) bool { return w.given[key] })
		if len(made) != 1 || len(prefixes) != 1 {
			continue
		}
		key := made[0]
		text, err := os.ReadFile(filepath.Join(dump, prefixes[0]+".cpu_after_optimizations.txt"))
		if err != nil {
			return fmt.Errorf("keep %s: %w", name, err)
		}
		// Of programs that differ in their source lines only, the latest is kept: a hit does not tell them apart.
		for _, same := range w.after[identity(name, text)] {
			if err := remove(filepath.Join(w.store, same+".zip")); err != nil {
				return fmt.Errorf("drop an earlier %s from the cache: %w", name, err)
			}
		}
		delete(w.after, identity(name, text))
		if err := w.archive(key, dump, prefixes[0]); err != nil {
			return fmt.Errorf("keep %s: %w", name, err)
		}
		w.know(name, text, key)
	}
	return w.bound()
}

// namedIn returns what the names of files of a kind in a folder hold by the name of a module: "module_0001.jit_step" by "jit_step".
func namedIn(folder string, kind *regexp.Regexp) (map[string][]string, error) {
	entries, err := os.ReadDir(folder)
	named := map[string][]string{}
	for _, e := range entries {
		if m := kind.FindStringSubmatch(e.Name()); m != nil {
			named[m[2]] = append(named[m[2]], m[1])
		}
	}
	return named, err
}

// archive stores a cache entry with the files of a module.
func (w *warmRun) archive(key, dump, prefix string) error {
	return files.Replace(filepath.Join(w.store, key+".zip"), func(f *os.File) error {
		out := zip.NewWriter(f)
		add := func(name, path string) error {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			to, err := out.Create(name)
			if err == nil {
				_, err = to.Write(data)
			}
			return err
		}
		if err := add(keptEntry, filepath.Join(w.jax, key)); err != nil {
			return err
		}
		err := filepath.WalkDir(dump, func(path string, e fs.DirEntry, err error) error {
			rest, ofModule := strings.CutPrefix(path, filepath.Join(dump, prefix))
			if err != nil || e.IsDir() || !ofModule || rest[0] != '.' && rest[0] != filepath.Separator {
				return err
			}
			return add(keptFiles+filepath.ToSlash(rest), path)
		})
		return errors.Join(err, out.Close())
	})
}

// keptModule matches what xlagate.compile of the Python package says of a program whose dump it kept.
var keptModule = regexp.MustCompile(`(?m)^xlagate: (module_\d+\.\S+) was compiled before, and is not compiled again\r?$`)

// restore replaces what XLA dumps of a program that JAX took from its cache by the files that were dumped when it was compiled, and returns the names of
// these modules. The optimized text that XLA dumps says which program it is.
func (w *warmRun) restore(dump string) (restored []string, err error) {
	modules, err := namedIn(dump, restoredText)
	if err != nil {
		return nil, fmt.Errorf("look into the dump: %w", err)
	}
	said, err := os.ReadFile(filepath.Join(dump, logFile))
	if err != nil {
		return nil, fmt.Errorf("read the log of the command: %w", err)
	}
	for _, m := range keptModule.FindAllSubmatch(said, -1) {
		restored = append(restored, string(m[1]))
	}
	for name, prefixes := range modules {
		for _, prefix := range prefixes {
			if _, err := os.Stat(filepath.Join(dump, prefix+".before_optimizations.txt")); err == nil {
				continue // compiled, for a TPU
			}
			path := filepath.Join(dump, prefix+".after_optimizations.txt")
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, fmt.Errorf("restore %s: %w", prefix, err)
			}
			keys := w.after[identity(name, text)]
			if len(keys) != 1 {
				return nil, fmt.Errorf("JAX took %s from its cache, and %d kept programs have this optimized module; run it without --cache", prefix, len(keys))
			}
			if err := w.unpack(keys[0], dump, prefix); err != nil {
				return nil, fmt.Errorf("restore %s: %w", prefix, err)
			}
			restored = append(restored, prefix)
		}
	}
	slices.Sort(restored)
	return restored, nil
}

func (w *warmRun) unpack(key, dump, prefix string) error {
	content, err := w.read(key)
	if err != nil {
		return err
	}
	stale, err := filepath.Glob(filepath.Join(dump, prefix+".after_optimizations.*"))
	if err != nil {
		return err
	}
	for _, path := range stale {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	for name, data := range content {
		rest, isFile := strings.CutPrefix(name, keptFiles)
		if !isFile {
			continue
		}
		path := filepath.Join(dump, prefix+filepath.FromSlash(rest))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// remove removes an archive, unless another capture has removed it.
func remove(archive string) error {
	if err := os.Remove(archive); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// bound removes the oldest archives of all toolchains beyond [maxKept].
func (w *warmRun) bound() error {
	paths, err := filepath.Glob(filepath.Join(filepath.Dir(w.store), "*", "*.zip"))
	if err != nil {
		return fmt.Errorf("look into the cache: %w", err)
	}
	infos := map[string]fs.FileInfo{}
	for _, path := range paths {
		if infos[path], err = os.Stat(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("look into the cache: %w", err)
		}
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return infos[path] == nil })
	slices.SortFunc(paths, func(a, b string) int { return infos[b].ModTime().Compare(infos[a].ModTime()) })
	size := int64(0)
	for _, path := range paths {
		if size += infos[path].Size(); size > maxKept {
			if err := remove(path); err != nil {
				return fmt.Errorf("drop an old program from the cache: %w", err)
			}
		}
	}
	return nil
}
