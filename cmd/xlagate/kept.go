package main

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"sync/atomic"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/result"
)

// kept finds the result of a check that was made before: if nothing that it depends on has changed, the last result is that of this one. A nil *kept has none.
type kept struct {
	options   gate.Options
	cache     *files.Cache // of this build
	footprint func() string
	warned    atomic.Bool // the check said something that its result does not
}

// keptFor returns what is kept for a check. It is nil unless the check shows its result as text only: for that the last result is enough. It also notes
// whether the check warns of something.
func keptFor(c *cli.Context, to *outputs, o *gate.Options) *kept {
	other := func(out output) bool { return out.format != "text" }
	cache := openCache(c)
	if cache == nil || o.Seen != nil || c.String("comment") != "off" || slices.ContainsFunc(to.list, other) {
		return nil
	}
	k := &kept{cache: cache, options: *o}
	warn := o.Warn
	o.Warn = func(text string) {
		k.warned.Store(true)
		warn(text)
	}
	footprint := make(chan string, 1)
	go func() { footprint <- gate.Footprint(k.options) }()
	k.footprint = func() string { return <-footprint }
	return k
}

func (k *kept) key() string { return "footprint\x00" + lastKey(k.options.Config.Path) }

// result returns the last result if it is that of this check, else nil.
func (k *kept) result(c *cli.Context, w world) *result.Result {
	if k == nil {
		return nil
	}
	known, ok := k.cache.Load(k.key())
	if !ok {
		return nil
	}
	footprint := k.footprint()
	k.footprint = func() string { return footprint }
	results := keptResults(c)
	data, ok := results.Load(lastKey(k.options.Config.Path))
	if !ok || footprint == "" || !bytes.Equal(known, sealed(footprint, data)) {
		return nil
	}
	r, err := parseResult("the last result", data)
	if err != nil {
		return nil
	}
	r.Origin = origin(c, w)
	keepPlace(results, k.options)
	return r
}

// keep notes that a result, as it was stored, is the one that this check has.
func (k *kept) keep(r *result.Result, stored []byte) {
	if k == nil || stored == nil || !gate.IsSettled(r) || k.warned.Load() {
		return
	}
	if footprint := k.footprint(); footprint != "" {
		k.cache.Store(k.key(), sealed(footprint, stored))
	}
}

// sealed is a digest of a footprint and the result that belongs to it.
func sealed(footprint string, data []byte) []byte {
	sum := sha256.Sum256(append([]byte(footprint), data...))
	return sum[:]
}
