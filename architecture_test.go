// Package xlagate_test holds the tests of the whole: what may import what, and what may be spelled.
package xlagate_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
)

const module = "github.com/xlagate/xlagate/"

// floors lists the packages from the bottom up: a package imports only packages of lower floors. The data runs the same way:
// dump → hlo → facts → changes → rules → gate → report → github.
var floors = [][]string{
	{"internal/files", "internal/git", "internal/phrase", "internal/wire", "internal/yamldoc"},
	{"internal/dump", "internal/hlo", "internal/logs"},
	{"internal/artifacts", "internal/price", "internal/tensorflow"},
	{"internal/facts"},
	{"internal/baseline", "internal/capture", "internal/changes", "internal/result"},
	{"internal/export", "internal/rule", "internal/webpage"},
	{"internal/config", "internal/report", "rules"},
	{"internal/gate", "internal/github"},
	{"cmd/xlagate"},
}

// Bounds on the house: whoever wants another room says in docs/architecture.md why none of these will do.
const (
	maxFloors   = 9
	maxPackages = 25
)

// testPackages serve tests, and import what they like.
var testPackages = []string{
	"internal/changes/changestest", "internal/facts/factstest", "internal/fuzztest", "internal/github/fakegithub", "internal/github/fakegithub/acttest", "internal/hlo/hlotest",
	"internal/testfile",
}

// owners are the libraries that one package alone may import, so that a change of library touches one place.
var owners = map[string]string{
	"gopkg.in/yaml.v3":                   "internal/yamldoc",
	"github.com/urfave/cli":              "cmd/xlagate",
	"github.com/google/go-github":        "internal/github",
	"github.com/getkin/kin-openapi":      "internal/github/fakegithub",
	"github.com/vektah/gqlparser":        "internal/github/fakegithub",
	"github.com/sergi/go-diff":           "internal/report",
	"github.com/bluekeyes/go-gitdiff":    "internal/git",
	"github.com/go-json-experiment/json": "internal/files internal/report internal/yamldoc",
	"github.com/google/pprof":            "internal/export",
	"google.golang.org/protobuf":         "internal/hlo internal/wire",
	"github.com/klauspost/compress":      "internal/dump",
	"github.com/bmatcuk/doublestar":      "internal/gate internal/phrase",
	"golang.org/x/sys":                   "internal/dump internal/files",
	"cel.dev/cel-go":                     "internal/rule",
	"github.com/google/jsonschema-go":    "internal/baseline internal/config internal/result",
}

// eachFile calls do for every file that is not a test.
func eachFile(t *testing.T, do func(name string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (strings.HasPrefix(e.Name(), ".") && name != "." || e.Name() == "testdata" || e.Name() == "tools" || e.Name() == "bench") {
			return fs.SkipDir
		}
		if !e.IsDir() && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			do(filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// eachImport calls do for every import of every file that is not a test.
func eachImport(t *testing.T, do func(pkg, imported string)) {
	t.Helper()
	eachFile(t, func(name string) {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			do(path.Dir(name), imported)
		}
	})
}

func TestImportsGoDown(t *testing.T) {
	floor := map[string]int{}
	for i, packages := range floors {
		for _, name := range packages {
			floor[name] = i + 1
		}
	}
	eachImport(t, func(pkg, imported string) {
		target, own := strings.CutPrefix(imported, module)
		if !own || slices.Contains(testPackages, pkg) {
			return
		}
		switch from, to := floor[pkg], floor[target]; {
		case from == 0 || to == 0:
			t.Errorf("%s imports %s: floors must list both", pkg, target)
		case to >= from:
			t.Errorf("%s imports %s, which is not on a lower floor", pkg, target)
		}
	})
}

func TestEveryPackageHasAPlace(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := slices.Concat(floors...)
	if len(floors) > maxFloors || len(listed) > maxPackages {
		t.Errorf("%d floors with %d packages; at most %d with %d", len(floors), len(listed), maxFloors, maxPackages)
	}
	for _, name := range listed {
		if files, err := filepath.Glob(filepath.Join(filepath.FromSlash(name), "*.go")); err != nil || len(files) == 0 {
			t.Errorf("floors lists %s, which is no package", name)
		}
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/architecture.md does not say what %s is for", name)
		}
	}
	for _, dir := range []string{"internal", "cmd"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			files, _ := filepath.Glob(filepath.Join(filepath.FromSlash(name), "*.go"))
			if e.IsDir() && len(files) > 0 && !slices.Contains(listed, name) && !slices.Contains(testPackages, name) {
				t.Errorf("floors does not list %s", name)
			}
		}
	}
}

func TestLibrariesHaveOneOwner(t *testing.T) {
	eachImport(t, func(pkg, imported string) {
		for library, allowed := range owners {
			if strings.HasPrefix(imported, library) && !strings.Contains(" "+allowed+" ", " "+pkg+" ") {
				t.Errorf("%s imports %s, which belongs to %s", pkg, imported, allowed)
			}
		}
	})
}

func TestNothingBelowTheCommandPrints(t *testing.T) {
	eachImport(t, func(pkg, imported string) {
		if imported == "log" || imported == "log/slog" {
			t.Errorf("%s imports %s: stages return what they have to say", pkg, imported)
		}
	})
}

// TestFactsAreNotSpelled holds code to the identifiers of package facts: a fact that is spelled may be misspelled.
func TestFactsAreNotSpelled(t *testing.T) {
	names := map[string]bool{}
	for _, f := range facts.Table {
		names[strconv.Quote(string(f.ID))] = !strings.Contains(string(f.ID), "*") // a family is spelled as a rule's glob is
	}
	eachFile(t, func(name string) {
		if name == "internal/facts/table.go" {
			return
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && names[text.Value] {
				t.Errorf("%s spells the fact %s", set.Position(text.Pos()), text.Value)
			}
			return true
		})
	})
}

// TestDocCommentsBeginWithTheirName holds the comment of a function, type, variable or constant to what it is called today.
func TestDocCommentsBeginWithTheirName(t *testing.T) {
	eachFile(t, func(name string) {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			documented, doc := documentedBy(d)
			first, _, _ := strings.Cut(strings.TrimLeft(strings.NewReplacer("\n", " ", ",", " ", "'", " ", ":", " ").Replace(doc), " "), " ")
			if first != "" && first != documented && !slices.Contains([]string{"A", "An", "The"}, first) {
				t.Errorf("%s: the comment of %s begins with %q", set.Position(d.Pos()), documented, first)
			}
		}
	})
}

// documentedBy returns the name of what a declaration declares, and its comment; none of one that declares several things.
func documentedBy(d ast.Decl) (name, doc string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Name.Name, d.Doc.Text()
	case *ast.GenDecl:
		if len(d.Specs) != 1 {
			return "", ""
		}
		switch s := d.Specs[0].(type) {
		case *ast.TypeSpec:
			return s.Name.Name, d.Doc.Text()
		case *ast.ValueSpec:
			if len(s.Names) == 1 {
				return s.Names[0].Name, d.Doc.Text()
			}
		}
	}
	return "", ""
}
