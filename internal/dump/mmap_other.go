//go:build !unix

package dump

import (
	"errors"
	"os"
)

// mapFile is not supported here; the caller reads the file instead.
func mapFile(*os.File, int64) ([]byte, func() error, error) { return nil, nil, errors.ErrUnsupported }
