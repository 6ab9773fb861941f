package baseline

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
)

// Remote reports whether a baseline lies elsewhere than in a directory.
func Remote(where string) bool {
	return strings.HasPrefix(where, "git:") || strings.HasPrefix(where, "oci://")
}

// Open reads a baseline that lies elsewhere: git:REF:PATH, from the repository around dir.
func Open(ctx context.Context, where, dir string) (fs.FS, error) {
	if rest, ok := strings.CutPrefix(where, "git:"); ok {
		ref, below, found := strings.Cut(rest, ":")
		if !found || ref == "" || below == "" {
			return nil, fmt.Errorf("%q is not git:REF:PATH, as in git:origin/main:.xlagate", where)
		}
		return openGit(ctx, dir, ref, below)
	}
	return nil, fmt.Errorf("%q is no baseline that this xlagate reads; give a directory or git:REF:PATH", where)
}

// openGit reads a folder of a revision into memory. A zip, because a zip can be read as a file system.
func openGit(ctx context.Context, dir, ref, below string) (fs.FS, error) {
	if strings.HasPrefix(ref, "-") {
		return nil, fmt.Errorf("%q is not a git revision", ref)
	}
	if _, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", ref+"^{commit}"); err != nil {
		return nil, fmt.Errorf("git does not know the revision %q here (%w); fetch it: git fetch origin", ref, err)
	}
	if _, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", ref+":./"+below); err != nil {
		return nil, fs.ErrNotExist
	}
	out, err := git(ctx, dir, "archive", "--format=zip", ref+":./"+below)
	if err != nil {
		return nil, fmt.Errorf("read the baseline %s of %s: %w", below, ref, err)
	}
	return zip.NewReader(bytes.NewReader(out), int64(len(out)))
}

func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(said.String()))
	}
	return out.Bytes(), nil
}
