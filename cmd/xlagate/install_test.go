package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

var installer, _ = filepath.Abs("../../action/install.sh")

// release returns the archive of a release: the one that XLAGATE_RELEASE names, or one with a program that only prints its name.
func release(t *testing.T) []byte {
	t.Helper()
	if path := os.Getenv("XLAGATE_RELEASE"); path != "" {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	script := []byte("#!/bin/sh\necho \"xlagate of the release, $1\"\n")
	err := w.WriteHeader(&tar.Header{Name: "xlagate", Mode: 0o755, Size: int64(len(script))})
	if err == nil {
		_, err = w.Write(script)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// strange is a folder with a uname for which there is no release.
func strange(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "uname"), []byte("#!/bin/sh\necho Plan9\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// fakeGo returns a folder with a go that runs a script, in which $4 is the program to build.
func fakeGo(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestInstall lets the action install a release from a server of our own: nothing is run whose checksum is not the one that was wanted.
func TestInstall(t *testing.T) {
	archive := release(t)
	sum := sha256.Sum256(archive)
	good := hex.EncodeToString(sum[:])
	name := "xlagate_1.2.3_" + runtime.GOOS + "_" + runtime.GOARCH + ".tar.gz"
	checksums := good + "  " + name + "\n"
	var offered atomic.Value // what the site lists; the server reads it in goroutines of its own
	offered.Store(checksums)
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1.2.3/" + name:
			_, _ = w.Write(archive)
		case "/v1.2.3/checksums.txt":
			_, _ = w.Write([]byte(offered.Load().(string)))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer site.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: site.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		env       []string
		checksums string
		refused   string // what is said, where nothing is installed
	}{
		"as released":           {[]string{"INPUT_VERSION=1.2.3"}, checksums, ""},
		"named by its tag":      {[]string{"ACTION_REF=v1.2.3"}, checksums, ""},
		"with a checksum":       {[]string{"INPUT_VERSION=v1.2.3", "INPUT_CHECKSUM=" + good}, "", ""},
		"another checksum":      {[]string{"INPUT_VERSION=1.2.3", "INPUT_CHECKSUM=" + strings.Repeat("0", 64)}, checksums, "does not have the checksum"},
		"another in the list":   {[]string{"INPUT_VERSION=1.2.3"}, strings.Repeat("0", 64) + "  " + name + "\n", "does not have the checksum"},
		"not in the list":       {[]string{"INPUT_VERSION=1.2.3"}, good + "  other.tar.gz\n", "does not have the checksum"},
		"no such release":       {[]string{"INPUT_VERSION=9.9.9"}, checksums, "look whether there is a release 9.9.9"},
		"no version":            {[]string{"ACTION_REF=main", "PATH=" + fakeGo(t, `cp /bin/true "$4"`) + ":" + os.Getenv("PATH")}, "", ""},
		"sources do not build":  {[]string{"ACTION_REF=main", "PATH=" + fakeGo(t, "exit 1") + ":" + os.Getenv("PATH")}, "", "could not be built from the action's sources"},
		"a version that is not": {[]string{"INPUT_VERSION=1.2.3/../../x; id"}, checksums, "name a release"},
		"a binary":              {[]string{"INPUT_BINARY=/bin/true"}, "", ""},
		"no binary":             {[]string{"INPUT_BINARY=/nowhere/xlagate"}, "", "no program at /nowhere/xlagate"},
		"another system":        {[]string{"INPUT_VERSION=1.2.3", "PATH=" + strange(t) + ":" + os.Getenv("PATH")}, checksums, "no release for Plan9"},
	} {
		offered.Store(c.checksums)
		temp := t.TempDir()
		cmd := exec.Command("bash", installer)
		cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + temp, "RUNNER_TEMP=" + temp, "GITHUB_PATH=" + filepath.Join(temp, "path"), "CURL_CA_BUNDLE=" + ca, "INPUT_DOWNLOAD_URL=" + site.URL}, c.env...)
		out, err := cmd.CombinedOutput()
		path, _ := os.ReadFile(filepath.Join(temp, "path"))
		if installed := err == nil && strings.Contains(string(path), temp); installed != (c.refused == "") {
			t.Errorf("%s: installed: %t\n%s", what, installed, out)
		}
		if c.refused != "" && (cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "::error title=xlagate::") || !strings.Contains(string(out), c.refused)) {
			t.Errorf("%s: exit code %d\n%s", what, cmd.ProcessState.ExitCode(), out)
		}
		if c.refused != "" && strings.Contains(string(out), "of the release") {
			t.Errorf("%s: it was run", what)
		}
	}
}
