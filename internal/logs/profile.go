package logs

import (
	"bytes"
	"errors"
	"time"
)

// Profile is the time that each HLO instruction of each module took.
type Profile struct {
	Modules []ProfiledModule // by time, longest first
	Devices []string         // the devices and host threads that HLO instructions ran on, sorted
}

// ProfiledModule is what was measured of one HLO module.
type ProfiledModule struct {
	Name    string // as in HloModule, without a program id
	Runs    int    // how often it ran, over all devices; 0 when the profile does not say
	Time    time.Duration
	Kernels []ProfiledKernel // by time of their own, longest first
}

// ProfiledKernel is what was measured of one instruction of an optimized module.
type ProfiledKernel struct {
	Name   string // the instruction's name, without %
	Device string
	Count  int
	Total  time.Duration // from start to end
	Self   time.Duration // without what ran inside of it: a while loop's body, a called computation
}

// ErrEmptyProfile says that a profile holds no HLO instruction: it was taken while nothing that XLA compiled ran, or without device tracing.
var ErrEmptyProfile = errors.New("the profile shows no HLO instruction; take it while the program runs compiled code")

// ReadProfile reads a profile of either kind: a Chrome trace (*.trace.json.gz) or an XSpace (*.xplane.pb), which jax.profiler and
// TensorBoard write.
func ReadProfile(data []byte) (*Profile, error) {
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
		return nil, ErrEmptyProfile
	}
	return t, nil
}
