package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Cache is a directory of entries. Several processes may use it at once.
type Cache struct {
	path  string
	build string // entries of other builds are none
	most  int64  // bytes that all entries may take
}

// CacheBytes is what the entries in the user's cache directory may take together.
const CacheBytes = 512 << 20

// OpenCache opens, and makes on first use, the cache of the user who runs this, for one build of the program; nil where there is no place
// for one.
func OpenCache(build string) *Cache {
	base, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	return CacheAt(filepath.Join(base, "xlagate"), build, CacheBytes)
}

// CacheAt is a cache in a directory, whose entries take at most so many bytes.
func CacheAt(path, build string, most int64) *Cache { return &Cache{path, build, most} }

// name is the file of a key. Keys hold paths and may be long.
func (d *Cache) name(key string) string {
	sum := sha256.Sum256([]byte(d.build + "\x00" + key))
	return filepath.Join(d.path, hex.EncodeToString(sum[:])+suffix)
}

const suffix = ".facts"

// Load returns an entry, false where there is none that is whole.
func (d *Cache) Load(key string) ([]byte, bool) {
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
	_ = os.Chtimes(name, now, now) // it was of use: others go first
	return data[sha256.Size:], true
}

// Store keeps an entry. It appears whole or not at all.
func (d *Cache) Store(key string, data []byte) {
	if int64(len(data)) > d.most/4 || os.MkdirAll(d.path, 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(d.path, "new-*")
	if err != nil {
		return
	}
	defer os.Remove(f.Name()) // no longer there when all went well
	sum := sha256.Sum256(data)
	_, err = f.Write(append(sum[:], data...))
	if closed := f.Close(); err != nil || closed != nil {
		return
	}
	if os.Rename(f.Name(), d.name(key)) == nil {
		d.prune()
	}
}

// prune removes the entries that were of no use for longest, and what killed runs left behind, until the rest fits.
func (d *Cache) prune() {
	var entries []fs.FileInfo
	var total int64
	list, _ := os.ReadDir(d.path)
	for _, e := range list {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if filepath.Ext(info.Name()) != suffix {
			if time.Since(info.ModTime()) > time.Hour {
				_ = os.Remove(filepath.Join(d.path, info.Name()))
			}
			continue
		}
		entries, total = append(entries, info), total+info.Size()
	}
	slices.SortFunc(entries, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, e := range entries {
		if total <= d.most {
			return
		}
		if os.Remove(filepath.Join(d.path, e.Name())) == nil {
			total -= e.Size()
		}
	}
}
