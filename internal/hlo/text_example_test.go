package hlo

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// anew reads a text without comparing its lines or computations.
func anew(src []byte, file string) (*Module, error) {
	p := newTextParser(src, file)
	err := caught(func() {
		i, printed := p.head()
		p.prepare(i, len(p.t))
		p.examples, p.repeats = examples{}, repeats{}
		p.computations(i, len(p.t))
		p.chooseEntry(printed)
		p.m.finish()
	})
	if err != nil {
		return nil, err
	}
	return p.m, nil
}

func checkExamples(t *testing.T, name string, src []byte) {
	t.Helper()
	want, wantErr := anew(src, name)
	got, err := ParseText(src, name)
	if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
		t.Fatalf("%s: compared with others %v, read anew %v", name, err, wantErr)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: read otherwise when its lines are compared with others", name)
	}
}

// A module is the same, whether its lines are compared with those before them or not; and so is what is said of one that is damaged.
func TestExamples(t *testing.T) {
	for _, name := range append(fixtures(t, "text/*/*.txt"), fixtures(t, "text/styles/*/*.txt")...) {
		src := readFile(t, name+".txt")
		random := rand.New(rand.NewPCG(uint64(len(src)), 2))
		for try := range 20 {
			if try > 0 {
				src[random.IntN(len(src))] = "{}()%,= \n\"x\x00R#/"[random.IntN(15)]
			}
			checkExamples(t, name, src)
		}
	}
}

// What looks like a line before may still say something else.
func TestExamplesOfOddText(t *testing.T) {
	const lines = `  %p = f32[2] parameter(0)
  %c = s32[] constant(0), x=1
  %q = f32[2] add(%p, %p), x="a
  %n = f32[2] add(%p, %p)", y=2
  %r = f32[2] add(%p, %p), x="a
  b", x=%late
  %s = f32[2] add(%p, f32[2] negate(%p)), to=%late
  %negate = f32[2] negate(%p), to=%late
  %t = f32[2] add(%negate, f32[2] negate(%p)), x={
  }
  %u = f32[2] add(%negate, f32[2] negate(%negate)), x={
  %z}
  %v = (f32[2], f32[2]) tuple(%p, %q), control-predecessors={%p}
  %w = f32[2] get-tuple-element(%v), index=1
  %w0 = f32[2] custom-call(%v), index=1
  %w1 = f32[2] get-tuple-element(%v), index=1
  %w2 = f32[2] add(%v#1, %v#0)
  ROOT %x = f32[2] add(%w, %w1)
`
	var src strings.Builder
	src.WriteString("HloModule m\n")
	for _, name := range []string{"a", "late", "b", "c"} {
		src.WriteString("%" + name + " {\n" + lines + "}\n")
	}
	src.WriteString("ENTRY %e {\n" + lines + "}\n")
	checkExamples(t, "odd", []byte(src.String()))
	checkExamples(t, "unnamed", []byte(strings.ReplaceAll(src.String(), "%", "")))
	checkExamples(t, "twice", []byte(strings.ReplaceAll(src.String(), "%w1", "%w")))
	checkExamples(t, "one line", []byte(strings.ReplaceAll(src.String(), "\n", " ")))
}

// What stands behind the operands of a call may be like that of a call before, but for a name, or only begin so.
func TestExamplesOfCalls(t *testing.T) {
	nested := ""
	for line := range 8 {
		nested += fmt.Sprintf("  %%q.%d = f32[2] fusion(%%p), calls=%%b, metadata={op_name=\"deep\"}\n", line)
	}
	tails := []string{
		"kind=kLoop, calls=%a", "kind=kLoop, calls=%b", "kind=kLoop, calls={%b}", "kind=kLoop, calls=%b, x=1",
		`kind=kLoop, calls=%a, metadata={op_name="one"}`, `kind=kLoop, calls=%b, metadata={op_name="one"}`, `kind=kLoop, calls=%b, metadata={op_name="two"}`,
		`kind=kLoop, calls=%b, metadata={op_name="one"}, x=1`, `kind=kLoop, calls=%b, metadata={op_name="one"}, x=%a`, `x="%a", calls=%b`, "x={\n}, calls=%a",
		"calls={\n  %p = f32[2] parameter(0)\n" + nested + "}", `calls=%a, metadata={op_name="deep"}`, "calls=%a, condition=%b", "calls=%a, condition=%a",
		"kind=kLoop, calls=%a /* %b */", "calls=%a\n,x=1",
	}
	for try := range uint64(200) {
		random := rand.New(rand.NewPCG(try, 3))
		var src strings.Builder
		src.WriteString("HloModule m\n%a {\n  %p = f32[2] parameter(0)\n}\n%b {\n  %p = f32[2] parameter(0)\n}\nENTRY %e {\n  %p = f32[2] parameter(0)\n")
		for line := range 20 {
			fmt.Fprintf(&src, "  %%f.%d = f32[2] fusion(%%p), %s\n", line, tails[random.IntN(len(tails))])
		}
		src.WriteString("}\n")
		checkExamples(t, "calls", []byte(src.String()))
		checkExamples(t, "unnamed", []byte(strings.ReplaceAll(src.String(), "%", "")))
		checkExamples(t, "undefined", []byte(strings.Replace(src.String(), "=%b", "=%c", 1)))
	}
}
