package rules

import (
	"github.com/xlagate/xlagate/internal/measure"
)

// share is how much of all is as it should be, in the place of an amount of what is not.
type share struct {
	key     string // the option that names the least of it
	subject string
	have    float64
	of      string // of what: "of 12 operations went into clusters"
}

// shareOf is a part of all; of none, all of it.
func shareOf(part, all float64) float64 {
	if all == 0 {
		return 1
	}
	return part / all
}

// judgeShare judges an amount of what should be none of all, or no more than a share: where the settings name that share, it stands
// in place of none.
func (c *Context) judgeShare(a Amount, s share) {
	least, asked := c.Number(s.key)
	if !asked || c.bounded() {
		c.Forbid(a)
	}
	if !asked {
		return
	}
	c.Checked()
	if s.have >= least {
		return
	}
	is, wanted := measure.Apart(s.have, least, "share")
	f := a.finding(breach{limit: least, said: []string{is + " " + s.of + ", " + wanted + " wanted"}})
	f.Subject, f.Actual, f.Baseline, f.Unit = s.subject, s.have, nil, "share"
	c.Find(f)
}
