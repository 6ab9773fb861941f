package rule

import (
	"github.com/xlagate/xlagate/internal/phrase"
)

// Portion is how much of all is as it should be, in the place of an amount of what is not.
type Portion struct {
	Key     string // the option that names the least of it
	Subject string
	Have    float64
	Of      string // of what: "of 12 operations went into clusters"
}

// PortionOf is a part of all; of none, all of it.
func PortionOf(part, all float64) float64 {
	if all == 0 {
		return 1
	}
	return part / all
}

// JudgeShare judges an amount of what should be none of all, or no more than a share: where the settings name that share, it stands
// in place of none.
func (c *Context) JudgeShare(a Amount, s Portion) {
	least, asked := c.Number(s.Key)
	if !asked || c.Bounded() {
		c.Forbid(a)
	}
	if !asked {
		return
	}
	c.Checked()
	if s.Have >= least {
		return
	}
	is, wanted := phrase.Apart(s.Have, least, "share")
	f := a.finding(breach{limit: least, said: []string{is + " " + s.Of + ", " + wanted + " wanted"}})
	f.Subject, f.Actual, f.Baseline, f.Unit = s.Subject, s.Have, nil, "share"
	c.Find(f)
}
