package capture

import (
	"bytes"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
)

// libraries returns the versions of the installed packages that operations in a dump come from, by the name that is imported. They are read here, on the machine
// that compiled: the paths may mean something else elsewhere.
func libraries(d *dump.Dump) (map[string]string, error) {
	versions := map[string]string{}
	for _, m := range d.Modules {
		s := m.Unoptimized()
		if s == nil || s.HLO() == nil {
			s = m.Optimized()
		}
		if s == nil || s.HLO() == nil {
			continue
		}
		err := s.HLO().Read(func(data []byte) error {
			for folder, name := range installedIn(data) {
				if _, known := versions[name]; !known {
					versions[name] = versionIn(folder, name)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	maps.DeleteFunc(versions, func(_, version string) bool { return version == "" })
	return versions, nil
}

// installedIn finds the paths of files of installed packages in HLO text or HloProto: the folder of packages, and the name of one.
func installedIn(data []byte) iter.Seq2[string, string] {
	return func(yield func(folder, name string) bool) {
		const mark = "-packages/"
		for {
			at := bytes.Index(data, []byte(mark))
			if at < 0 {
				return
			}
			begin := bytes.LastIndexFunc(data[:at], func(r rune) bool { return r == '"' || r < ' ' }) + 1
			begin += max(bytes.IndexByte(data[begin:at], '/'), 0) // a HloProto has the length before it
			end := at + len(mark)
			name := facts.LibraryOf(string(data[begin:min(end+100, len(data))]))
			if name != "" && !yield(string(data[begin:end]), name) {
				return
			}
			data = data[end:]
		}
	}
}

// versionIn returns the version of the package in a folder that is imported by a name: that of the distribution of this name, else of one that installed files
// below the name, as dm-haiku does below haiku. It is "" where there is none.
func versionIn(folder, name string) string {
	entries, err := filepath.Glob(filepath.Join(folder, "*.dist-info"))
	if err != nil {
		return ""
	}
	byName := func(entry string) bool {
		distribution, _, _ := strings.Cut(filepath.Base(entry), "-")
		return strings.EqualFold(distribution, name)
	}
	byFiles := func(entry string) bool {
		record, err := os.ReadFile(filepath.Join(entry, "RECORD"))
		return err == nil && bytes.Contains(record, []byte("\n"+name+"/__init__.py,"))
	}
	at := slices.IndexFunc(entries, byName)
	if at < 0 {
		at = slices.IndexFunc(entries, byFiles)
	}
	if at < 0 {
		return ""
	}
	_, version, _ := strings.Cut(strings.TrimSuffix(filepath.Base(entries[at]), ".dist-info"), "-")
	return version
}
