//go:build !unix

package dump

import (
	"errors"
	"os"
)

// mapFile is not to be had here: the caller reads instead.
func mapFile(*os.File, int64) ([]byte, func() error, error) { return nil, nil, errors.ErrUnsupported }
