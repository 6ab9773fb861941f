package result

// TrendSchema names the form of a trend.
const TrendSchema = "xlagate.trend/v1"

// Trend is how what was accepted went, commit by commit.
type Trend struct {
	Schema   string        `json:"schema"`
	Baseline string        `json:"baseline"`
	Since    string        `json:"since,omitempty"`
	Commits  []TrendCommit `json:"commits"` // those that changed the baseline, the oldest first
	Series   []TrendSeries `json:"series"`
}

// TrendCommit is a commit that changed the baseline. The last may be what is not committed yet, without a name.
type TrendCommit struct {
	Commit  string `json:"commit,omitempty"`
	Date    string `json:"date,omitempty"` // day of the commit
	Subject string `json:"subject"`
	Unread  string `json:"unread,omitempty"` // why the baseline in it could not be read
}

// TrendSeries is one fact of one program.
type TrendSeries struct {
	Target  string       `json:"target"`
	Program string       `json:"program"`
	Fact    string       `json:"fact"`
	Unit    string       `json:"unit,omitempty"`
	Limit   float64      `json:"limit,omitempty"` // that the configuration sets today; 0: none
	Points  []TrendPoint `json:"points"`          // where it was accepted first, and where it changed
}

// TrendPoint is a value that was accepted.
type TrendPoint struct {
	At     int     `json:"at"` // index into the commits
	Value  float64 `json:"value"`
	Reason string  `json:"reason,omitempty"` // given when it was accepted
	Gone   bool    `json:"gone,omitempty"`   // the program, or the fact, is in the baseline no more
}
