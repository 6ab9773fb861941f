package hlo

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/fuzztest"
)

// The settings of every instruction are equal in both forms of a module.
func TestSettingsOfTextAndProto(t *testing.T) {
	said := 0
	for _, name := range pairs(t) {
		text, proto := settings(readDump(t, "pairs/"+name+".txt")), settings(readDump(t, "pairs/"+name+".hlo.pb"))
		if !slices.Equal(text, proto) {
			t.Errorf("%s: the text says %q, the proto %q", name, text, proto)
		}
		said += len(text)
	}
	if said == 0 {
		t.Error("no module says anything")
	}
}

// settings returns the settings of all custom calls.
func settings(m *Module) (all []string) {
	for id := range m.Instrs {
		if m.Instrs[id].Opcode == OpCustomCall {
			all = append(all, strings.Join(m.Settings(InstrID(id)), "; "))
		}
	}
	slices.Sort(all)
	return all
}

// The settings of a cuBLAS product have its epilogue and precision but no pick of the autotuner, those of a Triton kernel its name but no
// code.
func TestSettingsOfLibrariesAndKernels(t *testing.T) {
	src, err := os.ReadFile("../artifacts/testdata/gpu-fp8.hlo.pb")
	if err != nil {
		t.Fatal(err)
	}
	gemm, err := ParseProto(src, "gpu-fp8.hlo.pb")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		of         *Module
		says, mute []string
	}{
		{gemm, []string{"gemm_backend_config.epilogue=DEFAULT", "gemm_backend_config.dot_dimension_numbers.lhs_contracting_dimensions=[1]"}, []string{"selected_algorithm", "reification_cost"}},
		{readDump(t, "pairs/gpu_pallas.txt"), []string{"num_warps=4"}, []string{"ir=", "debug="}},
	} {
		all := strings.Join(settings(c.of), "; ")
		for _, s := range c.says {
			if !strings.Contains(all, s) {
				t.Errorf("%s is not in %s", s, all)
			}
		}
		for _, s := range c.mute {
			if strings.Contains(all, s) {
				t.Errorf("%s is in %s", s, all)
			}
		}
	}
}

// A configuration that is nested too deep is hashed as a text.
func TestNestedConfiguration(t *testing.T) {
	for depth, want := range map[int]bool{maxConfigDepth: true, maxConfigDepth + 2: false} {
		c := configReader{src: []byte(strings.Repeat("[", depth) + "1" + strings.Repeat("]", depth))}
		if _, ok := c.value(0); ok != want {
			t.Errorf("%d deep: %v", depth, ok)
		}
	}
}

func TestSettingsInAnyForm(t *testing.T) {
	for config, want := range map[string]string{
		"": "", "{}": "", "{": "", "12345": "", `{"a":`: "", `"\xff"`: "",
		`{"b":{"c":1,"d":[]},"a":["x","y"],"list":[{"k":true},{"k":false}],"nested":[[1,2],[3]]}`: "a=[x, y]; b.c=1; list.k=false; list.k=true; nested=[[1, 2], [3]]",
		`{is_stable = true, order = "TOTAL", dims = array<i64: 1, 2>, side = 76 : ui8, }`:         "dims=array<i64: 1, 2>; is_stable=true; order=TOTAL; side=76",
		`{"long":"` + strings.Repeat("a", 300) + `"}`:                                             "long=" + strings.Repeat("a", 200) + "…",
	} {
		if got := strings.Join(SettingsIn(config), "; "); got != want {
			t.Errorf("%s: %s, wanted %s", config, got, want)
		}
	}
}

func FuzzSettings(f *testing.F) {
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, config []byte) error {
		for _, s := range SettingsIn(string(config)) {
			if key, value, ok := strings.Cut(s, "="); !ok || key == "" && value == "" {
				t.Errorf("%q of %q is no setting", s, config)
			}
		}
		return nil
	}, []byte(`{"a":[{"b":"c"}],"algo_id":1}`), []byte(`{a = "b", c = [1, 2]}`), []byte(`[[["`), []byte(`{"a":1`))
}

// The addresses in the config of a user's custom call differ from process to process and are not settings.
func TestSettingsWithoutAddresses(t *testing.T) {
	got := SettingsIn(`{handle = "0x7f4b4822cf30", size = 1099511627775 : i64, state = 139961309515568 : i64, uplo = 76 : ui8}`)
	if want := []string{"size=1099511627775", "uplo=76"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
