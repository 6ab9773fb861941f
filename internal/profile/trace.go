// Package profile reads what a profiler measured: the Chrome trace (*.trace.json.gz) and the XSpace (*.xplane.pb) that jax.profiler and
// TensorBoard write. The result is the time that each HLO instruction of each module took.
package profile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"time"
)

// Trace is the measured time of one profile.
type Trace struct {
	Modules []Module // by time, longest first
	Devices []string // the devices and host threads that HLO instructions ran on, sorted
}

// Module is what was measured of one HLO module.
type Module struct {
	Name    string // as in HloModule, without a program id
	Runs    int    // how often it ran, over all devices; 0 when the profile does not say
	Time    time.Duration
	Kernels []Kernel // by time of their own, longest first
}

// Kernel is what was measured of one instruction of an optimized module.
type Kernel struct {
	Name   string // the instruction's name, without %
	Device string
	Count  int
	Total  time.Duration // from start to end
	Self   time.Duration // without what ran inside of it: a while loop's body, a called computation
}

// maxSize is the size above which a decompressed profile is refused.
const maxSize = 2 << 30

// ErrNothing says that a profile holds no HLO instruction: it was taken while nothing that XLA compiled ran, or without device tracing.
var ErrNothing = errors.New("the profile shows no HLO instruction; take it while the program runs compiled code")

// Read reads a profile of either kind, also compressed.
func Read(data []byte) (*Trace, error) {
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		var err error
		if data, err = decompress(data); err != nil {
			return nil, fmt.Errorf("decompressing the profile: %w", err)
		}
	}
	head := bytes.TrimLeft(data, " \t\r\n")
	if len(head) == 0 {
		return nil, errors.New("the profile is empty")
	}
	c := newCollector()
	var err error
	if head[0] == '{' || head[0] == '[' {
		err = readChrome(head, c)
	} else {
		err = readXSpace(data, c)
	}
	if err != nil {
		return nil, err
	}
	t := c.fold()
	if len(t.Modules) == 0 {
		return nil, ErrNothing
	}
	return t, nil
}

func decompress(data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(z, maxSize+1))
	if err == nil && len(out) > maxSize {
		err = fmt.Errorf("it has more than %d bytes", maxSize)
	}
	return out, err
}
