package xlagate_test

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/price"
	"github.com/xlagate/xlagate/internal/result"
)

var (
	mutantsEach  = flag.Int("mutants", 1, "how many mutants are made by each operator for each back end; .ci/run mutants makes more")
	mutantsOf    = flag.String("mutants-of", "", "a folder of further dumps, unpacked")
	mutantsTable = flag.String("mutants-table", "", "the file that the table of what was killed is written to")
	mutantsXLA   = flag.String("mutants-python", "", "a Python with jaxlib, whose parser has to accept every mutant")
)

// mutated is a module that mutants are made of, with the files that say what it was compiled for.
type mutated struct {
	backend, name, text string
	beside              map[string][]byte
}

// spoilt is one mutant.
type spoilt struct {
	by   *mutant
	of   *mutated
	at   string // the instruction
	text string
}

// outcome is what became of the mutants of one operator on one back end.
type outcome struct {
	killed, warned, told, small, free, recorded, survived int
	low, high                                             float64 // the ends of the intervals of those that are priced below the budget, as shares of the step
	examples                                              []string
}

func (o *outcome) made() int {
	return o.killed + o.warned + o.told + o.small + o.free + o.recorded + o.survived
}

func (o *outcome) add(other *outcome) {
	o.killed, o.warned, o.told, o.small = o.killed+other.killed, o.warned+other.warned, o.told+other.told, o.small+other.small
	o.low, o.high = min(o.low, other.low), max(o.high, other.high)
	o.free, o.recorded, o.survived = o.free+other.free, o.recorded+other.recorded, o.survived+other.survived
}

// What makes a program worse at one place fails under the recommended pack, or is warned of. It passes where the prediction grows by less than the budget
// allows, or where the place may cost nothing and the operator says why.
func TestMutantsAreKilled(t *testing.T) {
	modules := mutableModules(t)
	mutants := accepted(t, breed(readable(t, modules), *mutantsEach))
	outcomes := map[string]map[string]*outcome{}
	for i := range mutants {
		row := outcomes[mutants[i].by.what]
		if row == nil {
			row = map[string]*outcome{}
			outcomes[mutants[i].by.what] = row
		}
		row[mutants[i].of.backend] = cmp.Or(row[mutants[i].of.backend], &outcome{})
	}
	var lock sync.Mutex
	t.Run("each", func(t *testing.T) {
		for _, of := range modules {
			own := slices.DeleteFunc(slices.Clone(mutants), func(s spoilt) bool { return s.of != of })
			if len(own) == 0 {
				continue
			}
			t.Run(of.backend+"/"+of.name, func(t *testing.T) {
				t.Parallel()
				judge(t, of, own, func(s spoilt, o *outcome) {
					lock.Lock()
					defer lock.Unlock()
					outcomes[s.by.what][of.backend].add(o)
					outcomes[s.by.what][of.backend].examples = append(outcomes[s.by.what][of.backend].examples, o.examples...)
				})
			})
		}
	})
	tellMutants(t, outcomes)
}

// mutableModules are the optimized modules of the dumps, as text.
func mutableModules(t *testing.T) (modules []*mutated) {
	seen := map[string]bool{}
	add := func(entries map[string][]byte) {
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			data := entries[name]
			if !isModule(data) || !strings.HasSuffix(name, "after_optimizations.txt") || len(data) > 400<<10 || seen[string(data)] {
				continue
			}
			seen[string(data)] = true
			m := &mutated{backendOf(name), name, string(data), map[string][]byte{}}
			for other, content := range entries {
				if strings.HasSuffix(other, ".gpu_target_config.pbtxt") || strings.HasSuffix(other, ".target_arguments.txt") || strings.HasSuffix(other, ".flagfile") {
					m.beside[other] = content
				}
			}
			modules = append(modules, m)
		}
	}
	for _, path := range everyDump(t) {
		entries := map[string][]byte{}
		for _, e := range unpacked(t, path) {
			entries[filepath.Base(e.Name)] = e.data
		}
		add(entries)
	}
	if *mutantsOf != "" {
		below := dumpsBelow(t, *mutantsOf)
		for _, folder := range slices.Sorted(maps.Keys(below)) {
			add(below[folder])
		}
	}
	slices.SortFunc(modules, func(a, b *mutated) int {
		return cmp.Or(strings.Compare(a.backend, b.backend), strings.Compare(a.name, b.name), strings.Compare(a.text, b.text))
	})
	return modules
}

func dumpsBelow(t *testing.T, root string) map[string]map[string][]byte {
	byFolder := map[string]map[string][]byte{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		small := strings.HasSuffix(path, "after_optimizations.txt") || strings.HasSuffix(path, ".pbtxt") || strings.HasSuffix(path, ".target_arguments.txt") || strings.HasSuffix(path, ".flagfile")
		if err != nil || e.IsDir() || !small {
			return err
		}
		data, err := os.ReadFile(path)
		folder := filepath.Dir(path)
		if byFolder[folder] == nil {
			byFolder[folder] = map[string][]byte{}
		}
		byFolder[folder][filepath.Base(path)] = data
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return byFolder
}

func backendOf(name string) string {
	switch {
	case strings.Contains(name, "cpu_after"):
		return "cpu"
	case strings.Contains(name, "gpu_after"):
		return "gpu"
	case strings.Contains(name, ".cl_"):
		return "tpu"
	}
	return ""
}

// breed makes so many mutants by each operator for each back end, of as many modules as can be.
func breed(modules []*mutated, each int) (all []spoilt) {
	texts := map[*mutated]*moduleText{}
	for _, of := range modules {
		if m := readModule(of.text); m != nil {
			texts[of] = m
		}
	}
	for n := range mutants {
		for _, backend := range []string{"cpu", "gpu", "tpu"} {
			random := rand.New(rand.NewPCG(23, uint64(n)))
			var made []spoilt
			for _, at := range random.Perm(len(modules)) {
				if of := modules[at]; of.backend == backend && texts[of] != nil && len(made) < each {
					made = append(made, mutantsOfModule(&mutants[n], of, texts[of], random, 1+each/12)...)
				}
			}
			all = append(all, made[:min(each, len(made))]...)
		}
	}
	return all
}

func mutantsOfModule(by *mutant, of *mutated, m *moduleText, random *rand.Rand, most int) (made []spoilt) {
	type place struct {
		c *compText
		i *instrText
	}
	var places []place
	for _, c := range m.comps {
		for _, i := range c.instrs {
			places = append(places, place{c, i})
		}
	}
	for _, at := range random.Perm(len(places)) {
		if len(made) == most {
			break
		}
		p := places[at]
		if e := by.of(m, p.c, p.i); e != nil {
			made = append(made, spoilt{by, of, p.c.name + "/" + p.i.name, e.text()})
		}
	}
	return made
}

// readable leaves out the modules that XLA's own parser cannot read, where there is one: they are of a later version, which writes an element of a tuple
// as %tuple#0.
func readable(t *testing.T, modules []*mutated) []*mutated {
	if *mutantsXLA == "" {
		return modules
	}
	var texts []string
	for _, m := range modules {
		texts = append(texts, m.text)
	}
	var kept []*mutated
	for n, why := range refusals(t, texts) {
		if why == "" {
			kept = append(kept, modules[n])
		}
	}
	t.Logf("XLA's parser reads %d of %d modules", len(kept), len(modules))
	return kept
}

// refusals say why XLA refuses each of the texts, "" where it does not.
func refusals(t *testing.T, texts []string) []string {
	dir := t.TempDir()
	var list []string
	for n, text := range texts {
		path := filepath.Join(dir, fmt.Sprintf("%05d.txt", n))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		list = append(list, path)
	}
	refused := parsedByXLA(t, list)
	why := make([]string, len(list))
	for n, path := range list {
		why[n] = refused[path]
	}
	return why
}

// accepted leaves out what XLA's own parser refuses, where there is one.
func accepted(t *testing.T, all []spoilt) []spoilt {
	if *mutantsXLA == "" {
		return all
	}
	var texts []string
	for _, s := range all {
		texts = append(texts, s.text)
	}
	var kept []spoilt
	byOperator := map[string]int{}
	refused := refusals(t, texts)
	for n, s := range all {
		if why := refused[n]; why != "" {
			byOperator[s.by.what+" on "+s.of.backend]++
			t.Logf("XLA refuses %s of %s %s at %s: %s", s.by.what, s.of.backend, s.of.name, s.at, why)
			continue
		}
		kept = append(kept, s)
	}
	t.Logf("XLA's parser accepts %d of %d; refused %v", len(kept), len(all), byOperator)
	if len(kept)*10 < len(all)*9 {
		t.Errorf("XLA's parser accepts %d of %d", len(kept), len(all))
	}
	return kept
}

// parsedByXLA returns why XLA refuses files. A failed check ends Python: then it goes on behind that file.
func parsedByXLA(t *testing.T, list []string) map[string]string {
	refused := map[string]string{}
	for left := list; len(left) > 0; {
		command := exec.CommandContext(t.Context(), *mutantsXLA, ".ci/parse.py")
		command.Stdin = strings.NewReader(strings.Join(left, "\n"))
		var stderr strings.Builder
		command.Stderr = &stderr
		out, err := command.StdoutPipe()
		if err == nil {
			err = command.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for ; lines.Scan(); seen++ {
			if why := lines.Text(); why != "" {
				refused[left[seen]] = why
			}
		}
		if err := command.Wait(); err != nil && seen < len(left) {
			refused[left[seen]] = "a check failed: " + err.Error()
			seen++
		}
		if seen == 0 || len(refused) > 20 && len(refused)*2 > len(list) {
			t.Fatalf("XLA's parser reads nothing: %s", stderr.String())
		}
		left = left[seen:]
	}
	return refused
}

// judge accepts a module and checks its mutants.
func judge(t *testing.T, of *mutated, own []spoilt, tell func(spoilt, *outcome)) {
	dir := t.TempDir()
	for name, data := range of.beside {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, of.name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(of.text)
	g := gatedBy(t, fmt.Sprintf("version: 1\nextends: [recommended]\ntargets: [{ name: model, dump: %q }]\n", dir))
	if _, err := gate.Accept(t.Context(), g.options(dir), gate.AcceptOptions{Reason: "start"}); err != nil {
		t.Skip(err) // TestAcceptedPasses says which may be refused
	}
	if r := g.check(dir); r.ExitCode != 0 {
		t.Skip(findings(r))
	}
	was := priced(t, dir)
	if was.facts[facts.PriceStep] == 0 {
		t.Skip("it is not known what the device is")
	}
	for _, s := range own {
		write(s.text)
		r, o := g.check(dir), &outcome{}
		switch r.ExitCode {
		case gate.ExitIncomplete:
			o.told++
			o.examples = append(o.examples, fmt.Sprintf("not read: %s at %s: %s", of.name, s.at, findings(r)))
		case 0:
			if slices.ContainsFunc(r.Findings, func(f result.Finding) bool { return f.Level == "warning" }) {
				o.warned++
				break
			}
			if o.tell(s, was, priced(t, dir)); o.small > 0 {
				o.low, o.high = interval(r, was.facts[facts.PriceStep])
			}
		default:
			o.killed++
		}
		tell(s, o)
	}
}

// interval is between what the step is expected to grow by, as a share of it.
func interval(r *result.Result, step float64) (low, high float64) {
	for _, c := range r.Changes {
		low, high = low+c.Price.LowNS/step, high+c.Price.HighNS/step
	}
	return low, high
}

// tell decides about a mutant that passed without a warning. It costs nothing where something takes longer that runs while a transfer is waited for anyway. A GPU takes less
// time for five launches of a loop, which are a command buffer, than for four that the host starts one by one.
func (o *outcome) tell(s spoilt, was, is predicted) {
	grew, covered := is.facts[facts.PriceStep]-was.facts[facts.PriceStep], is.apart > was.apart+0.001
	switch {
	case grew > 0.001 && is.facts[facts.PriceUnpriced] >= was.facts[facts.PriceUnpriced]:
		o.small++
	case (s.by.free != "" || covered) && grew < 0.001:
		o.free++
	case s.of.backend == "gpu" && is.started < was.started && is.recorded > was.recorded+0.001:
		o.recorded++
	default:
		o.survived++
		o.examples = append(o.examples, fmt.Sprintf("survived: %s %s at %s: %.1f ns, was %.1f ns", s.by.what, s.of.name, s.at, is.facts[facts.PriceStep], was.facts[facts.PriceStep]))
	}
}

// predicted is what the main program of a dump is predicted to take.
type predicted struct {
	facts    facts.Values
	apart    float64 // if nothing ran beside anything
	recorded float64 // the same, if every launch were in a command buffer too
	started  float64 // launches that the host starts one by one
}

func priced(t *testing.T, dir string) (p predicted) {
	t.Helper()
	r, err := facts.Measure(t.Context(), openedAt(t, dir), facts.Options{Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	programs := slices.Concat(r.Programs, r.Helpers)
	if len(programs) == 0 {
		return p
	}
	v := programs[0].Variants[0]
	if p.facts = v.Facts; v.Device == nil {
		return p
	}
	cached := v.Device.Cached(v.Facts[facts.RunTouched])
	for _, k := range v.Prices(v.Device) {
		work, rest := k.Work, k.Once.Host+v.Device.Transfer(&k.Work, cached)
		p.started += k.Runs * work[price.Queued]
		work[price.Queued] = 0
		p.apart += k.Runs * (k.Once.Launch + rest)
		p.recorded += k.Runs * (v.Device.Time(&work).Launch + rest)
	}
	return p
}

// tellMutants writes the table, and fails where more than one in a hundred survives.
func tellMutants(t *testing.T, outcomes map[string]map[string]*outcome) {
	var table, examples strings.Builder
	all := &outcome{}
	operators := 0
	table.WriteString("| mutant | cpu | gpu | tpu | warned of | priced below the budget | costs nothing | in a command buffer now | survived |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, by := range mutants {
		row, sum := outcomes[by.what], &outcome{}
		var cells []string
		for _, backend := range []string{"cpu", "gpu", "tpu"} {
			o := cmp.Or(row[backend], &outcome{})
			cells = append(cells, fmt.Sprintf("%d of %d", o.killed+o.told, o.made()))
			sum.add(o)
			for _, e := range o.examples {
				fmt.Fprintf(&examples, "%s: %s\n", backend, e)
			}
		}
		small := fmt.Sprint(sum.small)
		if sum.small > 0 {
			small += fmt.Sprintf(" (%+.1f … %+.1f %%)", 100*sum.low, 100*sum.high)
		}
		fmt.Fprintf(&table, "| %s | %s | %d | %s | %d | %d | %d |\n", by.what, strings.Join(cells, " | "), sum.warned, small, sum.free, sum.recorded, sum.survived)
		if sum.made() > 0 {
			operators++
		}
		all.add(sum)
	}
	fmt.Fprintf(&table, "\n%d mutants of %d operators: %d killed, %d warned of, %d not read and told, %d priced below the budget, %d cost nothing, %d in a command buffer now, %d survived\n",
		all.made(), operators, all.killed, all.warned, all.told, all.small, all.free, all.recorded, all.survived)
	t.Logf("\n%s\n%s", table.String(), examples.String())
	if *mutantsTable != "" {
		if err := os.WriteFile(*mutantsTable, []byte(table.String()), 0o600); err != nil {
			t.Error(err)
		}
	}
	if all.made() == 0 || all.survived*100 > all.made() || all.told*100 > all.made() {
		t.Errorf("of %d mutants %d survived and %d could not be read", all.made(), all.survived, all.told)
	}
}
