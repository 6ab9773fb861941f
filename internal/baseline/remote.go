package baseline

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/registry"
)

// Error is the reason why a remote baseline could not be read, and the fix.
type Error = registry.Error

func wrong(where, message, fix string) *Error {
	return &Error{Where: where, Message: message, Fix: fix}
}

// CutGit splits git:REF:PATH.
func CutGit(where string) (ref, below string, err error) {
	ref, below, found := strings.Cut(strings.TrimPrefix(where, gitScheme), ":")
	if !found || ref == "" || below == "" || strings.HasPrefix(ref, "-") {
		return "", "", fmt.Errorf("%q is not git:REF:PATH, as in git:origin/main:.xlagate", where)
	}
	return ref, below, nil
}

// openGit reads a folder of a revision into memory, as a zip, which archive/zip serves as a file system.
func openGit(ctx context.Context, dir, where string) (fs.FS, error) {
	ref, below, err := CutGit(where)
	if err != nil {
		return nil, err
	}
	g := repository{ctx, dir, where}
	tree, err := g.tree(ref, below)
	if err != nil {
		return nil, err
	}
	top, err := g.ask("rev-parse", "--show-cdup") // in a subfolder, git archive is limited to that folder
	if err != nil {
		return nil, err
	}
	g.dir = filepath.Join(dir, strings.TrimSpace(string(top)))
	out, err := g.ask("-c", "core.autocrlf=false", "archive", "--format=zip", tree)
	if err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(out), int64(len(out)))
}

// tree returns git's name of a folder of a revision. It returns [fs.ErrNotExist] if the folder is missing.
func (g repository) tree(ref, below string) (string, error) {
	if _, err := g.ask("rev-parse", "--verify", "--quiet", ref+"^{commit}"); errors.Is(err, errSilent) {
		return "", wrong(g.where, fmt.Sprintf("git does not know the revision %q here", ref), g.howToFetch(ref))
	} else if err != nil {
		return "", err
	}
	tree := ref + ":./" + below
	id, err := g.ask("rev-parse", "--verify", "--quiet", tree)
	if errors.Is(err, errSilent) {
		return "", fs.ErrNotExist
	} else if err != nil {
		return "", err
	}
	kind, err := g.ask("cat-file", "-t", tree)
	if err == nil && strings.TrimSpace(string(kind)) != "tree" {
		err = wrong(g.where, below+" is a file there; the baseline is a directory", "name the directory that holds it")
	}
	return strings.TrimSpace(string(id)), err
}

// howToFetch says how to get a revision that the clone lacks. A server gives branches, tags and whole ids of commits by name, and everything else with the
// history.
func (g repository) howToFetch(ref string) string {
	if !Fixed(ref) || wholeID.MatchString(ref) {
		return "fetch it: git fetch origin " + strings.TrimPrefix(ref, "origin/") + "; with actions/checkout: fetch-depth: 0"
	}
	if shallow, err := g.ask("rev-parse", "--is-shallow-repository"); err == nil && strings.TrimSpace(string(shallow)) == "true" {
		return "fetch all of the history: git fetch --unshallow; with actions/checkout: fetch-depth: 0"
	}
	return "git log --oneline lists the commits that this clone holds"
}

// Fixed reports whether a revision is that of one commit, which nothing is added to: an id, or a commit that is told from another.
func Fixed(ref string) bool { return shortID.MatchString(ref) || strings.ContainsAny(ref, "~^@") }

var (
	shortID = regexp.MustCompile("^[0-9a-f]{7,64}$")
	wholeID = regexp.MustCompile("^([0-9a-f]{40}|[0-9a-f]{64})$")
)

// repository is the git repository that a baseline is read from.
type repository struct {
	ctx        context.Context
	dir, where string
}

// errSilent is returned when git fails without a message: something does not exist.
var errSilent = errors.New("it does not exist")

// ask runs git and returns its output, or its message as an [Error].
func (g repository) ask(args ...string) ([]byte, error) {
	out, err := git.Run(g.ctx, g.dir, args...)
	var failed *git.Failure
	switch {
	case !errors.As(err, &failed):
		return out, err
	case g.ctx.Err() != nil:
		return nil, g.ctx.Err()
	case !failed.Ran():
		return nil, wrong(g.where, failed.Sentence(), "install it, or give the baseline as a directory")
	case failed.Said == "":
		return nil, errSilent
	}
	return nil, wrong(g.where, failed.Sentence(), "run xlagate inside the repository")
}

// artifact is a tag of a registry that holds a baseline, with a layer for each file.
type artifact struct {
	client registry.Client
	ref    registry.Reference
	digest string // the digest of the tag when it was opened; "" for none
	layers map[string]registry.Layer
}

// limit bounds a baseline in a registry. Its files are held in memory.
var limit = registry.Limit{Bytes: 64 << 20, Layers: 10_000}

// openArtifact reads a baseline from a registry into memory; a missing one is empty.
func openArtifact(ctx context.Context, p Place) (fs.FS, *artifact, error) {
	ref, err := registry.Parse(p.Where)
	if err != nil {
		return nil, nil, err
	}
	a, held := &artifact{client: p.Registry, ref: ref, layers: map[string]registry.Layer{}}, map[string][]byte{}
	pulled, err := p.Registry.Pull(ctx, ref, limit)
	switch {
	case err == nil:
		a.digest = pulled.Digest
		err = errors.Join(a.take(pulled, held), pulled.Close())
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err != nil {
		return nil, nil, err
	}
	store, err := files.InMemory(held)
	return store, a, err
}

func (a *artifact) take(pulled *registry.Artifact, held map[string][]byte) error {
	if pulled.Type == registry.TypeDump {
		return pulled.Unfit("this is a dump, not a baseline")
	}
	for _, l := range pulled.Layers {
		if l.Unpack || !ours(l.Name) {
			return pulled.Unfit(fmt.Sprintf("this is not a baseline: it holds %q, and a baseline's files are TARGET/PROGRAM.jsonl", l.Name))
		}
		data, err := os.ReadFile(pulled.Path(l))
		if err != nil {
			return fmt.Errorf("read the baseline %s: %w", a.ref, err)
		}
		a.layers[l.Name], held[l.Name] = l, data
	}
	return nil
}

func (a *artifact) shown(name string) string { return name }

// commit pushes the next artifact under the tag, then writes the files outside. It fails if the tag was moved meanwhile.
func (a *artifact) commit(ctx context.Context, e *Edit) (pushed string, err error) {
	for name, data := range e.changed {
		if data == nil {
			delete(a.layers, name)
		} else {
			a.layers[name] = registry.BaselineFile(name, data)
		}
	}
	if len(e.changed) > 0 {
		done, err := a.client.Push(ctx, a.ref, registry.TypeBaseline, slices.Collect(maps.Values(a.layers)), registry.Replaces(a.digest))
		if err != nil {
			return "", err
		}
		if done.New {
			pushed = a.ref.At(done.Digest)
		}
	}
	for file, data := range e.also {
		err = errors.Join(err, files.ReplaceWith(file, data))
	}
	return pushed, err
}

func (a *artifact) close() error { return nil }
