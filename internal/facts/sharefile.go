package facts

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/xlagate/xlagate/internal/files"
)

// maxShares bounds what the bytes of shares may unfold to.
const maxShares = 2 << 30

// ShareForm tells apart the builds that cannot read each other's shares.
func ShareForm() string { return files.PackedForm([]*Share{}) }

// PackShares turns shares into bytes, always the same for the same shares.
func PackShares(shares []*Share) ([]byte, error) {
	packed, err := files.Pack(shares)
	if err != nil {
		return nil, fmt.Errorf("pack what was measured: %w", err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(packed); err != nil {
		return nil, fmt.Errorf("pack what was measured: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("pack what was measured: %w", err)
	}
	return b.Bytes(), nil
}

// UnpackShares reads what PackShares made.
func UnpackShares(data []byte) ([]*Share, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("unpack what was measured: %w", err)
	}
	packed, err := io.ReadAll(io.LimitReader(z, maxShares+1))
	if err == nil && len(packed) > maxShares {
		err = errors.New("it is larger than anything that was measured")
	}
	var shares []*Share
	if err == nil {
		err = files.Unpack(packed, &shares)
	}
	if err != nil {
		return nil, fmt.Errorf("unpack what was measured: %w", err)
	}
	for _, s := range shares {
		if s == nil {
			return nil, errors.New("unpack what was measured: a dump is missing")
		}
	}
	return shares, nil
}
