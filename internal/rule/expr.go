package rule

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Expression is a compiled `expr` with the facts that it names.
type Expression struct {
	ReadsBaseline bool
	program       cel.Program
	paths         []string // "facts.kernels.total", in order
}

// factGroups are the first words of the facts' names.
var factGroups = facts.Groups()

// CompileExpression checks an expression; the error names the column where one is known.
func CompileExpression(text string) (*Expression, error) {
	const costLimit = 100_000 // of one evaluation, in CEL's own units
	env, err := cel.NewEnv(cel.Variable("facts", cel.MapType(cel.StringType, cel.DynType)), cel.Variable("base", cel.MapType(cel.StringType, cel.DynType)))
	if err != nil {
		return nil, fmt.Errorf("prepare CEL: %w", err)
	}
	parsed, issues := env.Parse(text)
	if issues.Err() != nil {
		return nil, fmt.Errorf("expr: %s", firstIssue(issues))
	}
	factory := ast.NewExprFactory()
	ast.PostOrderVisit(parsed.NativeRep().Expr(), ast.NewExprVisitor(func(x ast.Expr) {
		if x.Kind() == ast.LiteralKind {
			if n, whole := x.AsLiteral().(types.Int); whole { // facts are real numbers, and CEL does not mix the two
				x.SetKindCase(factory.NewLiteral(x.ID(), types.Double(n)))
			}
		}
	}))
	checked, issues := env.Check(parsed)
	if issues.Err() != nil {
		return nil, fmt.Errorf("expr: %s", firstIssue(issues))
	}
	if checked.OutputType() != cel.BoolType {
		return nil, fmt.Errorf("expr gives a value; expected a comparison, as in facts.kernels.total <= 20")
	}
	program, err := env.Program(checked, cel.CostLimit(costLimit))
	if err != nil {
		return nil, fmt.Errorf("expr: %w", err)
	}
	e := &Expression{program: program}
	var wrong error // a group that no fact is in
	ast.PostOrderVisit(checked.NativeRep().Expr(), ast.NewExprVisitor(func(x ast.Expr) {
		p := pathOf(x)
		if strings.Count(p, ".") == 1 && !slices.Contains(factGroups, p[strings.IndexByte(p, '.')+1:]) && wrong == nil {
			wrong = fmt.Errorf("expr: no fact is called %s%s; the groups are %s", p,
				phrase.DidYouMean(p[strings.IndexByte(p, '.')+1:], factGroups), strings.Join(factGroups, ", "))
		}
		if strings.Count(p, ".") >= 2 {
			e.paths = append(slices.DeleteFunc(e.paths, func(q string) bool { return strings.HasPrefix(p, q+".") || p == q }), p)
		}
		e.ReadsBaseline = e.ReadsBaseline || strings.HasPrefix(p, "base.")
	}))
	return e, wrong
}

func firstIssue(issues *cel.Issues) string {
	first := issues.Errors()[0]
	switch message := first.Message; {
	case strings.Contains(message, "'<EOF>'"):
		return fmt.Sprintf("column %d: the expression ends in the middle", first.Location.Column()+1)
	case strings.HasPrefix(message, "undeclared reference to"):
		line, _, _ := strings.Cut(message, "\n")
		line = strings.TrimSuffix(line, " (in container '')")
		return fmt.Sprintf("column %d: %s; write facts.NAME or base.NAME, as in facts.kernels.total", first.Location.Column()+1, line)
	}
	return fmt.Sprintf("column %d: %s", first.Location.Column()+1, first.Message)
}

// pathOf spells a chain of selections that starts at facts or base: "facts.kernels.total"; "" for everything else.
func pathOf(x ast.Expr) string {
	switch x.Kind() {
	case ast.IdentKind:
		if name := x.AsIdent(); name == "facts" || name == "base" {
			return name
		}
	case ast.SelectKind:
		if p := pathOf(x.AsSelect().Operand()); p != "" {
			return p + "." + x.AsSelect().FieldName()
		}
	case ast.CallKind:
		call := x.AsCall()
		if call.FunctionName() == "_[_]" && call.Args()[1].Kind() == ast.LiteralKind {
			if key, ok := call.Args()[1].AsLiteral().Value().(string); ok && pathOf(call.Args()[0]) != "" {
				return pathOf(call.Args()[0]) + "." + key
			}
		}
	}
	return ""
}

// Holds reports whether the expression is true of a program and its baseline.
func (e *Expression) Holds(fresh, old facts.Values) (bool, error) {
	out, _, err := e.program.Eval(map[string]any{"facts": nested(fresh), "base": nested(old)})
	if err != nil {
		return false, err
	}
	holds, ok := out.Value().(bool)
	return ok && holds, nil
}

// Values lists what the expression read.
func (e *Expression) Values(fresh, old facts.Values) []string {
	var out []string
	for _, path := range e.paths {
		side, name, _ := strings.Cut(path, ".")
		from := fresh
		if side == "base" {
			from = old
		}
		if n, ok := from[facts.ID(name)]; ok && !math.IsNaN(n) {
			out = append(out, fmt.Sprintf("%s is %v", path, n))
		}
	}
	return out
}

// nested turns dotted names into maps of maps, as CEL selects them.
func nested(n facts.Values) map[string]any {
	root := map[string]any{}
	for _, g := range factGroups {
		root[g] = map[string]any{}
	}
	for name, v := range n {
		if math.IsNaN(v) {
			continue
		}
		at := root
		steps := strings.Split(string(name), ".")
		for _, s := range steps[:len(steps)-1] {
			inner, ok := at[s].(map[string]any)
			if !ok {
				inner = map[string]any{}
				at[s] = inner
			}
			at = inner
		}
		at[steps[len(steps)-1]] = v
	}
	return root
}
