package facts

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/hlo"
)

// memoryCache counts what is asked of it, by as many modules at once as are measured.
type memoryCache struct {
	mu            sync.Mutex
	entries       map[string][]byte
	hits, written int
}

func (c *memoryCache) Load(key string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	data, ok := c.entries[key]
	if ok {
		c.hits++
	}
	return data, ok
}

func (c *memoryCache) Store(key string, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written++
	c.entries[key] = data
}

func measureAt(t *testing.T, path string, opts Options) *Report {
	t.Helper()
	d, err := dump.Open(context.Background(), path, dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Measure(context.Background(), d, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRecalledFactsAreTheSame(t *testing.T) {
	dumps, err := filepath.Glob("testdata/*.tar.gz")
	if err != nil || len(dumps) == 0 {
		t.Fatal(dumps, err)
	}
	recalled := 0
	for _, path := range dumps {
		want := measureAt(t, path, Options{})
		c := &memoryCache{entries: map[string][]byte{}}
		if got := measureAt(t, path, Options{Cache: c, CacheOnly: true}); !reflect.DeepEqual(got, want) || c.written > 0 {
			t.Errorf("%s: the facts differ, or %d were put into the cache", path, c.written)
		}
		for range 2 {
			if got := measureAt(t, path, Options{Cache: c}); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: the facts differ with a cache that was asked for %d modules", path, c.hits)
			}
		}
		if c.hits != c.written {
			t.Errorf("%s: %d modules were remembered, %d were asked for again", path, c.written, c.hits)
		}
		recalled += c.hits
	}
	if recalled == 0 {
		t.Error("nothing was recalled")
	}
}

// Whatever file of a dump changes, in content alone or by its name, the facts are those of the dump as it is.
func TestRecalledFactsFollowTheFiles(t *testing.T) {
	dir := t.TempDir()
	d, err := dump.Open(context.Background(), "testdata/cpu-while.tar.gz", dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var paths []string
	for _, f := range d.Modules[0].Files() {
		data, release, err := f.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, filepath.Join(dir, filepath.Base(f.Path)))
		if err := os.WriteFile(paths[len(paths)-1], data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := release(); err != nil {
			t.Fatal(err)
		}
	}
	c := &memoryCache{entries: map[string][]byte{}}
	same := func(what string) {
		t.Helper()
		got, want := measureAt(t, dir, Options{Cache: c}), measureAt(t, dir, Options{})
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the facts are not those of the dump", what)
		}
	}
	same("at first")
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.NewReplacer("add", "max", "1024", "2048", "3", "4").Replace(string(data)) // of the same length
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		same("with another " + filepath.Base(path))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		same("with the old " + filepath.Base(path))
	}
	for _, path := range paths {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if len(paths) > 1 && strings.Contains(path, "after_optimizations.txt") {
			break // nothing is left to measure
		}
		same("without " + filepath.Base(path))
	}
}

func TestDamagedMemosAreNone(t *testing.T) {
	c := &memoryCache{entries: map[string][]byte{}}
	want := measureAt(t, "testdata/cpu-while.tar.gz", Options{Cache: c})
	for key, data := range c.entries {
		c.entries[key] = data[:len(data)/2]
	}
	if got := measureAt(t, "testdata/cpu-while.tar.gz", Options{Cache: c}); !reflect.DeepEqual(got, want) {
		t.Error("the facts differ with a damaged cache")
	}
	if c.written < 2 {
		t.Error("what was damaged was not written again")
	}
}

// Whatever is added to the facts of a module is remembered, too.
func TestEveryFieldIsRemembered(t *testing.T) {
	var want measurement
	n := 0
	fill(reflect.ValueOf(&want).Elem(), &n)
	data, err := files.Pack(want)
	if err != nil {
		t.Fatal(err)
	}
	var got measurement
	if err := files.Unpack(data, &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) || n < 100 {
		t.Errorf("of %d values some were lost", n)
	}
}

// fill gives every field another value. What refers to the files themselves and to the run is not remembered.
func fill(v reflect.Value, n *int) {
	switch v.Type() {
	case reflect.TypeFor[*hlo.Module](), reflect.TypeFor[*dump.Module](), reflect.TypeFor[[]func() error]():
		return
	}
	*n++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*n % 100))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*n % 100))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(*n))
	case reflect.String:
		v.SetString(strings.Repeat("x", *n%50))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, n)
		fill(value, n)
		v.SetMapIndex(key, value)
	case reflect.Pointer:
		if v.Set(reflect.New(v.Type().Elem())); v.Type() == reflect.TypeFor[*Stack]() {
			fill(v.Elem().FieldByName("Location"), n) // it would have no end
			return
		}
		fill(v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			fill(reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem(), n)
		}
	}
}
