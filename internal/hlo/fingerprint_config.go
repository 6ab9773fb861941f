package hlo

import (
	"bytes"
	"strconv"
)

// noisyConfig are the keys of a backend_config, at any depth, that do not say what is computed: partitions by the number of
// cores, what autotuning picked, what the compiler estimated, numbers that tell instructions apart, memory offsets, and
// serialized kernels, which hold the paths and lines of the source: they are hashed by what they do, see [Module.Kernel].
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

// config hashes a backend_config: JSON with its keys in any order, an MLIR dictionary likewise, anything else as it stands. It is
// nothing when all of it is noise, or an address.
func (p *printer) config(value []byte) digest {
	if isCallback(p.target) {
		return digest{} // the address or the number of a Python function
	}
	d := p.settings(value)
	if p.target != "" {
		if kernel := kernelIn(string(value)); kernel != nil {
			d = d.plus(digest{kernel.Print, kernel.Family})
		}
	}
	return d
}

// settings hashes what a backend_config holds beside a kernel.
func (p *printer) settings(value []byte) digest {
	if isAddress(value) {
		return digest{}
	}
	c := configReader{src: value}
	if d, ok := c.value(0); ok && c.skipBlanks() == len(value) {
		return d
	}
	if len(value) > 1 && value[0] == '{' && value[len(value)-1] == '}' {
		return dictionaryDigest(value[1:len(value)-1], p.target)
	}
	return both(hashText(value))
}

// dictionaryDigest hashes `key = value, key = value`, the attributes of a call through the foreign-function interface.
func dictionaryDigest(t text, target string) (sum digest) {
	for i := 0; i < len(t); i++ {
		end := t.entry(i)
		key, value, _ := bytes.Cut(t[i:end], []byte("="))
		key, value = bytes.TrimSpace(key), bytes.TrimSpace(value)
		if !noisyConfig[string(key)] && !isAddress(value) && (string(key) != "name" || target != tritonCall) {
			sum = sum.plus(both(hashText(key)).and(scalarDigest(value)))
		}
		i = end
	}
	return sum
}

// tritonCall is the target of a kernel written for Triton, which is named after its function.
const tritonCall = "__gpu$xla.gpu.triton"

// entry skips an entry of a dictionary, up to the comma behind it.
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

// scalarDigest hashes a word or number; a number is a size, and no part of the family.
func scalarDigest(value []byte) digest {
	d := digest{full: hashText(value)}
	if len(value) == 0 || value[0] != '-' && (value[0] < '0' || value[0] > '9') {
		d.family = d.full
	}
	return d
}

// configReader hashes JSON while it checks it.
type configReader struct {
	src []byte
	at  int
}

const maxConfigDepth = 100

// value hashes a JSON value. An object without entries, or with noise only, is nothing.
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

func (c *configReader) array(depth int) (list digest, whole bool) {
	list = both(1)
	for c.at++; !c.ends(']'); {
		d, ok := c.value(depth + 1)
		if !ok || !c.take(',') && !c.ends(']') {
			return digest{}, false
		}
		list = list.and(d)
	}
	return list, c.take(']')
}

// text takes a string, and returns it without its quotes, escapes as they stand.
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

// word takes a number, true, false or null.
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

// ends tells whether a byte comes next, blanks aside.
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
