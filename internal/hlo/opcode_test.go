package hlo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// TestOpcodeNames holds the spelling of each opcode to the name of its constant.
func TestOpcodeNames(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "opcode.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	capital, n := regexp.MustCompile("([a-z0-9])([A-Z])"), 0
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST || len(group.Specs) < NumOpcodes {
			continue
		}
		for op, spec := range group.Specs {
			name := strings.TrimPrefix(spec.(*ast.ValueSpec).Names[0].Name, "Op")
			if want := strings.ToLower(capital.ReplaceAllString(name, "$1-$2")); opcodeNames[op] != want {
				t.Errorf("Op%s is spelled %s, want %s", name, opcodeNames[op], want)
			}
			n++
		}
	}
	if n != NumOpcodes {
		t.Errorf("%d constants for %d names", n, NumOpcodes)
	}
}
