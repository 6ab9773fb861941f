package registry

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	ctx  = context.Background()
	most = Limit{Bytes: 1 << 20, Layers: 100}
)

// hasty waits for nothing longer than a test should.
func hasty(getenv func(string) string) Client {
	return Client{Agent: "xlagate/test", Getenv: getenv, patience: patience{connect: time.Second, idle: 500 * time.Millisecond, first: time.Millisecond, tries: 3}}
}

func parsed(t *testing.T, where string) Reference {
	t.Helper()
	ref, err := Parse(where)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// contents reads an artifact: every file under its name.
func contents(t *testing.T, c Client, ref Reference) map[string]string {
	t.Helper()
	a, err := c.Pull(ctx, ref, most)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, l := range a.Layers {
		data, err := os.ReadFile(a.Path(l))
		if err != nil {
			t.Fatal(err)
		}
		out[l.Name] = string(data)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

func mustPush(t *testing.T, c Client, ref Reference, replaces Replaces, files map[string]string) Pushed {
	t.Helper()
	done, err := c.Push(ctx, ref, TypeBaseline, layersOf(files), replaces)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func layersOf(files map[string]string) []Layer {
	var layers []Layer
	for name, text := range files {
		layers = append(layers, BaselineFile(name, []byte(text)))
	}
	return layers
}

// The same files make the same artifact, in whatever order they come.
// This is what was pushed by earlier versions; a change of it makes every baseline new.
// says reports that an error lacks one of the texts.
func says(err error, texts ...string) bool {
	return err == nil || slices.ContainsFunc(texts, func(text string) bool {
		var e *Error
		return !strings.Contains(err.Error(), text) && !(errors.As(err, &e) && strings.Contains(e.Fix, text))
	})
}

// Layers that the registry has are not sent again, and what was pulled is not pulled again.
