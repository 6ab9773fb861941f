package artifacts

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxGraph is the largest unpacked size of a drawing in bytes.
const maxGraph = 1 << 30

// inside returns the graph in a page. Older versions write it as text, newer ones compress it.
func inside(page []byte) ([]byte, error) {
	if packed, ok := between(page, `dots_compressed = "`, `"`); ok {
		return unpack(packed)
	}
	at := bytes.Index(page, []byte("\ndigraph "))
	if at < 0 {
		return nil, errors.New("the page holds no graph")
	}
	graph := page[at+1:]
	if end := bytes.Index(graph, []byte("\n`;")); end >= 0 {
		graph = graph[:end]
	}
	return graph, nil
}

func between(text []byte, before, after string) ([]byte, bool) {
	_, rest, ok := bytes.Cut(text, []byte(before))
	if !ok {
		return nil, false
	}
	found, _, ok := bytes.Cut(rest, []byte(after))
	return found, ok
}

// unpack reads base64 of gzip of a JSON list of graphs. A module's dump is a list of one.
func unpack(packed []byte) ([]byte, error) {
	packed = bytes.TrimRight(packed, "=") // some versions pad, some do not
	z, err := gzip.NewReader(base64.NewDecoder(base64.RawStdEncoding, bytes.NewReader(packed)))
	if err != nil {
		return nil, fmt.Errorf("unpack the page's graph: %w", err)
	}
	list, err := io.ReadAll(io.LimitReader(z, maxGraph+1))
	if err == nil && len(list) > maxGraph {
		err = fmt.Errorf("it has more than %d bytes", maxGraph)
	}
	var graphs []string
	if err == nil {
		err = json.Unmarshal(list, &graphs)
	}
	if err != nil {
		return nil, fmt.Errorf("unpack the page's graph: %w", err)
	}
	if len(graphs) != 1 {
		return nil, fmt.Errorf("the page shows %d states of its graph, not one", len(graphs))
	}
	return []byte(graphs[0]), nil
}
