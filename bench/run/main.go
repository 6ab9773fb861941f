// Command run measures xlagate beside other readers of the same files, all in one run on one machine, and writes what it found into
// docs/performance.md. It fails when XLA's own reader sees other facts in a module than xlagate does. Run it from the top of the
// repository, with a Python that has what bench/requirements.txt names:
//
//	go run ./bench/run -python PYTHON [-dumps FOLDER] [MODULE…]
//	go run ./bench/run -python PYTHON -small [MODULE…]
//	go run ./bench/run -python PYTHON -real MODULE…
//	go run ./bench/run -python PYTHON -check FOLDER
//
// A MODULE is a real one, to be measured beside those that are made. -small takes seconds, looks only whether everything agrees, and
// writes nothing. -real prints the rows of the real modules that are named, -check the table of a check of the dumps FOLDER/*/dump; they write nothing either.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/xlagate/xlagate/bench/page"
	"github.com/xlagate/xlagate/bench/subject"
)

// The document that shows the figures, and the mark in it.
const (
	document = "docs/performance.md"
	command  = "go run ./bench/run"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(1)
	}
}

func run() error {
	python := flag.String("python", "python3", "a `PROGRAM` that has what bench/requirements.txt names")
	small := flag.Bool("small", false, "only see that all of it runs and agrees")
	real := flag.Bool("real", false, "only print the rows of the real modules that are named")
	dumps := flag.String("dumps", "", "a `FOLDER` with real dumps, each in a folder dump, that are checked")
	check := flag.String("check", "", "only print how long a check takes of the dumps in a `FOLDER`")
	times := flag.Int("times", 3, "how often each is run at most; the best counts")
	flag.Parse()
	work, err := os.MkdirTemp("", "xlagate-bench.")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	b := &bench{python: *python, dumps: *dumps, work: work, xlagate: filepath.Join(work, "xlagate"), times: *times}
	p := whole
	if *small {
		b.times, p = 1, few
	}
	if err := b.prepare(); err != nil {
		return err
	}
	if *real {
		rows, err := b.realRows(flag.Args())
		fmt.Print(rows)
		return err
	}
	if *check != "" {
		table, err := b.checkTable(*check)
		fmt.Print(table)
		return err
	}
	for _, input := range p.inputs(flag.Args()) {
		if err := b.measure(input); err != nil {
			return err
		}
	}
	if b.agreed == 0 {
		return errors.New("XLA's reader was given no module: there was not the memory for it")
	}
	fmt.Printf("%d modules read, and in each XLA's reader sees the same facts\n", b.agreed)
	if *small {
		return nil
	}
	return b.write(flag.Args())
}

// prepare builds the program as it is released, and looks for the peers.
func (b *bench) prepare() error {
	if _, err := os.Stat(document); err != nil {
		return fmt.Errorf("run this from the top of the repository: %w", err)
	}
	if err := subject.Build(b.xlagate); err != nil {
		return err
	}
	if out, err := exec.Command(b.python, "-c", "import jaxlib, google.protobuf").CombinedOutput(); err != nil {
		return fmt.Errorf("%s has not what bench/requirements.txt names: install that, or name another with -python: %w\n%s", b.python, err, out)
	}
	return nil
}

// write writes the page; real are the modules that were named.
func (b *bench) write(real []string) error {
	machine, err := describeMachine(b.python)
	if err != nil {
		return err
	}
	first, err := b.realTable(real)
	if err != nil {
		return err
	}
	checked := ""
	if b.dumps != "" {
		if checked, err = b.checkTable(b.dumps); err != nil {
			return err
		}
	}
	start, err := b.startTable()
	if err != nil {
		return err
	}
	return page.Fill(document, command, machine+"\n"+first+checked+madeTable(b.rows)+start)
}
