package dump

import (
	"crypto/sha256"
	"io"
	"slices"
)

// Sample is the listing with some of what the files hold that facts come from: two runs of one job leave files of the same names, and often
// of the same sizes.
func (d *Dump) Sample() [sha256.Size]byte {
	sum, listing := sha256.New(), d.Listing()
	sum.Write(listing[:])
	for _, m := range d.Modules {
		for _, s := range []*Stage{m.Unoptimized(), m.Optimized()} {
			if s != nil && s.HLO() != nil {
				s.HLO().sample(sum)
			}
		}
	}
	for _, f := range slices.Concat(d.Graphs, d.Logs) {
		f.sample(sum)
	}
	return [sha256.Size]byte(sum.Sum(nil))
}

// A file is sampled in so many blocks of that size: its content as stored, all of a small one.
const (
	sampleBlocks = 64
	sampleBlock  = 4096
)

// sample writes some of the file's content. What cannot be read is told where it is read for its facts.
func (f *File) sample(sum io.Writer) {
	stored, release, err := f.src.bytes()
	if err != nil {
		return
	}
	_ = Guard(func() error {
		step := max(sampleBlock, (len(stored)+sampleBlocks-1)/sampleBlocks)
		for at := 0; at < len(stored); at += step {
			_, err := sum.Write(stored[at:min(at+sampleBlock, len(stored))])
			if err != nil {
				return err
			}
		}
		return nil
	})
	_ = release()
}
