package hlo

import (
	"bytes"
	"slices"
	"strings"
)

// Settings lists what an instruction's backend_config says, in order, whether it is JSON or a dictionary of MLIR: key=value, with the keys
// to a value joined by dots, and the value without quotes; of a list [a, b]. What is empty is left out, and so is what does not say what is
// computed and may differ from compile to compile: see [IsNoise], and addresses.
func (m *Module) Settings(i InstrID) []string {
	if target, _ := m.Attr(i, "custom_call_target"); isCallback(target) {
		return nil // the address or the number of a Python function
	}
	config, _ := m.Attr(i, "backend_config")
	return settingsIn(config)
}

// IsNoise reports whether a key of a backend_config is none of [Module.Settings]: picks of the autotuner, estimates, numbers of instructions,
// memory offsets and compiled kernels.
func IsNoise(key string) bool { return noisyConfig[key] }

func settingsIn(config string) []string {
	if config == "" || config == "{}" {
		return nil
	}
	r := settingsReader{configReader: configReader{src: []byte(config)}}
	if !r.value("", 0) || r.skipBlanks() != len(config) {
		r.all = nil
		if config[0] != '{' || config[len(config)-1] != '}' {
			return nil
		}
		r.dictionary(text(config[1 : len(config)-1]))
	}
	slices.Sort(r.all)
	return r.all
}

// settingsReader lists the values in JSON, and in what looks like it.
type settingsReader struct {
	configReader
	all []string
}

func (r *settingsReader) value(path string, depth int) bool {
	if r.skipBlanks() >= len(r.src) || depth > maxConfigDepth {
		return false
	}
	switch r.src[r.at] {
	case '{':
		return r.object(path, depth)
	case '[':
		return r.array(path, depth)
	}
	value, ok := r.scalar()
	r.add(path, value)
	return ok
}

func (r *settingsReader) scalar() (string, bool) {
	if r.ends('"') {
		text, ok := r.text()
		return string(text), ok
	}
	start := r.skipBlanks()
	_, ok := r.word()
	return string(r.src[start:r.at]), ok
}

func (r *settingsReader) object(path string, depth int) bool {
	for r.at++; !r.ends('}'); {
		key, isText := r.text()
		if !isText || !r.take(':') {
			return false
		}
		before := len(r.all)
		if !r.value(join(path, string(key)), depth+1) || !r.take(',') && !r.ends('}') {
			return false
		}
		if noisyConfig[string(key)] {
			r.all = r.all[:before]
		}
	}
	return r.take('}')
}

// array lists plain values as one; what is in a list of objects comes one by one.
func (r *settingsReader) array(path string, depth int) bool {
	var plain []string
	for r.at++; !r.ends(']'); {
		before := len(r.all)
		if !r.value(path, depth+1) || !r.take(',') && !r.ends(']') {
			return false
		}
		if value, one := only(r.all[before:], path); one {
			plain, r.all = append(plain, value), r.all[:before]
		}
	}
	if len(plain) > 0 {
		r.add(path, "["+strings.Join(plain, ", ")+"]")
	}
	return r.take(']')
}

// only is the value of a list's entry that is no object.
func only(added []string, path string) (value string, one bool) {
	if len(added) != 1 {
		return "", false
	}
	return strings.CutPrefix(added[0], path+"=")
}

// dictionary lists `key = value : type, key = "value"`.
func (r *settingsReader) dictionary(t text) {
	for i := 0; i < len(t); i++ {
		end := t.entry(i)
		if bytes.Contains(t[i:end], []byte("= array<")) { // array<i64: 1, 2>
			closing := bytes.IndexByte(t[i:], '>')
			if closing < 0 {
				return
			}
			end = t.entry(i + closing)
		}
		key, value, _ := bytes.Cut(t[i:end], []byte("="))
		i = end
		name := string(bytes.TrimSpace(key))
		if noisyConfig[name] || name == "" || isAddress(value) {
			continue
		}
		plain := strings.TrimSpace(string(value))
		if quoted, ok := strings.CutPrefix(plain, `"`); ok {
			plain = strings.TrimSuffix(quoted, `"`)
		} else if number, kind, typed := strings.Cut(plain, " : "); typed && !strings.ContainsAny(kind, " ,]}") {
			plain = number
		}
		r.add(name, plain)
	}
}

// maxSetting bounds how much of a value is kept: none that a person writes is longer.
const maxSetting = 200

func (r *settingsReader) add(key, value string) {
	switch {
	case key == "" || value == "":
		return
	case len(value) > maxSetting:
		value = value[:maxSetting] + "…"
	}
	r.all = append(r.all, strings.ToValidUTF8(key+"="+value, "�"))
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
