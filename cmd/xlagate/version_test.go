package main

import (
	"os"
	"strings"
	"testing"
)

// A build from sources says the version that CHANGELOG.md describes first.
func TestNextRelease(t *testing.T) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	_, first, _ := strings.Cut(string(text), "\n## ")
	if first, _, _ = strings.Cut(first, "\n"); first != nextRelease || !strings.HasPrefix(version(), nextRelease+"-dev") {
		t.Errorf("%s, and CHANGELOG.md begins with %s", version(), first)
	}
}
