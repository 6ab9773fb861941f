package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestManualPage(t *testing.T) {
	var out bytes.Buffer
	if code := run(t.Context(), []string{"xlagate", manWord}, world{out: &out, err: os.Stderr, getenv: os.Getenv}); code != 0 {
		t.Fatalf("exit %d", code)
	}
	page := out.String()
	for _, text := range []string{".TH xlagate 1", ".SH check", ".SH accept", `\fB--interactive, -i\fP`, ".SH upgrade"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page does not hold %q", text)
		}
	}
	if strings.Contains(page, "__") {
		t.Error("the page tells of what is hidden")
	}
}
