package rule

// Refusal says what is wrong with a value that has the right type, and where in its entry it stands.
type Refusal struct {
	Path []string // keys and, in lists, numbers from 0, from the entry down to the value; empty: the entry lacks something
	Err  error
}
