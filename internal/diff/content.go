package diff

import "github.com/xlagate/xlagate/internal/facts"

// contents remembers what programs do: each of many is held against each of as many others.
type contents map[*facts.Program]*content

// content counts what the compilation does that does most of it, one of many being no more than one.
type content struct{ asked, launched map[string]int }

func (c *contents) of(p *facts.Program) *content {
	if *c == nil {
		*c = contents{}
	}
	if (*c)[p] == nil {
		(*c)[p] = &content{busiest(p, asked), busiest(p, launched)}
	}
	return (*c)[p]
}

// inCommon is the share of what either program does that both do; more than all of it where a compilation is just the same.
func (c *contents) inCommon(old, fresh *facts.Program) float64 {
	for _, a := range old.Variants {
		for _, b := range fresh.Variants {
			if a.Fingerprint == b.Fingerprint && a.Signature == b.Signature {
				return 2
			}
		}
	}
	was, is := c.of(old).asked, c.of(fresh).asked
	if len(was) == 0 || len(is) == 0 {
		was, is = c.of(old).launched, c.of(fresh).launched
	}
	same, all := 0, max(total(was), total(is))
	if all == 0 {
		return 0
	}
	for key, n := range was {
		same += min(n, is[key])
	}
	return float64(same) / float64(all)
}

func busiest(p *facts.Program, count func(*facts.Program) map[string]int) map[string]int {
	most := map[string]int{}
	for _, v := range p.Variants {
		for key, n := range count(alone(v)) {
			most[key] = max(most[key], n)
		}
	}
	return most
}
