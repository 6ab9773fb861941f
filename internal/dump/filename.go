package dump

import "strings"

// fileName is the name of a file that belongs to a module:
//
//	[stamp.][scope.]module_NNNN[.rest]
//
// Nothing marks where in the rest the module's name ends: it may hold dots. It is found out from the names of all files that
// share a number.
type fileName struct {
	stamp  string // microseconds since the epoch, "" for none
	scope  string // the computation that the file is about, "" for the whole module
	number string // "0010", as written
	rest   string
}

// parseFileName takes the name of a file or directory apart; ok tells whether it belongs to a module.
func parseFileName(base string) (n fileName, ok bool) {
	rest := base
	if stamp, after, found := strings.Cut(base, "."); found && len(stamp) >= 10 && len(stamp) <= 20 && allDigits(stamp) {
		n.stamp, rest = stamp, after
	}
	at := findModule(rest)
	if at < 0 {
		return fileName{}, false
	}
	if at > 0 {
		n.scope = rest[:at-1]
	}
	n.number, n.rest, _ = strings.Cut(rest[at+len("module_"):], ".")
	return n, true
}

// findModule is where in a name "module_NNNN" stands, between dots; -1 for nowhere.
func findModule(s string) int {
	for at := 0; ; {
		i := strings.Index(s[at:], "module_")
		if i < 0 {
			return -1
		}
		i += at
		number, _, _ := strings.Cut(s[i+len("module_"):], ".")
		if len(number) >= 4 && allDigits(number) && (i == 0 || s[i-1] == '.') {
			return i
		}
		at = i + 1
	}
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// sanitize is what XLA does to a file's name.
func sanitize(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\[] `, r) {
			return '_'
		}
		return r
	}, name)
}

// cutChangelist cuts off the ".cl_N" that builds from Google's own tree add to a module's name.
func cutChangelist(name string) string {
	i := strings.LastIndex(name, ".cl_")
	if i < 0 || !allDigits(name[i+len(".cl_"):]) {
		return name
	}
	return name[:i]
}

// cutCompression cuts off the extension of a compressed file.
func cutCompression(name string) string {
	for _, ext := range []string{".gz", ".zst", ".xz"} {
		if s, ok := strings.CutSuffix(name, ext); ok {
			return s
		}
	}
	return name
}
