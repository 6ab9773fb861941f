package gate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
)

// AcceptRemote accepts what a result holds into the configuration and baseline of a revision that is not checked out. It returns the files that changed
// by their path in the repository; nil is one that is removed.
func AcceptRemote(ctx context.Context, p Policy, version string, a AcceptOptions) (done *Accepted, changed map[string][]byte, err error) {
	work, err := os.MkdirTemp("", "xlagate-accept-*")
	if err != nil {
		return nil, nil, fmt.Errorf("make a folder for the baseline: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	cfg, err := p.unpack(work)
	if err != nil {
		return nil, nil, err
	}
	done, err = Accept(ctx, Options{Request: Request{Config: cfg}, Environment: Environment{Dir: work, Version: version}}, a)
	if err != nil {
		return nil, nil, err
	}
	changed, err = done.files(work, p.File)
	return done, changed, err
}

// unpack writes configuration and baseline into a folder and returns the configuration as it is there.
func (p Policy) unpack(work string) (*config.Config, error) {
	if baseline.Remote(p.Config.Baseline) {
		return nil, fmt.Errorf("the baseline %s does not lie on the pull request's branch", p.Config.Baseline)
	}
	store := path.Join(path.Dir(p.File), p.Config.Baseline)
	if !fs.ValidPath(store) {
		return nil, fmt.Errorf("the baseline %s does not lie in the repository", p.Config.Baseline)
	}
	cfg := *p.Config
	cfg.Path = filepath.Join(work, filepath.FromSlash(p.File))
	cfg.Dir = filepath.Dir(cfg.Path)
	err := os.MkdirAll(cfg.Dir, 0o755)
	if err == nil {
		err = os.WriteFile(cfg.Path, p.Text, 0o600)
	}
	if err == nil {
		err = os.CopyFS(filepath.Join(work, filepath.FromSlash(store)), p.Store)
	}
	if err != nil {
		return nil, fmt.Errorf("copy the pull request's baseline: %w", err)
	}
	return &cfg, nil
}

// Left lists the budgets that are too narrow for what was accepted and could not be changed.
func (a *Accepted) Left() []*config.Budget {
	return slices.DeleteFunc(slices.Clone(a.Budgets), func(b *config.Budget) bool { return b.Left == "" })
}

// files reads the files that accepting wrote below a folder, the configuration among them if a budget in it changed.
func (a *Accepted) files(work, file string) (map[string][]byte, error) {
	written := a.Written
	if len(a.Left()) < len(a.Budgets) {
		written = append(written[:len(written):len(written)], filepath.FromSlash(file))
	}
	files := map[string][]byte{}
	for _, name := range written {
		data, err := os.ReadFile(filepath.Join(work, name))
		if err != nil {
			return nil, fmt.Errorf("read what was accepted: %w", err)
		}
		files[filepath.ToSlash(name)] = data
	}
	for _, name := range a.Removed {
		files[filepath.ToSlash(name)] = nil
	}
	return files, nil
}
