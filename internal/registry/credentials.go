package registry

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
)

// credential finds how to log in to a registry: where docker, podman and oras keep it, or else the token of a job of GitHub Actions
// for GitHub's own registry. None is no error: much may be read by anyone.
func (c Client) credential(ctx context.Context, host string) (auth.Credential, error) {
	for _, path := range c.credentialFiles() {
		store, err := credentials.NewStore(path, credentials.StoreOptions{})
		if err != nil {
			return auth.EmptyCredential, fmt.Errorf("read the credentials in %s: %w", path, err)
		}
		found, err := credentials.Credential(store)(ctx, host)
		if err != nil {
			return auth.EmptyCredential, fmt.Errorf("ask for the credentials that %s names: %w", path, err)
		}
		if found != auth.EmptyCredential {
			return found, nil
		}
	}
	if token := c.env("GITHUB_TOKEN"); token != "" && host == githubRegistry {
		return auth.Credential{Username: cmp.Or(c.env("GITHUB_ACTOR"), "xlagate"), Password: token}, nil
	}
	return auth.EmptyCredential, nil
}

const githubRegistry = "ghcr.io"

// credentialFiles are the files that logging in writes, docker's first. They need not be there.
func (c Client) credentialFiles() []string {
	var files []string
	if dir := c.env("DOCKER_CONFIG"); dir != "" {
		files = append(files, filepath.Join(dir, "config.json"))
	} else if home := c.env("HOME"); home != "" {
		files = append(files, filepath.Join(home, ".docker", "config.json"))
	}
	if file := c.env("REGISTRY_AUTH_FILE"); file != "" {
		files = append(files, file)
	} else if dir := c.env("XDG_RUNTIME_DIR"); dir != "" {
		files = append(files, filepath.Join(dir, "containers", "auth.json"))
	}
	return files
}

func (c Client) env(name string) string {
	if c.Getenv == nil {
		return ""
	}
	return c.Getenv(name)
}
