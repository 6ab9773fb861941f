package files

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Cache is a directory of entries. Several processes may use it at once. A nil cache holds nothing.
type Cache struct {
	path  string
	build string       // entries of other builds are ignored
	most  int64        // bounds the bytes of all entries
	room  atomic.Int64 // bytes that may be written before the directory is looked through
}

// CacheBytes bounds the total size in bytes of the entries in the user's cache directory.
const CacheBytes = 512 << 20

// OpenCache opens the user's cache for one build of the program, and creates it on first use. It returns nil if there is no cache
// directory.
func OpenCache(build string) *Cache {
	base, err := UserDir()
	if err != nil {
		return nil
	}
	return CacheAt(base, build, CacheBytes)
}

// ErrInCheckout reports a cache directory that is not used because it is inside of a checkout.
var ErrInCheckout = errors.New("whoever wrote that could have filled it, so it is not used: set XDG_CACHE_HOME to a folder elsewhere")

// UserDir returns xlagate's directory in the user's cache directory. It fails with [ErrInCheckout] if that is inside of a
// checkout, where XDG_CACHE_HOME may put it in CI: whoever wrote the checkout could have written its content.
func UserDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	home, _ := os.UserHomeDir() // a person may keep it under git
	for at := filepath.Clean(base); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil && (at != home || os.Getenv("CI") != "") {
			return "", fmt.Errorf("the cache directory %s is inside of the checkout %s; %w", base, at, ErrInCheckout)
		}
		if at == filepath.Dir(at) {
			return filepath.Join(base, "xlagate"), nil
		}
	}
}

// CacheAt returns a cache in a directory. The total size of its entries is at most the given number of bytes.
func CacheAt(path, build string, most int64) *Cache {
	return &Cache{path: path, build: build, most: most}
}

// name returns the file name of a key, a digest: keys contain paths and may be long.
func (d *Cache) name(key string) string {
	return filepath.Join(d.path, fmt.Sprintf("%x", sha256.Sum256([]byte(d.build+"\x00"+key)))+suffix)
}

const suffix = ".facts"

// Load returns an entry, or false if it is missing or damaged.
func (d *Cache) Load(key string) ([]byte, bool) {
	if d == nil {
		return nil, false
	}
	name := d.name(key)
	data, err := os.ReadFile(name)
	if err != nil || len(data) < sha256.Size {
		return nil, false
	}
	sum := sha256.Sum256(data[sha256.Size:])
	if !bytes.Equal(sum[:], data[:sha256.Size]) {
		return nil, false
	}
	now := time.Now()
	_ = os.Chtimes(name, now, now) // marks it as recently used
	return data[sha256.Size:], true
}

// Store writes an entry atomically. Now and then it removes entries that were not used for long, and files of killed runs: looking for them takes longer
// the more entries there are.
func (d *Cache) Store(key string, data []byte) {
	if d == nil || int64(len(data)) > d.most/4 || os.MkdirAll(d.path, 0o700) != nil || d.write(d.name(key), data) != nil {
		return
	}
	if left := d.room.Add(-int64(len(data))); left < 0 {
		d.room.Store(d.most / 64)
		if first := left == -int64(len(data)); first && d.tidied() {
			return
		}
		sweep(d.path)
		Prune(d.path, suffix, d.most, 0)
	}
}

// tidied reports whether a run looked through the directory a short time ago, and notes that one does: with 16,000 entries that takes longer than a check.
func (d *Cache) tidied() bool {
	const often = 10 * time.Minute
	mark := filepath.Join(d.path, "tidied")
	if info, err := os.Stat(mark); err == nil && time.Since(info.ModTime()) < often {
		return true
	}
	_ = os.WriteFile(mark, nil, 0o600)
	return false
}

func (d *Cache) write(name string, data []byte) (err error) {
	f, err := beside(name, 0o666)
	if err != nil {
		return err
	}
	entry := &file{f, name}
	defer func() { err = errors.Join(err, entry.drop()) }()
	sum := sha256.Sum256(data)
	if _, err := f.Write(sum[:]); err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	return entry.keep()
}

// Prune removes the least recently used of the files in a folder whose names end in a suffix, until the others hold at most so many bytes. It
// spares files that were used within a time, and ignores errors.
func Prune(dir, suffix string, most int64, spared time.Duration) {
	var found []fs.FileInfo
	var total int64
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(info.Name(), suffix) {
			found, total = append(found, info), total+info.Size()
		}
	}
	slices.SortFunc(found, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range found {
		if total <= most || time.Since(f.ModTime()) < spared {
			return
		}
		if os.Remove(filepath.Join(dir, f.Name())) == nil {
			total -= f.Size()
		}
	}
}
