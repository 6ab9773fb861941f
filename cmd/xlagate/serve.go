package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cli/browser"
	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/webpage"
)

func serveCommand(w world) *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "show a result, a dump, or what differs between two dumps in the browser",
		ArgsUsage: "RESULT.json|DUMP [DUMP]",
		Category:  results,
		Description: "xlagate serve result.json        what check wrote with -f json, with the kernels of the dumps that are still there\n" +
			"xlagate serve build/xla          what a dump holds\n" +
			"xlagate serve main.tar.gz pr/    what changed from one dump to another",
		Flags: append(readFlags(),
			&cli.IntFlag{Name: "port", Usage: "listen on `PORT` of this machine; 0: any that is free"},
			&cli.BoolFlag{Name: "no-open", Usage: "only print the address"},
			&cli.BoolFlag{Name: "watch", Usage: "reload when the files change"},
		),
		Action: func(c *cli.Context) error {
			if n := c.NArg(); n < 1 || n > 2 {
				return wrongUsage("serve takes a result, a dump or two dumps, not %d arguments; xlagate serve DUMP", n)
			}
			show := &showing{c: c, w: w, server: &webpage.Server{}}
			files := gate.WatchFiles(c.Context, c.Args().Slice())
			if err := show.again(); err != nil {
				return incomplete(w, err)
			}
			return show.serve(c.Context, files)
		},
	}
}

// showing is what is served, and from what it is made.
type showing struct {
	c      *cli.Context
	w      world
	server *webpage.Server
	open   []*facts.Report // whose modules the page reads
}

// again makes the page from what is on the disk now.
func (s *showing) again() error {
	page, reports, err := s.page(s.c.Args().Slice())
	if err != nil {
		return err
	}
	s.server.Show(page)
	err = closeAll(s.open)
	s.open = reports
	return err
}

func (s *showing) page(paths []string) (*webpage.Page, []*facts.Report, error) {
	o := webpage.Options{Version: version(), Root: repositoryRoot(s.w)}
	if len(paths) == 1 && strings.HasSuffix(paths[0], ".json") {
		r, err := readResult(s.w, paths[0])
		if err != nil {
			return nil, nil, err
		}
		return webpage.OfResult(r, s.lookedAgain(r), o), nil, nil
	}
	var reports []*facts.Report
	for _, path := range paths {
		r, err := measuredWith(s.c, s.w, path, gate.Run{AnyStage: true, KeepModules: true})
		if err != nil {
			return nil, nil, err
		}
		if len(r.Programs) == 0 && len(r.Problems) > 0 {
			why := r.Problems[0]
			return nil, nil, errors.Join(&gate.Unreadable{Where: why.File, Message: why.Message, Fix: why.Fix}, r.Close())
		}
		reports = append(reports, r)
	}
	if len(reports) == 1 {
		return webpage.OfDump(reports[0], o), reports, nil
	}
	return webpage.OfDiff(compared(reports), o), reports, nil
}

// serve answers until it is interrupted.
func (s *showing) serve(ctx context.Context, files *gate.Watch) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", s.c.Int("port")))
	if err != nil {
		return fmt.Errorf("listen on this machine: %w", err)
	}
	address := "http://" + listener.Addr().String() + "/"
	fmt.Fprintf(s.w.out, "%s (until Ctrl-C)\n", address)
	if !s.c.Bool("no-open") {
		if err := browser.OpenURL(address); err != nil {
			s.w.warn("no browser could be opened: " + err.Error())
		}
	}
	server := &http.Server{Handler: s.server, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	if s.c.Bool("watch") {
		go s.watch(ctx, files)
	}
	select {
	case err := <-done:
		return fmt.Errorf("serve %s: %w", address, err)
	case <-ctx.Done():
		return server.Close()
	}
}

// watch makes the page anew when files changed and rest: a run that writes them is not finished.
func (s *showing) watch(ctx context.Context, files *gate.Watch) {
	for {
		if _, err := files.Wait(ctx, time.Second); err != nil {
			return // it was interrupted
		}
		if err := s.again(); err != nil {
			s.w.warn(err.Error())
		}
	}
}

// lookedAgain measures the dumps of a result that are still there and compares them as the gate did, for the views that draw kernels. A dump
// that is not the one that was judged is left out with a warning.
func (s *showing) lookedAgain(r *result.Result) []webpage.Looked {
	var seen []webpage.Looked
	for i := range r.Targets {
		t := &r.Targets[i]
		if _, err := os.Stat(t.Dump); err != nil {
			continue
		}
		l, err := s.lookAgain(t)
		switch {
		case err != nil:
			s.w.warn(fmt.Sprintf("the kernels of %s are not shown: %v", t.Name, err))
		case !judgedSame(t, l.Programs):
			s.w.warn(fmt.Sprintf("the kernels of %s are not shown: %s is not the dump that was judged", t.Name, t.Dump))
		default:
			seen = append(seen, l)
		}
	}
	return seen
}

// lookAgain compares the dump of one target by the configuration that is above it.
func (s *showing) lookAgain(t *result.Target) (webpage.Looked, error) {
	out := webpage.Looked{Target: t.Name}
	dump := absoluteOr(t.Dump)
	file, err := config.Find(filepath.Dir(dump))
	if err != nil {
		return out, err
	}
	cfg, err := loadConfig(file, "")
	if err != nil {
		return out, err
	}
	cfg.Targets = slices.DeleteFunc(cfg.Targets, func(c config.Target) bool { return c.Name != t.Name })
	for i := range cfg.Targets {
		cfg.Targets[i].Dump, cfg.Targets[i].Capture = dump, nil // what is shown runs nothing
	}
	o, err := newOptions(s.c, s.w, gate.Run{KeepModules: true, Seen: func(_ string, programs []*diff.Program) { out.Programs = programs }})
	if err != nil {
		return out, err
	}
	o.Config, o.Dir, o.Dumps = cfg, cfg.Dir, []string{dump}
	if _, err := os.Stat(t.Baseline); err == nil && t.Baseline != gate.BaselineOf(o) {
		o.Against = absoluteOr(t.Baseline)
	}
	_, err = gate.Check(s.c.Context, o)
	return out, err
}

// judgedSame reports whether programs have the fingerprints in a result.
func judgedSame(t *result.Target, programs []*diff.Program) bool {
	known := map[string]bool{}
	for i := range t.Programs {
		for _, v := range t.Programs[i].Variants {
			known[v.Fingerprint] = true
		}
	}
	for _, p := range programs {
		for _, v := range p.Variants {
			if v.New != nil && !known[v.New.Fingerprint] {
				return false
			}
		}
	}
	return len(programs) > 0
}
