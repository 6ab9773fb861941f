package github

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"

	gh "github.com/google/go-github/v60/github"
)

// maxSARIF is what code scanning takes, compressed.
const maxSARIF = 10 << 20

// uploadSARIF hands a log to code scanning.
func (c *Client) uploadSARIF(ctx context.Context, commit, ref, log string) error {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(log))
	if err = errors.Join(err, z.Close()); err != nil {
		return fmt.Errorf("pack the SARIF log: %w", err)
	}
	if packed.Len() > maxSARIF {
		return fmt.Errorf("upload the SARIF log: it has %d bytes compressed; GitHub takes %d", packed.Len(), maxSARIF)
	}
	_, answer, err := c.api.CodeScanning.UploadSarif(ctx, c.owner, c.name, &gh.SarifAnalysis{
		CommitSHA: gh.String(commit), Ref: gh.String(ref), Sarif: gh.String(base64.StdEncoding.EncodeToString(packed.Bytes())), ToolName: gh.String("xlagate"),
	})
	if err == nil && answer.StatusCode == http.StatusAccepted {
		return nil
	}
	if err == nil {
		err = errors.New("GitHub did not say that it took it; is GITHUB_API_URL right, and no proxy in the way?")
	}
	return c.failed(err, "upload the SARIF log for %s", short(commit))
}
