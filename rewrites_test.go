package xlagate_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/xlagate/xlagate/internal/hlo/hlotest"
)

// rewrite says a dump in another way: the same program, as another run, another machine or another place in the file would dump it.
type rewrite struct {
	what string
	of   func([]packed, *rand.Rand) []packed
}

var rewrites = []rewrite{
	{"instructions and computations renumbered", renumbered},
	{"computations, and instructions without a schedule, in another order", eachModule(reordered)},
	{"modules renumbered", modulesRenumbered},
	{"tables of places renumbered", eachModule(tablesRenumbered)},
	{"all lines of the source shifted", eachModule(linesShifted)},
	{"the source in another folder", eachModule(folderMoved)},
	{"channels renumbered", channelsRenumbered},
	{"other white space", eachModule(spaced)},
	{"files in another order", filesShuffled},
}

// isModule reports whether a file holds a module as text.
func isModule(data []byte) bool { return strings.HasPrefix(string(data), "HloModule ") }

// onlyText reports whether all files of a dump are text, among them an optimized module: names can be changed in all of them alike.
func onlyText(entries []packed) bool {
	optimized := false
	for _, e := range entries {
		if !utf8.Valid(e.data) || strings.HasSuffix(e.Name, ".pb") || strings.HasSuffix(e.Name, ".pbtxt") && strings.Contains(string(e.data), "node {") {
			return false
		}
		optimized = optimized || isModule(e.data) && strings.Contains(e.Name, "after_optimizations")
	}
	return optimized
}

// eachModule is a rewrite that changes the text of every module by itself.
func eachModule(change func(string, *rand.Rand) string) func([]packed, *rand.Rand) []packed {
	return func(entries []packed, random *rand.Rand) []packed {
		return eachText(entries, func(text string) string {
			if !isModule([]byte(text)) {
				return text
			}
			return change(text, random)
		})
	}
}

func eachText(entries []packed, change func(string) string) []packed {
	out := slices.Clone(entries)
	for i, e := range out {
		out[i] = withData(e, []byte(change(string(e.data))))
	}
	return out
}

func withData(e packed, data []byte) packed {
	header := *e.Header
	header.Size = int64(len(data))
	return packed{&header, data}
}

var (
	defined  = regexp.MustCompile(`(?m)^\s*(?:ROOT |ENTRY )?%([\w.-]+\.\d+) [=(]`)
	anyWord  = regexp.MustCompile(`[A-Za-z_][\w.-]*\w`)
	inFiles  = regexp.MustCompile(`module_(\d+)\.`)
	channel  = regexp.MustCompile(`channel_id=(\d+)`)
	line     = regexp.MustCompile(`\b((?:end_|source_(?:end_)?)?line)=(\d+)`)
	filePath = regexp.MustCompile(`(?m)^(\d+ "|.*source_file=")/?([\w./-]+\.py")`)
)

// renumbered adds an amount to the number in every name, in every file. Kernels in PTX, LLVM IR and launch plans are named with another
// separator.
func renumbered(entries []packed, random *rand.Rand) []packed {
	by := 1000 + random.IntN(9000)
	names := map[string]string{}
	for _, e := range entries {
		if !isModule(e.data) {
			continue
		}
		for _, m := range defined.FindAllStringSubmatch(string(e.data), -1) {
			names[m[1]] = plus(m[1], by)
		}
	}
	for _, e := range entries {
		delete(names, moduleName(e.data))
	}
	mangled := map[string]string{}
	for name, other := range names {
		mangled[strings.ReplaceAll(name, ".", "_")] = strings.ReplaceAll(other, ".", "_")
	}
	out := slices.Clone(entries)
	for i, e := range out {
		table := names
		if strings.HasSuffix(e.Name, ".ptx") || strings.HasSuffix(e.Name, ".ll") || strings.Contains(e.Name, ".thunk_sequence.") {
			table = mangled
		}
		out[i] = withData(e, []byte(anyWord.ReplaceAllStringFunc(string(e.data), func(word string) string {
			if other, ok := table[word]; ok {
				return other
			}
			return word
		})))
	}
	return out
}

// moduleName is what a module calls itself; files are called after it.
func moduleName(data []byte) string {
	first, _, _ := strings.Cut(string(data), "\n")
	name, _, _ := strings.Cut(strings.TrimPrefix(first, "HloModule "), ",")
	return name
}

// plus adds an amount to the number behind the last dot of a name.
func plus(name string, by int) string {
	dot := strings.LastIndexByte(name, '.')
	n, _ := strconv.Atoi(name[dot+1:])
	return fmt.Sprintf("%s.%d", name[:dot], n+by)
}

var fused = regexp.MustCompile(`fusion\(.*calls=%([\w.-]+)`)

// reordered leaves the instructions of a computation in their order where that is the schedule.
func reordered(text string, random *rand.Rand) string {
	free := map[string]bool{}
	for _, m := range fused.FindAllStringSubmatch(text, -1) {
		free[m[1]] = true
	}
	scheduled := strings.Contains(text, "is_scheduled=true")
	return hlotest.Reorder(text, random, func(computation string) bool { return !scheduled || free[computation] })
}

func modulesRenumbered(entries []packed, random *rand.Rand) []packed {
	by := 1 + random.IntN(500)
	out := slices.Clone(entries)
	for i, e := range out {
		e = withData(e, e.data)
		e.Name = inFiles.ReplaceAllStringFunc(e.Name, func(s string) string {
			n, _ := strconv.Atoi(s[len("module_") : len(s)-1])
			return fmt.Sprintf("module_%04d.", n+by)
		})
		out[i] = e
	}
	return out
}

// tables are those above the first computation, and the keys by which others speak of their rows.
var tables = []struct {
	title string
	key   *regexp.Regexp
}{
	{"FileNames", regexp.MustCompile(`\b(file_name_id=)(\d+)`)},
	{"FunctionNames", regexp.MustCompile(`\b(function_name_id=)(\d+)`)},
	{"FileLocations", regexp.MustCompile(`\b(file_location_id=)(\d+)`)},
}

func tablesRenumbered(text string, random *rand.Rand) string {
	for _, t := range tables {
		before, rest, found := strings.Cut(text, "\n"+t.title+"\n")
		body, after, closed := strings.Cut(rest, "\n\n")
		if !found || !closed {
			continue
		}
		rows := strings.Split(body, "\n")
		numbers := random.Perm(len(rows))
		renumbered := make([]string, len(rows))
		for i, row := range rows {
			_, content, _ := strings.Cut(row, " ")
			renumbered[numbers[i]] = fmt.Sprintf("%d %s", numbers[i]+1, content)
		}
		after = t.key.ReplaceAllStringFunc(after, func(s string) string {
			key, id, _ := strings.Cut(s, "=")
			n, _ := strconv.Atoi(id)
			return fmt.Sprintf("%s=%d", key, numbers[n-1]+1)
		})
		text = before + "\n" + t.title + "\n" + strings.Join(renumbered, "\n") + "\n\n" + after
	}
	return text
}

func linesShifted(text string, random *rand.Rand) string {
	by := 1 + random.IntN(40)
	return added(line, text, by)
}

// channelsRenumbered numbers the channels of all modules in one way: processes that talk to each other have the same.
func channelsRenumbered(entries []packed, random *rand.Rand) []packed {
	by := 1 + random.IntN(100)
	renumber := func(text string, _ *rand.Rand) string { return added(channel, text, by) }
	return eachModule(renumber)(entries, random)
}

// added adds an amount to every number behind what an expression finds.
func added(where *regexp.Regexp, text string, by int) string {
	return where.ReplaceAllStringFunc(text, func(s string) string {
		key, number, _ := strings.Cut(s, "=")
		n, _ := strconv.Atoi(number)
		return fmt.Sprintf("%s=%d", key, n+by)
	})
}

func folderMoved(text string, random *rand.Rand) string {
	return filePath.ReplaceAllString(text, fmt.Sprintf("${1}/home/runner%d/work/${2}", random.IntN(100)))
}

func spaced(text string, random *rand.Rand) string {
	lines := strings.Split(text, "\n")
	var out []string
	for _, l := range lines {
		if strings.HasPrefix(l, "  ") {
			l = strings.Repeat(" ", random.IntN(4)) + l
		}
		out = append(out, l)
		if l == "}" && random.IntN(2) == 0 {
			out = append(out, "")
		}
	}
	return strings.Join(out, "\n")
}

func filesShuffled(entries []packed, random *rand.Rand) []packed {
	out := slices.Clone(entries)
	random.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}
