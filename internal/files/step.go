package files

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// Step changes several files below a folder atomically: after a kill or on a full disk all of them are old, or all are new.
//
// Commit stages the new content beside the files, then renames a journal into place. From then on the step is committed. Last it
// renames each staged file. A run that is killed before the journal exists leaves the old files; after that, the next run that
// opens the folder renames the rest.
type Step struct {
	root    *os.Root
	lock    *lock
	key     []byte            // seals the journal
	also    string            // a file outside the folder that may be changed in the same step
	pending map[string][]byte // by name below the folder; nil removes a file
	beside  []byte            // the new content of also; nil leaves it
	made    []string          // the folders that the step created, the inner ones first

	reached func()                    // called between any two operations, also by several goroutines; tests kill the process there
	limit   func(io.Writer) io.Writer // wraps writers; tests simulate a full disk
}

// The names of a step's own files.
const (
	staging     = ".xlagate-step"
	journalFile = staging + "/journal"
	lockFile    = staging + ".lock"
)

// journal lists the changes of a step.
type journal struct {
	Files []journaled `json:"files"`
	Also  string      `json:"also,omitempty"` // the file outside of the folder, whose new content is staged as "also"
	Seal  string      `json:"seal,omitempty"` // shows that a run of this user wrote the journal: the folder may be from a repository that somebody else wrote
}

func (j journal) sealed(key []byte) string {
	j.Seal = ""
	text, _ := json.Marshal(j) // strings never fail
	sum := hmac.New(sha256.New, key)
	sum.Write(text)
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// sealKey returns the key of this user's journals, which it creates on first use. Without a place for it the key is that of this run alone: then no other
// run finishes its step.
func sealKey() []byte {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	base, err := UserDir()
	name := filepath.Join(base, "keys", "journal")
	if err != nil || os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return key
	}
	_ = Create(name, func(f *os.File) error { // an existing one stays
		_, err := f.Write(key)
		return err
	})
	if kept, err := os.ReadFile(name); err == nil && len(kept) == len(key) {
		return kept
	}
	return key
}

type journaled struct {
	Name   string `json:"name"`
	Staged string `json:"staged,omitempty"` // "" removes the file
}

// Begin starts a step in a folder, which it creates if necessary, and finishes a killed step. It returns [Held] while another
// step runs. The step may also change the file also, outside the folder; "" for none.
func Begin(dir, also string) (*Step, error) {
	var made []string
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, at)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	s := &Step{root: root, also: also, key: sealKey(), made: made, pending: map[string][]byte{}, reached: func() {}, limit: func(w io.Writer) io.Writer { return w }}
	if s.lock, err = acquire(root, lockFile); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	if err := s.finish(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Finish finishes a killed step of a folder, and reports whether there was one.
func Finish(dir, also string) (bool, error) {
	const patience = 10 * time.Second // of a reader, for a committed step to finish
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Lstat(dir + "/" + journalFile); err != nil {
			return false, nil
		}
		s, err := Begin(dir, also)
		if errors.As(err, new(*Held)) && time.Since(start) < patience {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("finish what was being written to %s: %w", dir, err)
		}
		return true, s.Close()
	}
}

// Write changes a file below the folder. The data must stay as it is until the step is committed.
func (s *Step) Write(name string, data []byte) {
	if data == nil {
		data = []byte{} // nil removes
	}
	s.pending[name] = data
}

// Remove removes a file below the folder, and folders that become empty.
func (s *Step) Remove(name string) { s.pending[name] = nil }

// Also changes the file outside the folder.
func (s *Step) Also(data []byte) { s.beside = data }

// Commit makes the changes.
func (s *Step) Commit() error {
	if len(s.pending) == 0 && s.beside == nil {
		return nil
	}
	if err := s.stage(); err != nil {
		return errors.Join(err, s.root.RemoveAll(staging))
	}
	s.pending, s.beside = map[string][]byte{}, nil
	if err := s.finish(); err != nil {
		return fmt.Errorf("%w; the next run does what is left", err)
	}
	return nil
}

// Close ends the step and drops uncommitted changes.
func (s *Step) Close() error {
	err := errors.Join(s.lock.release(), s.root.Close())
	for _, dir := range s.made {
		_ = os.Remove(dir) // fails if it is not empty
	}
	return err
}

// stage writes the new content beside the files, then the journal.
func (s *Step) stage() error {
	if err := errors.Join(s.root.RemoveAll(staging), s.root.Mkdir(staging, 0o755)); err != nil {
		return err
	}
	var j journal
	var writing errgroup.Group // a disk flushes many files almost as fast as one
	writing.SetLimit(8)
	failed := make([]error, len(s.pending))
	for i, name := range slices.Sorted(maps.Keys(s.pending)) {
		one := journaled{Name: name}
		if data := s.pending[name]; data != nil {
			one.Staged = strconv.Itoa(i)
			writing.Go(func() error {
				if err := errors.Join(s.room(name), s.put(one.Staged, data)); err != nil {
					failed[i] = fmt.Errorf("write %s: %w", name, err)
				}
				return nil
			})
		}
		j.Files = append(j.Files, one)
	}
	_ = writing.Wait()
	for _, err := range failed { // that of the first file, whichever failed first
		if err != nil {
			return err
		}
	}
	slices.SortStableFunc(j.Files, func(a, b journaled) int { return strings.Compare(b.Staged, a.Staged) }) // what is removed comes last: it may take its folder with it
	if s.beside != nil {
		j.Also = s.also
		if err := s.put("also", s.beside); err != nil {
			return fmt.Errorf("write %s: %w", s.also, err)
		}
	}
	j.Seal = j.sealed(s.key)
	text, err := json.Marshal(j)
	if err == nil {
		err = s.put("journal.new", text)
	}
	if err != nil {
		return err
	}
	s.sync(staging)
	err = s.root.Rename(staging+"/journal.new", journalFile)
	s.sync(staging)
	s.reached()
	return err
}

// room creates the folder of a file, and returns an error if the file cannot be replaced: no step may fail once the journal exists.
func (s *Step) room(name string) error {
	if err := s.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	info, err := s.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && info.IsDir():
		return errors.New("a folder has this name")
	case err != nil || !info.Mode().IsRegular():
		return err
	}
	f, err := s.root.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func (s *Step) put(staged string, data []byte) error {
	f, err := s.root.OpenFile(staging+"/"+staged, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = s.limit(f).Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	s.reached()
	return err
}

// sync flushes the entries of a folder to disk, if the system supports it.
func (s *Step) sync(dir string) {
	if f, err := s.root.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// finish renames the staged files of a journal. It is idempotent.
func (s *Step) finish() error {
	text, err := s.root.ReadFile(journalFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s.root.RemoveAll(staging)
	}
	var j journal
	if err == nil {
		err = json.Unmarshal(text, &j)
	}
	if err == nil && !hmac.Equal([]byte(j.sealed(s.key)), []byte(j.Seal)) {
		err = errors.New("no run of this user wrote it, so that it is not followed: restore the folder from git, and remove " + staging + " from it")
	}
	if err == nil && j.Also != "" && j.Also != s.also {
		err = fmt.Errorf("it changes %s as well, which this run does not read: run it with that one", j.Also)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", journalFile, err)
	}
	folders := map[string]bool{".": true}
	for _, f := range j.Files {
		if err := s.place(f); err != nil {
			return fmt.Errorf("put %s into its place: %w", f.Name, err)
		}
		folders[path.Dir(f.Name)] = f.Staged != ""
		s.reached()
	}
	if j.Also != "" {
		if err := s.placeAlso(); err != nil {
			return fmt.Errorf("put %s into its place: %w", s.also, err)
		}
	}
	for dir, there := range folders {
		if there {
			s.sync(dir)
		}
	}
	if err := s.root.Remove(journalFile); err != nil {
		return err
	}
	s.reached()
	return s.root.RemoveAll(staging)
}

func (s *Step) place(f journaled) error {
	if f.Staged == "" {
		err := s.root.Remove(f.Name)
		for dir := path.Dir(f.Name); dir != "." && s.root.Remove(dir) == nil; dir = path.Dir(dir) {
		}
		return ignore(err, fs.ErrNotExist)
	}
	err := s.root.Rename(staging+"/"+path.Base(f.Staged), f.Name)
	return ignore(err, fs.ErrNotExist) // a file that is no longer staged was already renamed
}

func (s *Step) placeAlso() error {
	data, err := s.root.ReadFile(staging + "/also")
	if err == nil {
		err = Replace(s.also, func(f *os.File) error {
			_, err := f.Write(data)
			return errors.Join(err, f.Sync())
		})
	}
	s.reached()
	return err
}

func ignore(err, target error) error {
	if errors.Is(err, target) {
		return nil
	}
	return err
}
