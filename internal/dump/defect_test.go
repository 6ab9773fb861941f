package dump

import (
	"regexp"
	"testing"
)

func caught(do func()) (d *Defect) {
	defer func() {
		if failure := recover(); failure != nil {
			d = Caught(failure)
		}
	}()
	do()
	return nil
}

func TestCaught(t *testing.T) {
	var list []int
	for _, c := range []struct {
		do   func()
		want string
	}{
		{func() { panic("lost") }, `^xlagate itself failed \(lost, at internal/dump/defect_test\.go:\d+\)$`},
		{func() { _ = list[len(list)+6] }, `^xlagate itself failed \(index out of range \[6\] with length 0, at internal/dump/defect_test\.go:\d+\)$`},
		{func() { panic(&Defect{What: "elsewhere", At: "internal/hlo/module.go:7"}) }, `^xlagate itself failed \(elsewhere, at internal/hlo/module\.go:7\)$`},
	} {
		if d := caught(c.do); d == nil || !regexp.MustCompile(c.want).MatchString(d.Error()) {
			t.Errorf("%v, want %s", d, c.want)
		}
	}
	if d := caught(func() {}); d != nil {
		t.Errorf("nothing failed, and %v was caught", d)
	}
}
