package dump

import "crypto/sha256"

// Sum is the SHA-256 of the file's content as stored, compressed or not.
func (f *File) Sum() (sum [sha256.Size]byte, err error) {
	stored, release, err := f.src.bytes()
	if err != nil {
		return sum, err
	}
	err = Guard(func() error {
		sum = sha256.Sum256(stored)
		return nil
	})
	if rerr := release(); err == nil {
		err = rerr
	}
	return sum, err
}
