// Command generate makes large modules and large dumps for benchmarks out of a real module.
//
//	go run ./bench/generate -size 100MB -o large.txt  module.txt
//	go run ./bench/generate -size 100MB -o large.hlo.pb module.hlo.pb
//	go run ./bench/generate -modules 2000 -o dump module.txt
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/bench/chain"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run() error {
	size := flag.String("size", "100MB", "about how large the module becomes, as in 10MB")
	modules := flag.Int("modules", 0, "make a dump of so many modules instead, each a copy under its own name")
	output := flag.String("o", "", "the `FILE` or, with -modules, the directory to write")
	flag.Parse()
	if flag.NArg() != 1 || *output == "" {
		return fmt.Errorf("name a module and where to write: generate -size 100MB -o large.txt module.txt")
	}
	src, err := os.ReadFile(flag.Arg(0))
	if err != nil {
		return err
	}
	if *modules > 0 {
		return writeDump(*output, src, *modules)
	}
	bytes, err := parseSize(*size)
	if err != nil {
		return err
	}
	return writeModule(*output, src, bytes)
}

func parseSize(s string) (int64, error) {
	mb, err := strconv.ParseInt(strings.TrimSuffix(s, "MB"), 10, 64)
	if err != nil || mb <= 0 {
		return 0, fmt.Errorf("-size is %q; expected megabytes, as in 100MB", s)
	}
	return mb * 1e6, nil
}

func writeModule(path string, src []byte, size int64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	copies, err := chain.Write(f, src, size)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	fmt.Printf("%s: %d copies\n", path, copies)
	return nil
}

// writeDump writes a module under many names, as the final modules of a dump.
func writeDump(dir string, src []byte, n int) error {
	name, rest, ok := bytes.Cut(bytes.TrimPrefix(src, []byte("HloModule ")), []byte(","))
	if !ok || !bytes.HasPrefix(src, []byte("HloModule ")) {
		return fmt.Errorf("-modules needs HLO text")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i := range n {
		program := fmt.Sprintf("%s_v%d", name, i)
		path := filepath.Join(dir, fmt.Sprintf("module_%04d.%s.cpu_after_optimizations.txt", i, program))
		if err := os.WriteFile(path, append([]byte("HloModule "+program+","), rest...), 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("%s: %d modules\n", dir, n)
	return nil
}
