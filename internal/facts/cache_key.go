package facts

import (
	"encoding/base64"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// CacheKey is listed among the unstable facts of a variant that JAX finds under another key in its persistent cache each time.
const CacheKey = "cache-key"

// KeyDifference is the first difference between what two compiles of one program give JAX's persistent cache to hash.
type KeyDifference struct {
	First, Other string // the words that differ
	Lines        [2]string
	Source       hlo.Location // of the operation that they belong to; zero where the module names none
}

// keyInput is what JAX hashes for the key of a program, as far as XLA dumps it: the module that JAX lowers, and the options of the compiler.
type keyInput struct{ module, options, root string }

// readKeyInput returns the input of the module's key; nil where the lowered module was not dumped.
func (out *measuring) readKeyInput() *keyInput {
	in := keyInput{root: out.Root}
	for _, f := range out.module.Companions {
		part := map[string]*string{"module.mlir": &in.module, "compile_options.textproto": &in.options}[path.Base(f.Rel)]
		if part != nil {
			*part, _ = readCompanion(out, f, func(data []byte) (string, error) { return string(data), nil })
		}
	}
	if in.module == "" {
		return nil
	}
	return &in
}

// keyDiffers compares the inputs of a variant's keys. It returns nil where they are equal, and known is false where fewer than two were dumped. A program
// that is another one in every compile has other keys, too: that is no difference of the keys.
func (v *Variant) keyDiffers() (d *KeyDifference, known bool) {
	var first *compile
	for i := range v.Compiles {
		c := &v.Compiles[i]
		switch {
		case c.keyInput == nil:
		case first == nil:
			first = c
		case c.Run != first.Run:
			known = true
			if d := first.keyInput.differs(c.keyInput); d != nil && !v.InputVaries {
				return d, true
			}
		}
	}
	return nil, known
}

func (in *keyInput) differs(other *keyInput) *KeyDifference {
	if d := firstDifference(in.module, other.module, withoutLocation); d != nil {
		d.Source = in.locate(d.Lines[0])
		d.Lines = [2]string{withoutLocation(d.Lines[0]), withoutLocation(d.Lines[1])}
		return d
	}
	return firstDifference(in.options, other.options, hashedOption)
}

// location matches where an operation or an argument of a module comes from. JAX leaves that out of the key.
var location = regexp.MustCompile(` loc\((?:#loc\d*|unknown|"(?:[^"\\]|\\.)*"(?:\([^()]*\))?)\)`)

func withoutLocation(line string) string {
	if strings.HasPrefix(line, "#loc") {
		return ""
	}
	return strings.TrimSpace(location.ReplaceAllString(line, ""))
}

// hashedOption returns a line of the compiler's options, or nothing for those that JAX leaves out of the key.
func hashedOption(line string) string {
	line = strings.TrimSpace(line)
	for _, name := range []string{"xla_dump_", "xla_force_host_platform_device_count:", "xla_gpu_cuda_data_dir:", "xla_gpu_experimental_autotune_cache_mode:"} {
		if strings.HasPrefix(line, name) {
			return ""
		}
	}
	return line
}

// firstDifference compares what is hashed of two texts line by line.
func firstDifference(a, b string, hashed func(line string) string) *KeyDifference {
	for a != "" || b != "" {
		var d KeyDifference
		var one, other string
		d.Lines[0], one, a = nextHashed(a, hashed)
		d.Lines[1], other, b = nextHashed(b, hashed)
		if one != other {
			d.First, d.Other = differingWords(one, other)
			return &d
		}
	}
	return nil
}

// nextHashed returns the next line of which something is hashed, that, and the text behind it.
func nextHashed(text string, hashed func(line string) string) (line, part, rest string) {
	for rest = text; part == "" && rest != ""; {
		line, rest, _ = strings.Cut(rest, "\n")
		part = hashed(line)
	}
	return line, part, rest
}

// word matches a piece of a line that is named as a whole: an attribute with its value, a string, a name, or one character.
var word = regexp.MustCompile(`(?:[\w.]+ ?[=:] )?"(?:[^"\\]|\\.)*"|[@%#]?[\w.$]+|\S`)

// differingWords returns the first word of each line that the other does not have at its place; of long ones, what is around the place where they differ.
func differingWords(a, b string) (one, other string) {
	as, bs := append(word.FindAllString(a, -1), ""), append(word.FindAllString(b, -1), "")
	i := common(as, bs)
	one, other = as[min(i, len(as)-1)], bs[min(i, len(bs)-1)]
	at := common([]byte(one), []byte(other))
	if x, y := decoded(one, at), decoded(other, at); x != nil && y != nil {
		at = common(x, y)
		name, _, _ := strings.Cut(one, "=")
		return name + "= …" + printableAround(x, at), name + "= …" + printableAround(y, at)
	}
	return around(one, at), around(other, at)
}

// common returns how many elements two slices begin with alike.
func common[T comparable](a, b []T) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// decoded returns the bytes that a string within a word holds in base64, as the body of a kernel is; nil where the place is in none.
func decoded(word string, at int) []byte {
	begin, end := strings.LastIndex(word[:at], `\22`), strings.IndexByte(word[at:], '\\')
	if begin < 0 || end < 0 {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(word[begin+len(`\22`) : at+end])
	if err != nil {
		return nil
	}
	return data
}

// printableAround returns the text around a place among bytes.
func printableAround(data []byte, at int) string {
	begin, end := at, at
	for begin > 0 && data[begin-1] >= ' ' && data[begin-1] <= '~' {
		begin--
	}
	for end < len(data) && data[end] >= ' ' && data[end] <= '~' {
		end++
	}
	return around(string(data[begin:end]), at-begin)
}

// around cuts a long word down to what stands before and behind a place in it.
func around(word string, at int) string {
	const head, shown = 24, 60
	if len(word) <= head+2*shown {
		return word
	}
	begin := ""
	if at > head+shown {
		begin, word = word[:head]+"…", word[at-shown:]
	}
	return strings.ToValidUTF8(begin+phrase.Cut(word, 2*shown, 2*shown-1), "")
}

var (
	locationName = regexp.MustCompile(`#loc\d*\b`)
	filePosition = regexp.MustCompile(`loc\("((?:[^"\\]|\\.)*)":(\d+):`)
)

// locate returns the line of the model that a line of the lowered module comes from: the innermost frame of its location. Locations refer to others.
func (in *keyInput) locate(line string) hlo.Location {
	names := locationName.FindAllString(line, -1) // the operation's own comes after those of its arguments
	for range 32 {                                // a cut-off module may refer in a circle
		if names == nil {
			break
		}
		_, definition, _ := strings.Cut(in.module, "\n"+names[len(names)-1]+" = ")
		definition, _, _ = strings.Cut(definition, "\n")
		if m := filePosition.FindStringSubmatch(definition); m != nil {
			n, _ := strconv.ParseInt(m[2], 10, 32)
			return hlo.Location{File: strings.TrimPrefix(m[1], in.root), Line: int32(n)}
		}
		names = locationName.FindAllString(definition, 1)
	}
	return hlo.Location{}
}
