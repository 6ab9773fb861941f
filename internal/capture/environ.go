package capture

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/xlagate/xlagate/internal/phrase"
)

// environ is the environment of a command while the dump flags are added to it.
type environ struct {
	vars  []string // "KEY=value", as in os.Environ
	dir   string   // the command's working directory; paths of flag files are relative to it
	torch bool     // it sets the debug variables of PyTorch/XLA
	logs  bool     // the user enabled TensorFlow's verbose log
	asks  bool     // the user wants to read why JAX traces again
	notes []string
}

// dumpEnvironment returns the user's environment with variables that make XLA, TensorFlow and, if it is among the installed versions, PyTorch/XLA dump into a
// directory.
func dumpEnvironment(opts Options, to string, versions map[string]string) (*environ, error) {
	e := &environ{vars: slices.Clone(opts.Env), dir: opts.Dir}
	add := []string{quoteFlag("xla_dump_to", to), "--xla_dump_hlo_as_text"}
	if opts.Passes {
		add = append(add, "--xla_dump_hlo_pass_re=.*")
	}
	if versions["torch_xla"] != "" {
		add = append(add, "--xla_dump_hlo_as_proto") // only the protos hold stack frames
		e.addTorch(to)
	}
	if err := e.addXLA("XLA_FLAGS", add...); err != nil {
		return nil, err
	}
	// libtpu reads its own variable after XLA_FLAGS: a dump directory there would take precedence.
	if e.get("LIBTPU_INIT_ARGS") != "" {
		if err := e.addXLA("LIBTPU_INIT_ARGS"); err != nil {
			return nil, err
		}
	}
	if err := e.addTensorFlow(to); err != nil {
		return nil, err
	}
	e.explainMisses(versions["jax"])
	e.disableCaches()
	if e.get("PYTHONUNBUFFERED") == "" {
		e.set("PYTHONUNBUFFERED", "1") // Python buffers output to a pipe, and a killed process loses the buffer
	}
	return e, nil
}

func (e *environ) addXLA(key string, add ...string) error {
	flags, err := e.flags(key)
	if err != nil {
		return err
	}
	flags = slices.DeleteFunc(flags, func(f flag) bool { return e.dropDumpFlag(key, f) })
	e.set(key, joinFlags(add, flags))
	return nil
}

// dropDumpFlag reports whether a flag of the user must be dropped because it redirects or suppresses the dump. It adds notes about flags that hide parts of it.
func (e *environ) dropDumpFlag(key string, f flag) bool {
	switch f.name {
	case "xla_dump_to":
		e.note("%s dumped to %s; this run dumps elsewhere", key, f.value)
		return true
	case "xla_dump_hlo_as_text":
		return true
	case "xla_dump_hlo_unoptimized_snapshots":
		e.note("%s is removed from %s: with it XLA dumps nothing else", f.raw, key)
		return true
	case "xla_dump_hlo_module_re", "xla_dump_max_hlo_modules":
		e.note("%s in %s: modules that it hides cannot be checked", f.raw, key)
	case "xla_dump_disable_metadata":
		e.note("%s in %s: findings cannot name source lines", f.raw, key)
	}
	return false
}

func (e *environ) addTensorFlow(to string) error {
	flags, err := e.flags("TF_XLA_FLAGS")
	if err != nil {
		return err
	}
	flags = slices.DeleteFunc(flags, func(f flag) bool {
		if f.name == "tf_xla_persistent_cache_directory" {
			e.note("%s is removed from TF_XLA_FLAGS: a program from that cache is not dumped", f.raw)
		}
		return f.name == "tf_xla_clustering_debug" || f.name == "tf_xla_persistent_cache_directory"
	})
	e.set("TF_XLA_FLAGS", joinFlags([]string{"--tf_xla_clustering_debug"}, flags))
	e.redirect("TF_DUMP_GRAPH_PREFIX", filepath.Join(to, graphFolder), "graphs")
	// TensorFlow then dumps each function that it passes to XLA, and logs its arguments: no other output has their names.
	asked := e.get("TF_CPP_VMODULE")
	e.logs = asked != ""
	e.set("TF_CPP_VMODULE", strings.TrimPrefix(asked+",xla_compiler=2", ","))
	const functions, groups = "TF_DUMP_GRAPH_NAME_FILTER", "TF_DUMP_GRAPH_GROUPS"
	if e.get(functions) == "" && e.get(groups) == "" { // the Python stack of each operation: no other output has the model's lines
		e.set(functions, "*")
		e.set(groups, "op_stacktrace")
	}
	return nil
}

// explainMisses makes JAX log why it traces a function again: weak types, containers and static arguments are in no module. The log is stored, and printed
// only if the user enabled it. Before 0.4.35, JAX fails on some functions when it explains them: 0.4.26 on an object that can be called.
func (e *environ) explainMisses(jax string) {
	const explain = "JAX_EXPLAIN_CACHE_MISSES"
	var major, minor, patch int
	fmt.Sscanf(jax, "%d.%d.%d", &major, &minor, &patch)
	explains := slices.Compare([]int{major, minor, patch}, []int{0, 4, 35}) >= 0
	if e.asks = e.get(explain) != ""; explains && !e.asks {
		e.set(explain, "1")
	}
}

// addTorch makes PyTorch/XLA record the source lines of operations, the operations that it ran on the CPU, and why it compiled each
// graph. It raises the number of recorded frames from eight: the model's line may be below many frames of the framework.
func (e *environ) addTorch(to string) {
	e.torch = true
	for _, v := range [][2]string{{"XLA_IR_DEBUG", "1"}, {"XLA_HLO_DEBUG", "1"}, {"PT_XLA_DEBUG_LEVEL", "1"}, {"PT_XLA_DEBUG_MAX_FRAME", "64"}} {
		if e.get(v[0]) == "" {
			e.set(v[0], v[1])
		}
	}
	e.redirect("XLA_METRICS_FILE", filepath.Join(to, metricsFile), "its metrics")
	e.redirect("PT_XLA_DEBUG_FILE", filepath.Join(to, reasonsFile), "why it compiles")
}

// redirect makes a file or folder be written into the dump, and adds a note if the user set another path.
func (e *environ) redirect(key, path, what string) {
	if old := e.get(key); old != "" {
		e.note("%s was %s; this run writes %s elsewhere", key, old, what)
	}
	e.set(key, path)
}

// disableCaches disables the compilation caches of frameworks: XLA dumps only programs that it compiles.
func (e *environ) disableCaches() {
	if cache := e.get("JAX_COMPILATION_CACHE_DIR"); cache != "" {
		e.note("JAX's compilation cache in %s is not used: a program from it is not dumped", cache)
	}
	e.set("JAX_ENABLE_COMPILATION_CACHE", "false")
	if cache := e.get("XLA_PERSISTENT_CACHE_PATH"); cache != "" {
		e.note("PyTorch/XLA's compilation cache in %s is not used: a program from it is not dumped", cache)
		e.set("XLA_PERSISTENT_CACHE_PATH", "")
	}
}

// flags returns the flags in a variable, or in the file that the variable names.
func (e *environ) flags(key string) ([]flag, error) {
	text := strings.Trim(e.get(key), flagSpace)
	if text != "" && text[0] != '-' {
		if r := []rune(text)[0]; unicode.Is(unicode.Pd, r) {
			return nil, fmt.Errorf("%s starts with %q, which is not the hyphen that flags start with: write --", key, r)
		}
		path := text
		if !filepath.IsAbs(path) {
			path = filepath.Join(e.dir, path)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%s does not start with --, so XLA takes it for the name of a file with flags: %w", key, err)
		}
		text = string(content)
	}
	flags, rest := splitFlags(text)
	if rest != "" {
		e.note("%s: %q does not start with a hyphen; XLA reads neither it nor what follows", key, strings.Fields(rest)[0])
	}
	return flags, nil
}

// get returns the last value of a variable, which is the one that the command sees.
func (e *environ) get(key string) string {
	for _, v := range slices.Backward(e.vars) {
		if k, value, _ := strings.Cut(v, "="); k == key {
			return value
		}
	}
	return ""
}

func (e *environ) set(key, value string) {
	e.vars = slices.DeleteFunc(e.vars, func(v string) bool { return strings.HasPrefix(v, key+"=") })
	e.vars = append(e.vars, key+"="+value)
}

func (e *environ) note(format string, args ...any) {
	e.notes = append(e.notes, fmt.Sprintf(format, args...))
}

// flag is one word of XLA_FLAGS or a variable like it.
type flag struct {
	raw   string // as it was written, quotes included
	name  string // "xla_dump_to"
	value string // without quotes; "" for a bare flag
}

const flagSpace = " \t\r\n\v\f"

// splitFlags reads a list of flags as XLA does: words that start with a hyphen, with a value that may be quoted after the equals
// sign. XLA stops at the first word that does not start with a hyphen; rest is that word and all that follow.
func splitFlags(text string) (flags []flag, rest string) {
	text = strings.Trim(text, flagSpace)
	for strings.HasPrefix(text, "-") {
		var f flag
		f, text = cutFlag(text)
		flags, text = append(flags, f), strings.TrimLeft(text, flagSpace)
	}
	return flags, text
}

// cutFlag reads the flag at the start of a text.
func cutFlag(text string) (f flag, rest string) {
	n := strings.IndexAny(text, flagSpace)
	if n < 0 {
		n = len(text)
	}
	name, value, _ := strings.Cut(text[:n], "=")
	if value != "" && (value[0] == '"' || value[0] == '\'') {
		var b strings.Builder
		for n = len(name) + 2; n < len(text) && text[n] != value[0]; n++ {
			if value[0] == '"' && text[n] == '\\' && n+1 < len(text) {
				n++
			}
			b.WriteByte(text[n])
		}
		n, value = min(n+1, len(text)), b.String()
	}
	return flag{raw: text[:n], name: strings.TrimLeft(name, "-"), value: value}, text[n:]
}

// quoteFlag returns a flag with its value quoted: the value may contain spaces and quotes.
func quoteFlag(name, value string) string {
	if !strings.ContainsAny(value, flagSpace+`"'\`) {
		return "--" + name + "=" + value
	}
	return "--" + name + `="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

func joinFlags(first []string, flags []flag) string {
	return strings.Join(append(slices.Clone(first), phrase.Map(flags, func(f flag) string { return f.raw })...), " ")
}

// tokens lists patterns of the variables with which CI services, and xlagate itself, may write to a repository. The command and every package that it
// imports do not need them.
var tokens = []string{
	"GITHUB_TOKEN", "GH_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_ENTERPRISE_TOKEN", "ACTIONS_*", "INPUT_*TOKEN*",
	"XLAGATE_*TOKEN", "CI_JOB_TOKEN", "CI_JOB_JWT*", "BUILDKITE_AGENT_ACCESS_TOKEN",
}

// withoutTokens returns the environment of a command without the job's tokens, except for those that are kept, and the names of those that were removed. The inputs
// of an action are not among the names: no command reads them.
func withoutTokens(o Options) (env, removed []string) {
	for _, v := range o.Env {
		name, value, _ := strings.Cut(v, "=")
		isToken := slices.ContainsFunc(tokens, func(pattern string) bool {
			ok, _ := path.Match(pattern, name) // the patterns are valid
			return ok
		})
		switch {
		case !isToken || value != "" && slices.Contains(o.Keep, name):
			env = append(env, v)
		case value != "" && !strings.HasPrefix(name, "INPUT_") && !slices.Contains(removed, name):
			removed = append(removed, name)
		}
	}
	slices.Sort(removed)
	return env, removed
}
