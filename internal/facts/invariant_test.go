package facts

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// invariants hold of every variant of every dump.
var invariants = []struct {
	name  string
	check func(t *testing.T, v *Variant)
}{
	{"counts fit the ledger", countsFitTheLedger}, {"kinds come to the total", kindsComeToTheTotal}, {"facts are possible", factsArePossible}, {"donation fits the arguments", donationFitsTheArguments},
	{"the signature spells the arguments", signatureSpellsTheArguments}, {"kernels read from kernels", kernelsReadFromKernels}, {"prints are prints", printsArePrints},
	{"stacks begin with their line", stacksBeginWithTheirLine},
}

func TestInvariants(t *testing.T) {
	for _, dir := range []string{"testdata/*.tar.gz", "../../testdata/dumps/*.tar.xz"} {
		files, err := filepath.Glob(dir)
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, f := range files {
			r, err := Measure(context.Background(), opened(t, f), Options{})
			if err != nil {
				t.Fatal(err)
			}
			holds(t, filepath.Base(f), r)
		}
	}
}

func holds(t *testing.T, dump string, r *Report) {
	programsStandInOrder(t, dump, r)
	for _, p := range slices.Concat(r.Programs, r.Helpers) {
		for _, v := range p.Variants {
			for _, i := range invariants {
				t.Run(dump+" "+p.Name+" "+i.name, func(t *testing.T) { i.check(t, v) })
			}
		}
	}
}

// counted says how many kernels of a variant fit.
func counted(v *Variant, fits func(*Kernel) bool) float64 {
	n := 0
	for i := range v.Kernels {
		if fits(&v.Kernels[i]) {
			n++
		}
	}
	return float64(n)
}

// What is counted is what is in the ledger.
func countsFitTheLedger(t *testing.T, v *Variant) {
	launched := func(k *Kernel) bool { return k.Class == ClassKernel || k.Class == ClassLibrary }
	for fact, want := range map[ID]float64{
		"kernels.total": counted(v, launched),
		"kernels.entry": counted(v, func(k *Kernel) bool { return launched(k) && k.InEntry }),
		"copies.count":  counted(v, func(k *Kernel) bool { return k.Class == ClassCopy }),
	} {
		if got, ok := v.Facts[fact]; !ok || got != want {
			t.Errorf("%s is %v, the ledger holds %v", fact, got, want)
		}
	}
}

// Kinds come to the total, of kernels and of fusions.
func kindsComeToTheTotal(t *testing.T, v *Variant) {
	kernels, fusions := 0.0, 0.0
	for name, n := range v.Facts {
		family, kind, _ := strings.Cut(string(name), ".")
		switch {
		case family == "kernels" && kind != "total" && kind != "entry" && kind != "weighted":
			kernels += n
		case family == "fusions" && kind != "total":
			fusions += n
		}
	}
	if kernels != v.Facts["kernels.total"] || fusions != v.Facts["fusions.total"] {
		t.Errorf("kinds come to %v kernels and %v fusions, the totals are %v and %v", kernels, fusions, v.Facts["kernels.total"], v.Facts["fusions.total"])
	}
}

// A fact is a number that can be: none is negative, and what is counted is whole.
func factsArePossible(t *testing.T, v *Variant) {
	for name, n := range v.Facts {
		whole := About(name).Unit == inBytes || slices.Contains([]string{"kernels", "copies", "dtypes"}, name.Group())
		if About(name).From == "" {
			t.Errorf("the table of facts does not have %s", name)
		}
		if math.IsNaN(n) || math.IsInf(n, 0) || n < 0 || whole && n != math.Trunc(n) {
			t.Errorf("%s is %v", name, n)
		}
	}
	if f := v.Facts; f["kernels.entry"] > f["kernels.total"] || f["kernels.weighted"] < f["kernels.entry"] || f["fusions.total"] > f["instructions.after"] {
		t.Errorf("%v", f)
	}
}

// What is said of donation is what the arguments say one by one.
func donationFitsTheArguments(t *testing.T, v *Variant) {
	n, bytes := 0.0, 0.0
	for _, a := range v.Params {
		if a.Aliased {
			n, bytes = n+1, bytes+float64(a.Bytes)
		}
	}
	if v.Facts["donation.aliased"] != n || v.Facts["donation.aliased_bytes"] != bytes {
		t.Errorf("%v arguments of %v bytes, the facts say %v of %v", n, bytes, v.Facts["donation.aliased"], v.Facts["donation.aliased_bytes"])
	}
}

// A signature spells every argument, in order.
func signatureSpellsTheArguments(t *testing.T, v *Variant) {
	rest := v.Signature
	for _, a := range v.Params {
		at := strings.Index(rest, a.Name+": "+a.Shape)
		if at < 0 {
			t.Errorf("%s lacks %s: %s", v.Signature, a.Name, a.Shape)
			return
		}
		rest = rest[at+len(a.Name):]
	}
	if !strings.HasPrefix(v.Signature, "(") || !strings.HasSuffix(v.Signature, ")") {
		t.Errorf("%s", v.Signature)
	}
}

// A kernel reads from kernels that there are, and never from itself.
func kernelsReadFromKernels(t *testing.T, v *Variant) {
	for i := range v.Kernels {
		k := &v.Kernels[i]
		for _, from := range k.From {
			if from < 0 || int(from) >= len(v.Kernels) || int(from) == i {
				t.Errorf("kernel %d of %d reads from %d", i, len(v.Kernels), from)
			}
		}
		if !slices.IsSorted(each(k.Do)) || k.Times < 1 || k.Out == "" || k.Kind == "" || k.InLoop && k.InEntry {
			t.Errorf("kernel %d: %+v", i, k.Form)
		}
	}
}

// Kernels of one print do the same, and prints are of one length: they are kept in baselines.
func printsArePrints(t *testing.T, v *Variant) {
	for _, print := range []string{v.Fingerprint, v.InputPrint} {
		if len(print) != 16 && print != "" || strings.Trim(print, "0123456789abcdef") != "" {
			t.Errorf("print %q", print)
		}
	}
	spelled := map[string]string{}
	for i := range v.Kernels {
		k := &v.Kernels[i]
		what := strings.Join(each(k.Do), " ") + " → " + k.Out
		if other, seen := spelled[k.Print]; seen && k.Print != "" && other != what {
			t.Errorf("%s and %s have the print %s", what, other, k.Print)
		}
		spelled[k.Print] = what
	}
}

// Programs stand by name, each once, one of them the main one; their variants are all different.
func programsStandInOrder(t *testing.T, dump string, r *Report) {
	main := 0
	for i, p := range r.Programs {
		if i > 0 && r.Programs[i-1].Name >= p.Name {
			t.Errorf("%s: %s stands before %s", dump, r.Programs[i-1].Name, p.Name)
		}
		if p.Main {
			main++
		}
		seen := map[string]bool{}
		for _, v := range p.Variants {
			if key := v.Signature + v.Fingerprint + v.InputPrint; seen[key] || len(v.Modules) == 0 {
				t.Errorf("%s: %s holds %s twice, or from no module", dump, p.Name, v.Signature)
			} else {
				seen[key] = true
			}
		}
	}
	if want := min(1, len(r.Programs)); main != want {
		t.Errorf("%s: %d of %d programs are the main one", dump, main, len(r.Programs))
	}
}
