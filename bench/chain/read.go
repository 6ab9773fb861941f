package chain

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/xlagate/xlagate/internal/dump"
)

// Read reads the module in a file, decompressed.
func Read(path string) (src []byte, err error) {
	d, err := dump.Open(context.Background(), path, dump.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if len(d.Modules) != 1 || len(d.Modules[0].Stages) != 1 {
		return nil, fmt.Errorf("%s: %w", path, errForm)
	}
	data, release, err := d.Modules[0].Stages[0].HLO().Bytes()
	if err != nil {
		return nil, err
	}
	return bytes.Clone(data), release()
}
