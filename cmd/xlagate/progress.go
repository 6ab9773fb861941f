package main

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"
)

// patience is how long a person waits without being told.
const patience = time.Second

// progress shows how much of a dump was read; nil where nobody looks or wants to.
func progress(c *cli.Context, w world) func(dump string, read, total int64) {
	screen, ok := w.err.(*os.File)
	if !ok || c.Bool("quiet") || w.getenv("TERM") == "dumb" || !term.IsTerminal(int(screen.Fd())) {
		return nil
	}
	return showProgress(screen, patience)
}

// showProgress draws a bar when reading one dump has taken long enough, and takes it away when it was read.
func showProgress(screen *os.File, after time.Duration) func(dump string, read, total int64) {
	var b *bar
	return func(dump string, read, total int64) {
		if b == nil && read < total {
			b = newBar(screen, dump, total)
			go b.draw(after)
		}
		if b == nil {
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

// nearby is a path as seen from the working directory, where it lies below that.
func nearby(path string) string {
	if dir, err := os.Getwd(); err == nil && filepath.IsAbs(path) {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}

// draw draws the bar again and again, once it is time to.
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
		_ = b.Set64(b.read.Load()) // that a terminal is gone is no reason to stop
		select {
		case <-b.ended:
			_ = b.Clear()
			return
		case <-again.C:
		}
	}
}
