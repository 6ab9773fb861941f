package hlo

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
)

// kernelKeys are the keys of a backend_config whose value is a hand-written kernel: of Pallas on TPU, of Triton, of Mosaic on GPU.
var kernelKeys = []string{`"body"`, "ir", "module"}

// Kernel returns the hand-written kernel in the backend_config of a custom call. It returns nil when there is none that can be read.
func (m *Module) Kernel(id InstrID) *Kernel {
	if m.Instrs[id].Opcode != OpCustomCall {
		return nil
	}
	config, _ := m.Attr(id, "backend_config")
	return kernelIn(config)
}

func kernelIn(config string) *Kernel {
	for _, key := range kernelKeys {
		value, ok := quotedValue(config, key)
		if !ok {
			continue
		}
		if kernel, err := readKernel(unescaped(value)); err == nil {
			if kernel.Grid == nil {
				kernel.Grid = gridIn(config)
			}
			return kernel
		}
	}
	return nil
}

// gridIn returns the grid of a Triton kernel: how often its body runs in each dimension. It is nil where the config has none.
func gridIn(config string) (grid []int64) {
	for _, key := range []string{"grid_x = ", "grid_y = ", "grid_z = "} {
		_, printed, _ := strings.Cut(config, key)
		if end := strings.IndexFunc(printed, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
			printed = printed[:end]
		}
		if n, err := strconv.ParseInt(printed, 10, 64); err == nil {
			grid = append(grid, n)
		}
	}
	return grid
}

// quotedValue returns the text behind the opening quote of the value of a key.
func quotedValue(config, key string) (string, bool) {
	for rest := config; ; {
		at := strings.Index(rest, key)
		if at < 0 {
			return "", false
		}
		first := at == 0 || strings.IndexByte(" {,", rest[at-1]) >= 0
		rest = rest[at+len(key):]
		if value := strings.TrimLeft(rest, " :="); first && len(value) < len(rest) && strings.HasPrefix(value, `"`) {
			return value[1:], true
		}
	}
}

// unescaped decodes a quoted string up to its closing quote: with bytes as \XX, or in base64.
func unescaped(s string) []byte {
	var out []byte
	for i := 0; i < len(s) && s[i] != '"'; i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			continue
		}
		if b, err := hex.DecodeString(s[i+1 : min(i+3, len(s))]); err == nil && len(b) == 1 {
			out = append(out, b[0])
			i += 2
			continue
		}
		out = append(out, s[i+1])
		i++
	}
	if decoded, err := base64.StdEncoding.DecodeString(string(out)); err == nil {
		return decoded
	}
	return out
}
