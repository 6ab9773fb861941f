// Command generate makes large modules and large dumps for benchmarks out of a real module, a file of any form that a dump has.
//
//	go run ./bench/generate -size 100MB -o large.txt module.txt
//	go run ./bench/generate -size 100MB -o large.hlo.pb module.hlo.pb
//	go run ./bench/generate -modules 2000 -o dump module.txt
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/bench/chain"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("generate", flag.ContinueOnError)
	size := flags.String("size", "100MB", "about how large the module becomes, as in 10MB")
	modules := flags.Int("modules", 0, "make a dump of so many modules instead, each a copy under its own name")
	output := flags.String("o", "", "the `FILE` or, with -modules, the directory to write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 || *output == "" {
		return errors.New("name a module and where to write: generate -size 100MB -o large.txt module.txt")
	}
	src, err := chain.Read(flags.Arg(0))
	if err != nil {
		return err
	}
	if *modules > 0 {
		return chain.Dump(*output, src, *modules)
	}
	asked, err := parseSize(*size)
	if err != nil {
		return err
	}
	copies, err := writeModule(*output, src, asked)
	fmt.Fprintf(out, "%s: %d copies\n", *output, copies)
	return err
}

func parseSize(s string) (int64, error) {
	mb, err := strconv.ParseInt(strings.TrimSuffix(s, "MB"), 10, 64)
	if err != nil || mb <= 0 {
		return 0, fmt.Errorf("-size is %q; expected megabytes, as in 100MB", s)
	}
	return mb * 1e6, nil
}

func writeModule(path string, src []byte, size int64) (copies int, err error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	copies, err = chain.Write(f, src, size)
	if err = errors.Join(err, f.Close()); err != nil {
		return copies, fmt.Errorf("write %s: %w", path, err)
	}
	return copies, nil
}
