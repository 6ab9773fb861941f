package baseline

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// reader steps through a text as writer and flow write it, and through no more of YAML. Once anything else stands there, it has
// failed for good. The strings that it returns are parts of the text.
type reader struct {
	rest   string // what is left to read
	failed bool
	items  []string // of the list that is being read
}

func (r *reader) fail() {
	r.rest, r.failed = "", true
}

// skip steps over what comes next, if it is that.
func (r *reader) skip(next string) (found bool) {
	r.rest, found = strings.CutPrefix(r.rest, next)
	return found
}

// want is skip of what has to come.
func (r *reader) want(next string) {
	if !r.skip(next) {
		r.fail()
	}
}

// take steps over the next n bytes.
func (r *reader) take(n int) (taken string) {
	taken, r.rest = r.rest[:n], r.rest[n:]
	return taken
}

// key steps over a key and its colon, if it is that key.
func (r *reader) key(name string) bool {
	n := len(name) + len(": ")
	if len(r.rest) < n || r.rest[:len(name)] != name || r.rest[len(name):n] != ": " {
		return false
	}
	r.rest = r.rest[n:]
	return true
}

// scalar reads what quote writes.
func (r *reader) scalar() string {
	if !strings.HasPrefix(r.rest, `"`) {
		word := r.take(wordLen(r.rest))
		if !plain(word) {
			r.fail()
		}
		return word
	}
	for i := 1; i < len(r.rest); i++ {
		switch c := r.rest[i]; {
		case c == '"':
			return r.take(i + 1)[1:i]
		case c == '\\' || c < ' ' || c > '~':
			return r.escaped()
		}
	}
	r.fail()
	return ""
}

// escaped is scalar for a text in quotes that holds more than ASCII as it stands.
func (r *reader) escaped() string {
	var b strings.Builder
	r.want(`"`)
	for r.rest != "" {
		char, n := utf8.DecodeRuneInString(r.rest)
		switch {
		case char == '"':
			r.take(n)
			return b.String()
		case char == '\\':
			char, n = unescape(r.rest)
		case hidden(char):
			n = 0
		}
		if n == 0 {
			break
		}
		b.WriteRune(char)
		r.take(n)
	}
	r.fail()
	return ""
}

// unescape reads what quote writes for a character that cannot stand as it is, and how long that is: 0 where it is anything else.
func unescape(s string) (char rune, length int) {
	const long = len(`\u0000`)
	switch {
	case strings.HasPrefix(s, `\\`), strings.HasPrefix(s, `\"`):
		return rune(s[1]), 2
	case len(s) < long || s[1] != 'u':
		return 0, 0
	}
	n, err := strconv.ParseUint(s[2:long], 16, 16)
	if err != nil || !hidden(rune(n)) {
		return 0, 0
	}
	return rune(n), long
}

// integer reads a whole number.
func (r *reader) integer() int64 {
	n, err := strconv.ParseInt(r.take(wholeLen(r.rest)), 10, 64)
	if err != nil {
		r.fail()
	}
	return n
}

// float reads what number writes.
func (r *reader) float() float64 {
	n := wholeLen(r.rest)
	if n < len(r.rest) && r.rest[n] == '.' {
		n += 1 + digits(r.rest[n+1:])
	}
	text := r.take(n)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || text == "-0" || strings.HasSuffix(text, ".") {
		r.fail()
	}
	return v
}

// wholeLen is the length of the whole number that a text starts with; 0 for none, or for one that YAML takes to be of base 8.
func wholeLen(s string) int {
	unsigned := strings.TrimPrefix(s, "-")
	n := digits(unsigned)
	if n == 0 || n > 1 && unsigned[0] == '0' {
		return 0
	}
	return len(s) - len(unsigned) + n
}

// digits is how many of them a text starts with.
func digits(s string) int {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return i
		}
	}
	return len(s)
}

// scalars reads a list in brackets.
func (r *reader) scalars() []string {
	r.items = r.items[:0]
	for open := r.skip("["); open; open = r.skip(", ") {
		r.items = append(r.items, r.scalar())
	}
	r.want("]")
	return slices.Clone(r.items)
}

// table is a map that is being read. Its keys stand in order, so that none stands twice.
type table[V any] struct {
	all  map[string]V
	last string
}

// maxKey bounds how a key that is read here is spelled, in bytes: YAML takes none of more than a kilobyte.
const maxKey = 256

func (t *table[V]) add(r *reader, value func(*reader) V) {
	before := len(r.rest)
	key := r.scalar()
	spelled := before - len(r.rest)
	r.want(": ")
	if t.all == nil {
		t.all = map[string]V{}
	} else if key <= t.last {
		r.fail()
	}
	if spelled > maxKey || key == "<<" {
		r.fail()
	}
	t.all[key], t.last = value(r), key
}
