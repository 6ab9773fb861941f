package report

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"regexp"
	"testing"
)

var packedDocument = regexp.MustCompile(`<script type="application/gzip" id="[^"]+">([^<]*)</script>`)

// said is what an output tells: of HTML the documents that the page shows.
func said(t *testing.T, format, output string) string {
	t.Helper()
	if format != "html" {
		return output
	}
	var all bytes.Buffer
	for _, m := range packedDocument.FindAllStringSubmatch(output, -1) {
		data, err := base64.StdEncoding.DecodeString(m[1])
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&all, z); err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}
