package artifacts

import (
	"strings"

	"github.com/xlagate/xlagate/internal/wire"
)

// Flags holds options by name. The values of a repeated one are joined by commas; a nested one is printed on one line.
type Flags map[string]string

// add sets an option, or appends a value to a repeated one.
func (f Flags) add(name, value string) {
	if old, repeated := f[name]; repeated {
		value = old + "," + value
	}
	f[name] = value
}

// ReadDebugOptions reads a .debug_options: the flags with other values than their defaults.
func ReadDebugOptions(data []byte) (Flags, error) {
	f := Flags{}
	err := textFields(data, func(r *wire.Reader, name string) error {
		value, err := r.Value()
		f.add(name, value)
		return err
	})
	return f, err
}

// ReadFlagFile reads a .flagfile: one --name=value a line, values perhaps in quotes.
func ReadFlagFile(data []byte) (Flags, error) {
	if err := whole(data); err != nil {
		return nil, err
	}
	l := lines{rest: string(data)}
	f := Flags{}
	for line := range l.all() {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		flag, ok := strings.CutPrefix(line, "--")
		name, value, hasValue := strings.Cut(flag, "=")
		if !ok || name == "" {
			return nil, l.errorf("%q is no --name=value", line)
		}
		if !hasValue {
			value = "true"
		}
		f.add(name, unquote(value))
	}
	return f, nil
}

// unquote removes a pair of quotes.
func unquote(s string) string {
	if n := len(s); n >= 2 && s[0] == s[n-1] && (s[0] == '\'' || s[0] == '"') {
		return s[1 : n-1]
	}
	return s
}
