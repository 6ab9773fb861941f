package capture

import "strings"

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
		n := flagLength(text)
		flags = append(flags, parseFlag(text[:n]))
		text = strings.TrimLeft(text[n:], flagSpace)
	}
	return flags, text
}

// flagLength returns the length in bytes of the flag at the start of a text.
func flagLength(text string) int {
	end := strings.IndexAny(text, flagSpace)
	if end < 0 {
		end = len(text)
	}
	eq := strings.IndexByte(text[:end], '=')
	if eq < 0 || eq+1 == len(text) || (text[eq+1] != '"' && text[eq+1] != '\'') {
		return end
	}
	quote := text[eq+1]
	for i := eq + 2; i < len(text); i++ {
		switch {
		case text[i] == quote:
			return i + 1
		case quote == '"' && text[i] == '\\':
			i++
		}
	}
	return len(text)
}

func parseFlag(raw string) flag {
	name, value, _ := strings.Cut(raw, "=")
	return flag{raw: raw, name: strings.TrimLeft(name, "-"), value: unquoteFlag(value)}
}

func unquoteFlag(value string) string {
	if value == "" || (value[0] != '"' && value[0] != '\'') {
		return value
	}
	quote, b := value[0], strings.Builder{}
	for i := 1; i < len(value) && value[i] != quote; i++ {
		if quote == '"' && value[i] == '\\' && i+1 < len(value) {
			i++
		}
		b.WriteByte(value[i])
	}
	return b.String()
}

// quoteFlag returns a flag with its value quoted: the value may contain spaces and quotes.
func quoteFlag(name, value string) string {
	if !strings.ContainsAny(value, flagSpace+`"'\`) {
		return "--" + name + "=" + value
	}
	return "--" + name + `="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

func joinFlags(first []string, flags []flag) string {
	words := append([]string(nil), first...)
	for _, f := range flags {
		words = append(words, f.raw)
	}
	return strings.Join(words, " ")
}
