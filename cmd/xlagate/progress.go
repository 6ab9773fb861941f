package main

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"
)

// patience is how long reading runs before a progress bar appears.
const patience = time.Second

// progress returns a function that shows a progress bar, or nil if the error stream is no terminal or --quiet is set.
func progress(c *cli.Context, w world) func(dump string, read, total int64) {
	screen, ok := w.err.(*os.File)
	if !ok || c.Bool("quiet") || w.getenv("TERM") == "dumb" || !term.IsTerminal(int(screen.Fd())) {
		return nil
	}
	return showProgress(screen, patience)
}

// showProgress draws a bar if reading a dump takes long, and removes it at the end. Of dumps that are read at the same time it shows one.
func showProgress(screen *os.File, after time.Duration) func(dump string, read, total int64) {
	var one sync.Mutex
	var b *bar
	var shown string
	return func(dump string, read, total int64) {
		one.Lock()
		defer one.Unlock()
		if b == nil && read < total {
			b, shown = newBar(screen, dump, total), dump
			go b.draw(after)
		}
		if b == nil || dump != shown {
			return
		}
		if b.read.Store(read); read == total {
			close(b.ended)
			<-b.gone
			b = nil
		}
	}
}

// bar is a line at the end of a terminal.
type bar struct {
	*progressbar.ProgressBar
	read        atomic.Int64
	ended, gone chan struct{}
}

func newBar(screen *os.File, dump string, total int64) *bar {
	return &bar{ended: make(chan struct{}), gone: make(chan struct{}), ProgressBar: progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(screen), progressbar.OptionSetDescription("reading "+nearby(dump)), progressbar.OptionShowBytes(true), progressbar.OptionShowCount(),
		progressbar.OptionShowTotalBytes(true), progressbar.OptionUseIECUnits(true), progressbar.OptionSetWidth(20), progressbar.OptionUseANSICodes(true),
	)}
}

// nearby returns a path relative to the working directory, if it is below that.
func nearby(path string) string {
	if dir, err := os.Getwd(); err == nil && filepath.IsAbs(path) {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}

// draw redraws the bar at intervals, after patience.
func (b *bar) draw(after time.Duration) {
	defer close(b.gone)
	select {
	case <-b.ended:
		return
	case <-time.After(after):
	}
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		_ = b.Set64(b.read.Load()) // a closed terminal does not stop the gate
		select {
		case <-b.ended:
			_ = b.Clear()
			return
		case <-again.C:
		}
	}
}
