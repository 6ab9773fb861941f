package github

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Bounds on an artifact: it was made by code that nobody reviewed.
const (
	maxZipped   = 5 << 20
	maxUnzipped = 20 << 20
)

// unzip returns the one file of an artifact, from memory to memory. Nothing is written anywhere, and everything that is not a
// plain file with just this name is refused.
func unzip(data []byte, name string) ([]byte, error) {
	if len(data) > maxZipped {
		return nil, fmt.Errorf("the artifact has more than %d bytes", maxZipped)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("the artifact is not a zip archive: %w", err)
	}
	if len(z.File) != 1 {
		return nil, fmt.Errorf("the artifact holds %d entries; expected one, %s", len(z.File), name)
	}
	entry := z.File[0]
	if entry.Name != name || !entry.Mode().IsRegular() {
		return nil, fmt.Errorf("the artifact does not hold the plain file %s alone", name)
	}
	if entry.UncompressedSize64 > maxUnzipped {
		return nil, fmt.Errorf("%s has more than %d bytes", name, maxUnzipped)
	}
	return inflate(entry)
}

// inflate does not trust the size that the entry claims.
func inflate(entry *zip.File) (data []byte, err error) {
	r, err := entry.Open()
	if err != nil {
		return nil, fmt.Errorf("unzip %s: %w", entry.Name, err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	data, err = io.ReadAll(io.LimitReader(r, maxUnzipped+1))
	if err != nil {
		return nil, fmt.Errorf("unzip %s: %w", entry.Name, err)
	}
	if len(data) > maxUnzipped {
		return nil, fmt.Errorf("%s has more than %d bytes", entry.Name, maxUnzipped)
	}
	return data, nil
}
