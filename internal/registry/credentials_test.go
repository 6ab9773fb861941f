package registry

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/registry/registrytest"
)

func TestLogins(t *testing.T) {
	s := registrytest.New(t)
	s.Login("ann", "secret", true)
	s.Login("guest", "guest", false)
	where := s.Ref("base:main")
	ref := parsed(t, where)
	file := func(user, password string) string {
		return fmt.Sprintf(`{"auths":{%q:{"auth":%q}}}`, s.Host, base64.StdEncoding.EncodeToString([]byte(user+":"+password)))
	}
	as := func(env, name, text string) Client {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return hasty(func(key string) string {
			switch {
			case key != env:
				return ""
			case env == "REGISTRY_AUTH_FILE":
				return filepath.Join(dir, name)
			}
			return dir
		})
	}
	docker, podman := as("DOCKER_CONFIG", "config.json", file("ann", "secret")), as("REGISTRY_AUTH_FILE", "auth.json", file("ann", "secret"))
	mustPush(t, docker, ref, "", map[string]string{"a.yaml": "1"})
	for name, c := range map[string]Client{"docker": docker, "podman": podman, "guest": as("DOCKER_CONFIG", "config.json", file("guest", "guest")), "home": as("HOME", ".docker/config.json", file("ann", "secret"))} {
		if got := contents(t, c, ref); got["a.yaml"] != "1" {
			t.Errorf("%s read %v", name, got)
		}
	}
	for name, c := range map[string]Client{
		"nobody": hasty(nil), "a wrong password": as("DOCKER_CONFIG", "config.json", file("ann", "guess")),
		"GITHUB_TOKEN": hasty(func(key string) string { return map[string]string{"GITHUB_TOKEN": "t"}[key] }),
	} {
		if _, err := c.Pull(ctx, ref, most); says(err, "denies access", "docker login "+s.Host) {
			t.Errorf("%s: %v", name, err)
		}
	}
	guest := as("DOCKER_CONFIG", "config.json", file("guest", "guest"))
	if _, err := guest.Push(ctx, ref, TypeBaseline, layersOf(map[string]string{"a.yaml": "2"}), Any); says(err, "denies access") {
		t.Errorf("a guest pushed: %v", err)
	}
	if _, err := as("DOCKER_CONFIG", "config.json", "{").Pull(ctx, ref, most); says(err, "config.json") {
		t.Errorf("a damaged file: %v", err)
	}
}

func TestGitHubTokenIsForGitHub(t *testing.T) {
	env := map[string]string{"GITHUB_TOKEN": "token", "GITHUB_ACTOR": "ann"}
	c := hasty(func(key string) string { return env[key] })
	if got, err := c.credential(ctx, "ghcr.io"); err != nil || got.Username != "ann" || got.Password != "token" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, host := range []string{"ghcr.io.example.com", "docker.io", "ghcr.io:444"} {
		if got, err := c.credential(ctx, host); err != nil || got.Password != "" {
			t.Errorf("%s got %+v, %v", host, got, err)
		}
	}
	env["DOCKER_CONFIG"] = t.TempDir()
	own := `{"auths":{"ghcr.io":{"auth":"` + base64.StdEncoding.EncodeToString([]byte("bob:own")) + `"}}}`
	if err := os.WriteFile(filepath.Join(env["DOCKER_CONFIG"], "config.json"), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := c.credential(ctx, "ghcr.io"); err != nil || got.Username != "bob" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestCredentialHelpers(t *testing.T) {
	dir := t.TempDir()
	helper := "#!/bin/sh\nread host\necho \"{\\\"ServerURL\\\":\\\"$host\\\",\\\"Username\\\":\\\"ann\\\",\\\"Secret\\\":\\\"$1-$host\\\"}\"\n"
	if err := os.WriteFile(filepath.Join(dir, "docker-credential-test"), []byte(helper), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"credHelpers":{"r.example":"test","s.example":"absent"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	c := hasty(func(key string) string { return map[string]string{"DOCKER_CONFIG": dir}[key] })
	if got, err := c.credential(ctx, "r.example"); err != nil || got.Password != "get-r.example" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := c.credential(ctx, "s.example"); err == nil || !strings.Contains(err.Error(), "docker-credential-absent") {
		t.Errorf("a helper that is not there: %v", err)
	}
}
