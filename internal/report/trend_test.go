package report

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/result"
)

// A commit message is no formula to the spreadsheet that opens the file.
func TestCellsAreNoFormulas(t *testing.T) {
	trend := &result.Trend{
		Commits: []result.TrendCommit{{Commit: "abc", Subject: `=HYPERLINK("http://evil.example")`}, {Commit: "def", Subject: "faster"}},
		Series:  []result.TrendSeries{{Target: "@m", Program: "+step", Fact: "kernels.total", Points: []result.TrendPoint{{At: 0, Value: -3, Reason: "-1+1"}, {At: 1, Value: 4, Reason: "\tup"}}}},
	}
	var b strings.Builder
	if err := trendCSV(&b, trend, Options{}); err != nil {
		t.Fatal(err)
	}
	const want = `target,program,fact,unit,limit,commit,date,subject,value,reason
'@m,'+step,kernels.total,,,abc,,"'=HYPERLINK(""http://evil.example"")",-3,'-1+1
'@m,'+step,kernels.total,,,def,,faster,4,'	up
`
	if b.String() != want {
		t.Errorf("%s\nwanted\n%s", b.String(), want)
	}
}
