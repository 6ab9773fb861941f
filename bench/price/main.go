// Command price says how good predicted prices are. It reads pairs of dumps (folders with before/, after/ and a case.json that may say how long
// a step took) and single dumps:
//
//	go run ./bench/price corpus/*
//
// It lists what is predicted beside what was measured, how many signs are right of the pairs that differ by 20 %, the rank correlation of all
// programs that were measured, and of all programs for TPU the rank correlation with the cycles that the compiler expects, which are left out of
// the prices then.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	flag.Parse()
	if err := run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(paths []string) error {
	var s score
	var c cycles
	for _, path := range paths {
		p, err := readPair(path)
		if err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		s.add(p)
		c.add(p.before)
		c.add(p.after)
	}
	s.print()
	c.print()
	return nil
}
