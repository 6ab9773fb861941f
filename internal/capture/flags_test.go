package capture

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/fuzztest"
)

func TestSplitFlags(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string // name=value of each, separated by |
		rest string
	}{
		{"", "", ""},
		{"  --xla_dump_to=/tmp/x\t--xla_dump_hlo_as_text ", "xla_dump_to=/tmp/x|xla_dump_hlo_as_text=", ""},
		{`--xla_dump_to="/tmp/a b" --x=1`, "xla_dump_to=/tmp/a b|x=1", ""},
		{`--xla_dump_to='/tmp/"a" b'`, `xla_dump_to=/tmp/"a" b`, ""},
		{`--p="a\"b\\c" --q=1`, `p=a"b\c|q=1`, ""},
		{`--p="open`, "p=open", ""},
		{`--p="tail"x --q`, "p=tail", "x --q"},
		{"--a=1 stop --b=2", "a=1", "stop --b=2"},
		{"--a=1\n–b=2", "a=1", "–b=2"},
		{"--a=b=c", "a=b=c", ""},
		{"--a=", "a=", ""},
	} {
		flags, rest := splitFlags(tt.text)
		var got []string
		for _, f := range flags {
			got = append(got, f.name+"="+f.value)
		}
		if g := strings.Join(got, "|"); g != tt.want || rest != tt.rest {
			t.Errorf("splitFlags(%q) = %q and the rest %q, want %q and %q", tt.text, g, rest, tt.want, tt.rest)
		}
	}
}

func FuzzSplitFlags(f *testing.F) {
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, text []byte) error {
		flags, rest := splitFlags(string(text))
		again, _ := splitFlags(joinFlags(nil, flags))
		if rest == "" && len(again) != len(flags) {
			t.Errorf("%q: %d flags, after joining %d", text, len(flags), len(again))
		}
		return nil
	}, []byte(`--a="b c" --d='e' x`), []byte(`--p="a\"`), []byte("--="), []byte("-"), []byte(`--a=""b`))
}

func FuzzQuoteFlag(f *testing.F) {
	for _, seed := range []string{"/tmp/x", "/tmp/a b", `quote " and \`, "it's"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if value == "" || strings.ContainsRune(value, 0) {
			return
		}
		flags, rest := splitFlags(quoteFlag("xla_dump_to", value) + " --after=1")
		if rest != "" || len(flags) != 2 || flags[0].value != value || flags[1].value != "1" {
			t.Errorf("%q comes back as %+v and the rest %q", value, flags, rest)
		}
	})
}
