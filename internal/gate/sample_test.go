package gate

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/testfile"
)

// line is a place of the model, in the checkout of some machine.
func line(function string, n int) hlo.Location {
	return hlo.Location{File: "/ci/models/train.py", Line: int32(n), Function: function}
}

// kernel is a launch that comes from a line.
func kernel(at hlo.Location, bytes int64) facts.Kernel {
	opName := "jit(f)/" + at.Function + "/add"
	return facts.Kernel{Form: &facts.Form{Kind: "loop", Do: facts.OpcodesOf("add"), Out: "f32[8]", Bytes: bytes, Fusion: true}, Name: "add", Site: &facts.Site{OpName: opName, Source: at, Times: 1}}
}

// root is a difference of a kind, with the launches that it brought.
func root(kind, summary string, at hlo.Location, after ...facts.Kernel) changes.Cause {
	return changes.Cause{Kind: kind, Title: summary, OpName: "jit(f)/" + at.Function, Source: at, After: after}
}

// twoRoots are edits of two functions, each with a launch more.
func twoRoots() []changes.Cause {
	return []changes.Cause{
		root(changes.KindCode, "a dot is new", line("loss", 7), kernel(line("loss", 7), 4096)),
		root(changes.KindCode, "a copy is new", line("norm", 20), kernel(line("norm", 20), 64)),
	}
}

const signature = "(x: f32[8])"

// changed is a program with one variant, which differs for these reasons.
func changed(name string, causes ...changes.Cause) *changes.Program {
	p := &changes.Program{Name: name, Change: changes.Changed, Old: &facts.Program{}, New: &facts.Program{}}
	addVariant(p, signature, causes...)
	return p
}

func addVariant(p *changes.Program, signature string, causes ...changes.Cause) *changes.Variant {
	old := &facts.Variant{Signature: signature, Facts: facts.Values{"price.step_ns": 1000, "memory.peak_bytes": 4096, "kernels.total": 5, "fusions.total": 5, "cost.bytes_accessed": 100}}
	fresh := &facts.Variant{Signature: signature, Facts: facts.Values{"price.step_ns": 1800, "memory.peak_bytes": 5120, "kernels.total": 7, "fusions.total": 7, "cost.bytes_accessed": 4260}}
	for _, c := range causes {
		fresh.Kernels = append(fresh.Kernels, c.After...)
	}
	v := &changes.Variant{Change: changes.Changed, Old: old, New: fresh, Causes: causes}
	p.Old.Variants, p.New.Variants = append(p.Old.Variants, old), append(p.New.Variants, fresh)
	p.Variants = append(p.Variants, v)
	return v
}

// finding is an error of program f that a rule found.
func finding(broken string, cause *changes.Cause) judgedFinding {
	f := result.Finding{
		ID: fmt.Sprintf("%012x", len(broken)), Rule: broken, Level: "error", Target: "t", Program: "f", Variant: signature, Subject: broken, Message: broken + " is broken",
	}
	return judgedFinding{Finding: rule.Finding{Finding: f, Cause: cause}}
}

// titles are the titles of changes, in their order.
func titles(changes []result.Change) string {
	var list []string
	for i := range changes {
		list = append(list, changes[i].Title)
	}
	return strings.Join(list, "; ")
}

// edits are what git says of a repository in which a file of so many lines was edited at some of them. The model's file is there whichever it was.
func edits(t *testing.T, name string, length int, edited ...int) *git.Edits {
	t.Helper()
	text := make([]string, length)
	for i := range text {
		text[i] = fmt.Sprintf("    x%d = f(x)", i+1)
	}
	dir := t.TempDir()
	write := func(name string) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(strings.Join(text, "\n")+"\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if path.Base(name) != "train.py" {
		write("models/train.py")
	}
	write(name)
	testfile.Commit(t, dir)
	for _, at := range edited {
		text[at-1] = fmt.Sprintf("    x%d = g%d(x)", at, at)
	}
	write(name)
	e, unknown := git.EditsSince(t.Context(), dir, "", func(string) string { return "" })
	if unknown != "" {
		t.Fatal(unknown)
	}
	return e
}

// inEdits names the edits of lines.
func inEdits(e *git.Edits) changes.Edited {
	return func(l hlo.Location) string { return changes.EditOf(l, e) }
}
