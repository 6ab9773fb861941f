// Package xlagate_test holds the tests of the whole: what may import what.
package xlagate_test

import (
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
)

const module = "github.com/xlagate/xlagate/"

// layers lists the packages from the bottom up: a package imports only packages that stand above it in this list. The data runs the
// same way: dump → hlo → facts → baseline and diff → rules → gate → report → github.
var layers = []string{
	"internal/defect", "internal/pack", "internal/cache", "internal/git", "internal/glob", "internal/measure", "internal/shard", "internal/suggest", "internal/wholefile", "internal/yamldoc",
	"internal/words",
	"internal/registry",
	"internal/mlir", "internal/hlo", "internal/dump", "internal/companion", "internal/tfgraph", "internal/compilelog", "internal/trace", "internal/drawing", "internal/ptxas",
	"internal/cost",
	"internal/price",
	"internal/framework",
	"internal/facts",
	"internal/pattern",
	"internal/baseline", "internal/diff",
	"internal/result",
	"internal/ledger", "internal/expr",
	"internal/explain",
	"internal/change",
	"internal/rule",
	"rules",
	"internal/config", "internal/capture", "internal/proposal",
	"internal/gate",
	"internal/policy",
	"internal/report",
	"internal/ruledoc", "internal/schema", "internal/github",
	"internal/github/fakegithub", "internal/github/fakegithub/acttest", "internal/registry/registrytest", "internal/testfile", "internal/facts/factstest", "internal/hlo/hlotest", "internal/ledger/ledgertest",
	"cmd/xlagate", "internal/gen",
}

// owners are the libraries that one package alone may import, so that a change of library touches one place.
var owners = map[string]string{
	"gopkg.in/yaml.v3":                       "internal/yamldoc",
	"github.com/urfave/cli":                  "cmd/xlagate",
	"github.com/google/go-github":            "internal/github",
	"github.com/getkin/kin-openapi":          "internal/github/fakegithub",
	"github.com/vektah/gqlparser":            "internal/github/fakegithub",
	"github.com/sergi/go-diff":               "internal/report",
	"google.golang.org/protobuf":             "internal/hlo internal/companion internal/tfgraph internal/trace internal/facts internal/dump",
	"github.com/klauspost/compress":          "internal/dump",
	"github.com/bmatcuk/doublestar":          "internal/glob internal/gate",
	"golang.org/x/sys":                       "internal/dump",
	"cel.dev/cel-go":                         "internal/expr",
	"github.com/schollz/progressbar":         "cmd/xlagate",
	"github.com/google/jsonschema-go":        "internal/schema",
	"github.com/google/go-containerregistry": "internal/registry/registrytest",
	"oras.land/oras-go":                      "internal/registry",
	"github.com/opencontainers":              "internal/registry",
}

// eachImport calls do for every import of every file that is not a test.
func eachImport(t *testing.T, do func(pkg, imported string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (strings.HasPrefix(e.Name(), ".") && name != "." || e.Name() == "testdata" || e.Name() == "tools" || e.Name() == "bench") {
			return fs.SkipDir
		}
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			do(path.Dir(filepath.ToSlash(name)), imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestImportsGoOneWay(t *testing.T) {
	layer := map[string]int{}
	for i, name := range layers {
		layer[name] = i + 1
	}
	eachImport(t, func(pkg, imported string) {
		target, own := strings.CutPrefix(imported, module)
		if !own {
			return
		}
		switch from, to := layer[pkg], layer[target]; {
		case from == 0 || to == 0:
			t.Errorf("%s imports %s: both must stand in the list of layers", pkg, target)
		case to >= from:
			t.Errorf("%s imports %s, which stands above it: the data runs the other way", pkg, target)
		}
	})
}

// Whoever is new finds every package in the list of layers, and in the page that says what each is for.
func TestEveryPackageHasAPlace(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range layers {
		if files, err := filepath.Glob(filepath.Join(filepath.FromSlash(name), "*.go")); err != nil || len(files) == 0 {
			t.Errorf("%s is in the list of layers, and is no package", name)
		}
		forTests := strings.HasSuffix(name, "test") || strings.Contains(name, "/fake")
		if !forTests && !strings.Contains(string(page), "`"+name+"`") {
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
			if e.IsDir() && len(files) > 0 && !slices.Contains(layers, name) {
				t.Errorf("%s is not in the list of layers", name)
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
		if pkg != "internal/registry/registrytest" && (imported == "log" || imported == "log/slog") { // a registry of others has to be silenced
			t.Errorf("%s imports %s: stages return what they have to say", pkg, imported)
		}
	})
}
