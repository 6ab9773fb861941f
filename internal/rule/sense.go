package rule

// Sense says which of two values of an option asks for more, so that a pull request that asks for less is seen as that. Every option
// has to say.
type Sense int

// The senses of options.
const (
	Unsaid  Sense = iota
	Neither       // another value asks for something else
	Caps          // the less, the stricter: max_added, allow
	Demands       // the more, the stricter: min_ratio, forbid
	Selects       // the more it lets in, the more is looked at: kinds, op_name; without it everything is
	Narrows       // the more it says, the less is looked at: contains, min_bytes
)
