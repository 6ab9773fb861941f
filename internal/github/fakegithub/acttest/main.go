// Command acttest runs the example workflows whole, under act and against a fake GitHub: what a pull request lives through, from the
// first finding to the accepted baseline. It wants act, and xlagate as it was built here.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	act := flag.String("act", "act", "the act program")
	xlagate := flag.String("xlagate", "xlagate", "the xlagate program under test")
	root := flag.String("root", ".", "the repository")
	verbose := flag.Bool("v", false, "show what act prints")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	w, err := newWorld(*act, *xlagate, *root)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	w.verbose = *verbose
	err = w.story(ctx)
	w.close()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
