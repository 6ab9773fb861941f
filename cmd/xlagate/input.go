package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/result"
)

// readResult reads a result file; "-" is the standard input.
func readResult(w world, path string) (*result.Result, error) {
	data, err := readInput(w, path)
	if err != nil {
		return nil, err
	}
	return parseResult(path, data)
}

func readInput(w world, path string) ([]byte, error) {
	if path == "-" {
		data, err := io.ReadAll(w.in)
		if err != nil {
			return nil, fmt.Errorf("read the standard input: %w", err)
		}
		return data, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &gate.Unreadable{File: path, Message: "there is no such file, or it is not readable", Fix: "name the file that `xlagate check -f json -o FILE` wrote"}
	}
	return data, nil
}

func parseResult(path string, data []byte) (*result.Result, error) {
	var r result.Result
	err := json.Unmarshal(data, &r)
	if err == nil && r.Schema == result.Schema {
		return &r, nil
	}
	return nil, &gate.Unreadable{File: path, Message: "not a result: " + whatItIs(data, err), Fix: "name a file that `xlagate check -f json -o FILE` wrote"}
}

// whatItIs describes a file that is no result: usually it is the wrong file, not a damaged one.
func whatItIs(data []byte, err error) string {
	var head struct {
		Schema any `json:"schema"`
	}
	start := strings.TrimSpace(string(data[:min(len(data), 512)]))
	switch known := json.Unmarshal(data, &head); {
	case start == "":
		return "the file is empty"
	case strings.HasPrefix(start, "HloModule"):
		return "it is a module of a dump"
	case start[0] != '{':
		return "it is not JSON"
	case known != nil:
		return "it is not whole: " + known.Error()
	case head.Schema != result.Schema:
		return fmt.Sprintf("its schema is %q, expected %q", fmt.Sprint(cmp.Or(head.Schema, any(""))), result.Schema)
	}
	return err.Error()
}
