package hlo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// noisyConfig holds the keys of a backend_config, at any depth, that have no part in the computation: partitions by the number of cores,
// picks of the autotuner, estimates of the compiler, numbers of instructions, memory offsets, and serialized kernels, which hold the paths
// and lines of the source (see [Module.Kernel]).
var noisyConfig = map[string]bool{
	"outer_dimension_partitions": true,

	"algo_id": true, "autotune_workspace_size": true, "block_level_fusion_config": true, "plan_id": true,
	"selected_algorithm": true, "triton_gemm_config": true, "tuning_knobs": true, "window_config": true,
	"workspace_size": true, "kernel_strategy": true,

	"debug": true, "estimated_cycles": true, "reification_cost": true, "retry_config": true,

	"barrier_config": true, "fusion_formation_source": true, "operation_queue_id": true, "wait_on_operation_queues": true,

	"scoped_memory_configs": true, "used_scoped_memory_configs": true,

	"body": true, "ir": true, "module": true, "kernel_hash": true,
}

// entry skips an entry of a dictionary up to the comma behind it.
func (t text) entry(i int) int {
	for i < len(t) && t[i] != ',' {
		switch {
		case t.is(i, classQuote):
			i = t.quoted(i)
		case t.is(i, classOpening):
			i = t.balanced(i)
		default:
			i++
		}
	}
	return min(i, len(t))
}

// configReader checks and hashes JSON.
type configReader struct {
	src []byte
	at  int
}

const maxConfigDepth = 100

// value hashes a JSON value. The digest of an object that is empty or noise is zero. value returns false for what is not JSON.
func (c *configReader) value(depth int) (digest, bool) {
	if c.skipBlanks() >= len(c.src) || depth > maxConfigDepth {
		return digest{}, false
	}
	switch c.src[c.at] {
	case '{':
		return c.object(depth)
	case '[':
		return c.array(depth)
	case '"':
		text, ok := c.text()
		return scalarDigest(text), ok
	}
	return c.word()
}

func (c *configReader) object(depth int) (sum digest, whole bool) {
	for c.at++; !c.ends('}'); {
		key, isText := c.text()
		if !isText || !c.take(':') {
			return digest{}, false
		}
		d, ok := c.value(depth + 1)
		if !ok || !c.take(',') && !c.ends('}') {
			return digest{}, false
		}
		if d != (digest{}) && !noisyConfig[string(key)] {
			sum = sum.plus(both(hashText(key)).and(d))
		}
	}
	return sum, c.take('}')
}

// array hashes a list. An empty one says nothing: a proto cannot tell it from none.
func (c *configReader) array(depth int) (list digest, whole bool) {
	if c.at++; c.take(']') {
		return digest{}, true
	}
	for list = both(1); !c.ends(']'); {
		d, ok := c.value(depth + 1)
		if !ok || !c.take(',') && !c.ends(']') {
			return digest{}, false
		}
		list = list.and(d)
	}
	return list, c.take(']')
}

// text reads a string. It returns the text between the quotes, with its escapes.
func (c *configReader) text() ([]byte, bool) {
	if !c.take('"') {
		return nil, false
	}
	start := c.at
	for ; c.at < len(c.src); c.at++ {
		switch c.src[c.at] {
		case '\\':
			c.at++
		case '"':
			c.at++
			return c.src[start : c.at-1], true
		}
	}
	return nil, false
}

// word reads a number, true, false or null.
func (c *configReader) word() (digest, bool) {
	start := c.at
	for c.at < len(c.src) && !bytes.ContainsRune([]byte(" \t\r\n,]}:"), rune(c.src[c.at])) {
		c.at++
	}
	word := c.src[start:c.at]
	switch string(word) {
	case "true", "false", "null":
	default:
		if _, err := strconv.ParseFloat(string(word), 64); err != nil {
			return digest{}, false
		}
	}
	return scalarDigest(word), true
}

func (c *configReader) skipBlanks() int {
	for c.at < len(c.src) && (c.src[c.at] == ' ' || c.src[c.at] == '\n' || c.src[c.at] == '\t' || c.src[c.at] == '\r') {
		c.at++
	}
	return c.at
}

// ends reports whether a byte comes next, blanks aside.
func (c *configReader) ends(with byte) bool {
	return c.skipBlanks() < len(c.src) && c.src[c.at] == with
}

func (c *configReader) take(b byte) bool {
	if !c.ends(b) {
		return false
	}
	c.at++
	return true
}

// Settings returns the settings in an instruction's backend_config, JSON or an MLIR dictionary, sorted: key=value, with the keys to a value
// joined by dots, values without quotes, and lists as [a, b]. It leaves out empty values, addresses and noise (see [IsNoise]).
func (m *Module) Settings(i InstrID) []string {
	if target, _ := m.Attr(i, "custom_call_target"); isCallback(target) {
		return nil // the address or the number of a Python function
	}
	config, _ := m.Attr(i, "backend_config")
	return SettingsIn(config)
}

// IsNoise reports whether a key of a backend_config has no part in the computation: picks, estimates, numbers of instructions, offsets and compiled kernels.
func IsNoise(key string) bool { return noisyConfig[key] }

// SettingsIn returns the settings in a backend_config, see [Module.Settings].
func SettingsIn(config string) []string {
	if config == "" || config == "{}" {
		return nil
	}
	var s settingList
	var value any
	d := json.NewDecoder(strings.NewReader(config))
	d.UseNumber()
	if err := d.Decode(&value); err == nil && !d.More() {
		s.addJSON("", value)
	} else if config[0] == '{' && config[len(config)-1] == '}' {
		s.addDictionary(text(config[1 : len(config)-1]))
	}
	slices.Sort(s)
	return s
}

// settingList holds the values in JSON or in an MLIR dictionary.
type settingList []string

// addJSON adds the values in a JSON value: plain values of a list as one setting, and the settings of objects in it one by one.
func (s *settingList) addJSON(path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if !noisyConfig[key] {
				s.addJSON(join(path, key), inner)
			}
		}
	case []any:
		var plain []string
		for _, entry := range v {
			before := len(*s)
			s.addJSON(path, entry)
			if len(*s) != before+1 {
				continue
			}
			if value, one := strings.CutPrefix((*s)[before], path+"="); one { // it is no object
				plain, *s = append(plain, value), (*s)[:before]
			}
		}
		if len(plain) > 0 {
			s.add(path, "["+strings.Join(plain, ", ")+"]")
		}
	case nil:
	default:
		s.add(path, fmt.Sprint(v))
	}
}

// addDictionary adds `key = value : type, key = "value"`.
func (s *settingList) addDictionary(t text) {
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
		s.add(name, plain)
	}
}

// maxSetting is the length in bytes to which a value is cut. Values that a person writes are shorter.
const maxSetting = 200

func (s *settingList) add(key, value string) {
	switch {
	case key == "" || value == "":
		return
	case len(value) > maxSetting:
		value = value[:maxSetting] + "…"
	}
	*s = append(*s, strings.ToValidUTF8(key+"="+value, "�"))
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Addresses in the memory of a process are between these; hardly any count or size is.
const (
	lowestAddress  = 1 << 40
	highestAddress = 1 << 48
)

// isAddress reports whether a value in a backend_config, `139961309515568 : i64` or `"0x7f4b4822cf30"`, is an address in the memory of the
// process that compiled, such as an argument of the user's own custom call. It differs from process to process.
func isAddress[T string | []byte](value T) bool {
	const longest = len(`"0x7fffffffffff" : ui64`)
	if len(value) < len("0x10000000000") || len(value) > longest {
		return false
	}
	number, _, _ := strings.Cut(strings.TrimSpace(string(value)), " ")
	number = strings.Trim(number, `"`)
	base := 10
	if digits, ok := strings.CutPrefix(number, "0x"); ok {
		number, base = digits, 16
	}
	n, err := strconv.ParseUint(number, base, 64)
	return err == nil && n >= lowestAddress && n < highestAddress
}

// KnownTrips returns the trip count of a while that the compiler wrote into its backend_config (known_trip_count), -1 where it wrote none.
func (m *Module) KnownTrips(i InstrID) int64 {
	config, _ := m.Attr(i, "backend_config")
	_, count, _ := strings.Cut(config, `"known_trip_count":{"n":"`)
	digits, _, _ := strings.Cut(count, `"`)
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil && n >= 0 {
		return n
	}
	return -1
}
