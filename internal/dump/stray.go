package dump

import (
	"bytes"
	"path"
	"strings"
)

// strayNames are files of no module that are known by their names.
var strayNames = []struct {
	is   func(base string) bool
	kind Kind
}{
	{is("xlagate-toolchain.json"), KindToolchain},
	{is("xlagate-stdout.log", "xlagate-stderr.log"), KindLog}, // whatever they begin with
	{ends(".trace.json.gz", ".trace.json", ".xplane.pb", ".xplane.pb.gz", "perfetto_trace.json.gz"), KindTrace},
	{isOpStacks, KindOpStacks},
	{is("saved_model.pb", "saved_model.pbtxt", "fingerprint.pb", "keras_metadata.pb", "variables.index"), KindSavedModel},
	{starts("variables.data-"), KindSavedModel},
	{ends("-cache", "-atime"), KindCacheEntry},
	{ends(".json"), KindJSON},
	{ends(".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.zst", ".zip"), KindArchive},
}

func is(names ...string) func(string) bool {
	return func(base string) bool {
		for _, n := range names {
			if base == n {
				return true
			}
		}
		return false
	}
}

func ends(suffixes ...string) func(string) bool {
	return func(base string) bool {
		for _, s := range suffixes {
			if strings.HasSuffix(base, s) {
				return true
			}
		}
		return false
	}
}

func starts(prefix string) func(string) bool {
	return func(base string) bool { return strings.HasPrefix(base, prefix) }
}

func isOpStacks(base string) bool {
	return strings.HasSuffix(base, ".csv") && strings.Contains(base, ".op_stacktrace.")
}

// isLogName tells the names that people and runners give to what a program printed.
func isLogName(base string) bool {
	base = cutCompression(base)
	stem, ext, _ := strings.Cut(base, ".")
	switch {
	case strings.HasSuffix(base, ".log"), strings.HasSuffix(base, ".out"), strings.HasSuffix(base, ".err"):
		return true
	case ext == "" || ext == "txt":
		return stem == "log" || stem == "stdout" || stem == "stderr"
	}
	return false
}

// saysError tells an error of TensorFlow's bridge to XLA that somebody stored as it was raised.
func saysError(head []byte) bool {
	return bytes.Contains(head, []byte("tf2xla conversion failed")) || bytes.Contains(head, []byte("Detected unsupported operations"))
}

// strayKind tells what a file of no module is: by its name where that is certain, else by its content, else by its extension.
func strayKind(f *File) (Kind, error) {
	if f.Kind != "" {
		return f.Kind, nil
	}
	base := path.Base(f.rel)
	for _, n := range strayNames {
		if n.is(base) {
			return n.kind, nil
		}
	}
	head, err := f.head(headSize)
	if err != nil {
		return "", err
	}
	if kind := sniff(head); kind != "" {
		return kind, nil
	}
	if kind, ok := unitKind(base); ok {
		return kind, nil
	}
	if isLogName(base) || saysError(head) {
		return KindLog, nil
	}
	_, kind, _ := cutCompanion(base)
	return kind, nil
}

// sniffedRole is the role of a module's file whose name says nothing that this version knows.
func sniffedRole(f *File, suffix string) (role, bool) {
	head, err := f.head(headSize)
	if err != nil {
		return role{}, false
	}
	kind := sniff(head)
	switch kind {
	case KindHLOText, KindHLOProto, KindDot, KindHTML, KindRiegeli:
		stem, _, _ := cutFormat(suffix)
		return role{&Stage{Kind: StageOther, Label: stem}, kind}, true
	}
	return role{kind: kind}, kind != ""
}
