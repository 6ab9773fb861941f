package chain

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// Dump writes n modules into a directory, as the final ones of a run on a CPU: each is the HLO text in src under its own name.
func Dump(dir string, src []byte, n int) error {
	behind, found := bytes.CutPrefix(src, []byte("HloModule "))
	name, rest, ok := bytes.Cut(behind, []byte(","))
	if !found || !ok {
		return fmt.Errorf("make a dump: %w; it takes HLO text", errForm)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make a dump: %w", err)
	}
	for i := range n {
		module := fmt.Sprintf("%s_v%d", name, i)
		path := filepath.Join(dir, fmt.Sprintf("module_%04d.%s.cpu_after_optimizations.txt", i, module))
		if err := os.WriteFile(path, append([]byte("HloModule "+module+","), rest...), 0o644); err != nil {
			return fmt.Errorf("make a dump: %w", err)
		}
	}
	return nil
}
