//go:build unix

package main

import (
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// screenLine is what a line of a terminal shows in the end: a carriage return begins it anew, ESC [ 2 K empties it.
func screenLine(written string) string {
	if i := strings.LastIndex(written, "\x1b[2K"); i >= 0 {
		written = written[i+len("\x1b[2K"):]
	}
	return strings.Trim(written, "\r ")
}

func TestBarIsGoneWhenDone(t *testing.T) {
	terminal, screen, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	tell := showProgress(screen, 0)
	tell("build/xla", 0, 200)
	tell("build/xla", 100, 200)
	written := ""
	for buf := make([]byte, 256); !strings.Contains(written, "200 B"); {
		n, err := terminal.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		written += string(buf[:n])
	}
	tell("build/xla", 200, 200)
	tell("build/xla", 200, 200)
	screen.Close()
	rest, _ := io.ReadAll(terminal) // Linux ends what is read of a terminal with an error
	if written += string(rest); !strings.Contains(written, "reading build/xla") {
		t.Errorf("no bar: %q", written)
	}
	if left := screenLine(written); left != "" {
		t.Errorf("%q is left on the screen of %q", left, written)
	}
}

func TestQuickRunHasNoBar(t *testing.T) {
	const dump = "../../testdata/cpu-improved/before.tar.xz"
	cmd := exec.Command(program(t), "inspect", dump)
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	text, _ := io.ReadAll(terminal)
	if err := cmd.Wait(); err != nil || !strings.Contains(string(text), "scale") || strings.Contains(string(text), "reading") {
		t.Errorf("%v; a quick run says %q", err, text)
	}
}
