package facts

// arena hands out short lists that live as long as each other, cut from larger ones.
type arena[T any] struct {
	left []T
	size int // of the piece that left is the rest of
}

const largestPiece = 1 << 12

// take returns a list of n zeros.
func (a *arena[T]) take(n int) []T {
	if n > len(a.left) {
		a.size = max(n, min(2*a.size, largestPiece))
		a.left = make([]T, a.size)
	}
	list := a.left[:n:n]
	a.left = a.left[n:]
	return list
}
