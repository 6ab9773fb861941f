package facts

import (
	"slices"
	"strings"
	"testing"
)

// The same model under two versions of JAX, with functions of the user called call, add, sort, matmul and convolve, the last three with several calls in them,
// methods __call__ of two classes, and jnp.sort, jnp.convolve, … outside of jit.
func TestPrograms(t *testing.T) {
	for _, c := range []struct{ dump, programs, helpers string }{
		{
			"cpu-0.10.2-names", "M.__call__ M.fwd N.__call__ _lambda _lambda-2 add convolve convolve-2 matmul scan scan-2 sort step",
			"_normal _threefry_split add call convolve matmul sort true_divide",
		},
		// Without stacks, functions of one name are one unless they have no argument in common, and several operations are a program.
		{
			"cpu-0.4.30-names", "__call__ __call__-2 _lambda _lambda-2 _normal _threefry_split convolve fwd matmul scan sort sort-2 step",
			"add call matmul sort true_divide",
		},
		// Functions of an installed package that call those of the same names in jnp, outside of jit.
		{"gpu-0.10.2-haliax", "train_step", "concatenate cos multiply sin"},
	} {
		r := measureDump(t, "testdata/"+c.dump+".tar.xz", Options{})
		if got := programNames(r.Programs); got != c.programs {
			t.Errorf("%s: programs %s\nwant %s", c.dump, got, c.programs)
		}
		if got := programNames(r.Helpers); got != c.helpers {
			t.Errorf("%s: helpers %s\nwant %s", c.dump, got, c.helpers)
		}
	}
}

func TestNames(t *testing.T) {
	for program, want := range map[string]string{
		"step": "step", "step-2": "step-2 step", "scatter-add": "scatter-add", "Encoder.__call__": "Encoder.__call__ __call__",
		"Encoder.__call__-12": "Encoder.__call__-12 Encoder.__call__ __call__", "step-1": "step-1", "f.": "f.",
		"train-step-2": "train-step-2 train-step", "2": "2",
	} {
		if got := strings.Join(Names(program), " "); got != want {
			t.Errorf("%s: %q, want %q", program, got, want)
		}
	}
	if PlainName("Encoder.__call__-2") != "__call__" {
		t.Error("a log knows neither class nor number")
	}
}

// Two compilations are of one function if what is known of both agrees.
func TestHolds(t *testing.T) {
	compile := func(function, source string, arguments ...string) *measuring {
		v := &Variant{}
		for _, a := range arguments {
			v.Params = append(v.Params, Parameter{Name: a})
		}
		return &measuring{Identity: Identity{Program: "step", Function: function, Source: source}, Variant: v}
	}
	first := compile("step", "model/a.py", "params['w']", "x")
	for what, c := range map[string]struct {
		other *measuring
		same  bool
	}{
		"another shape":                      {compile("step", "model/a.py", "params['w']", "x"), true},
		"an argument more":                   {compile("step", "model/a.py", "params['b']", "x", "mask"), true},
		"less of the path is known":          {compile("step", "a.py", "params['w']"), true},
		"nothing is known of the function":   {compile("", "", "x"), true},
		"no arguments":                       {compile("step", "model/a.py"), true},
		"another file":                       {compile("step", "model/b.py", "params['w']", "x"), false},
		"a file of the same name":            {compile("step", "other/a.py", "params['w']", "x"), false},
		"within another function":            {compile("make.<locals>.step", "model/a.py", "x"), false},
		"no argument in common":              {compile("step", "model/a.py", "z"), false},
		"no argument in common, and no file": {compile("", "", "z"), false},
	} {
		programs, _ := group([]*measuring{first, c.other})
		if names := programNames(programs); (names == "step") != c.same || !c.same && !slices.Equal(strings.Fields(names), []string{"step", "step-2"}) {
			t.Errorf("%s: programs %s", what, names)
		}
	}
}

// Two dumps of one run number functions of one name each in its own order.
func TestMergeOfNumbered(t *testing.T) {
	step := func(file, makes string) *measuring {
		return &measuring{Identity: Identity{Program: "step", Function: "step", Source: file}, Variant: &Variant{Compiled: Compiled{Fingerprint: makes}}}
	}
	report := func(list ...*measuring) *Report {
		programs, _ := group(list)
		return &Report{Programs: programs}
	}
	all := Merge([]*Report{report(step("a.py", "1"), step("b.py", "2")), report(step("b.py", "2"), step("a.py", "1"))})
	if got := programNames(all.Programs); got != "step step-2" || len(all.Programs[0].Variants)+len(all.Programs[1].Variants) != 2 {
		t.Errorf("programs %s: %+v", got, all.Programs)
	}
}
