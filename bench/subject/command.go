package subject

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// Timing is what a benchmark that times programs under Python is started with.
type Timing struct {
	Python  string
	Dumps   string // the folder that keeps the dumps and the times
	Xlagate Xlagate
	Only    []string // the arguments: what to time; everything if there are none
}

// Main runs such a benchmark and prints what it reports. Its name is that of its folder in bench.
func Main(name string, report func(Timing) (string, error)) {
	if err := run(name, report); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

func run(name string, report func(Timing) (string, error)) error {
	python := flag.String("python", "python3", "a `PROGRAM` that has what the benchmark's requirements.txt names")
	dumps := flag.String("dumps", "", "a `FOLDER` that keeps the dumps and the times; what it has is not measured again")
	built := flag.String("xlagate", "", "a `PROGRAM` to ask, not the one that is built from this tree")
	flag.Parse()
	work, err := os.MkdirTemp("", "xlagate-"+name+".")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if *dumps == "" {
		*dumps = filepath.Join(work, "dumps")
	}
	t := Timing{Python: *python, Dumps: *dumps, Only: flag.Args()}
	if t.Xlagate, err = At(*built, work); err != nil {
		return err
	}
	text, err := report(t)
	if err != nil {
		return err
	}
	fmt.Print(text)
	return nil
}
