package registry

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/xlagate/xlagate/internal/fuzztest"
)

func TestArtifactsAreTheSameEverywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := rapid.MapOfN(rapid.StringMatching(`[a-z]{1,3}/[a-z%A-Z0-9]{1,4}\.yaml`), rapid.String(), 0, 5).Draw(t, "files")
		layers := layersOf(files)
		a, first, err := pack(TypeBaseline, layers)
		if err != nil {
			t.Fatal(err)
		}
		shuffled := rapid.Permutation(layers).Draw(t, "shuffled")
		b, second, err := pack(TypeBaseline, shuffled)
		if err != nil || a.Digest != b.Digest || string(first) != string(second) {
			t.Fatalf("%s\n%s", first, second)
		}
		if m, err := readManifest(a, first); err != nil || len(m.layers) != len(files) {
			t.Fatalf("%v, %v of %v", err, m, files)
		}
	})
}

func TestManifestStaysAsItIs(t *testing.T) {
	_, data, err := pack(TypeBaseline, []Layer{BaselineFile("m/p.yaml", []byte("x"))})
	const want = `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"application/vnd.xlagate.baseline.v1",` +
		`"config":{"mediaType":"application/vnd.oci.empty.v1+json","digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","size":2},` +
		`"layers":[{"mediaType":"application/vnd.xlagate.baseline.v1+yaml","digest":"sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881","size":1,"annotations":{"org.opencontainers.image.title":"m/p.yaml"}}]}`
	if err != nil || string(data) != want {
		t.Errorf("%v\n%s\nwanted\n%s", err, data, want)
	}
}

// Registries take no manifest without a layer.
func TestManifestOfNothing(t *testing.T) {
	desc, data, err := pack(TypeBaseline, nil)
	if err != nil || !strings.HasSuffix(string(data), `"layers":[`+emptyBlob+`]}`) {
		t.Errorf("%v\n%s", err, data)
	}
	if m, err := readManifest(desc, data); err != nil || len(m.layers) != 0 {
		t.Errorf("%v, %v", m, err)
	}
}

const emptyBlob = `{"mediaType":"application/vnd.oci.empty.v1+json","digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","size":2}`

func TestManifestsThatAreRefused(t *testing.T) {
	layer := func(title string) string {
		return fmt.Sprintf(`{"digest":"sha256:%064d","size":1,"annotations":{"org.opencontainers.image.title":%q}}`, 0, title)
	}
	for layers, want := range map[string]string{
		layer("../../etc/passwd"):         "leads out of the artifact",
		layer("/etc/passwd"):              "leads out of the artifact",
		layer(`..\x`):                     "leads out of the artifact",
		layer("a/../b"):                   "leads out of the artifact",
		layer("a") + "," + layer("a"):     `two of its layers are called "a"`,
		layer("a") + "," + layer(""):      "has no title",
		`{"digest":"sha256:12","size":1}`: "no valid digest or size",
		`{"digest":"sha256:` + strings.Repeat("0", 64) + `","size":-1}`: "no valid digest or size",
	} {
		_, err := readManifest(empty.descriptor, []byte(`{"schemaVersion":2,"layers":[`+layers+`]}`))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, wanted %q", layers, err, want)
		}
	}
	for text, want := range map[string]string{"": "not readable", "{}": "not readable", `{"schemaVersion":2,"manifests":[{}]}`: "an index of several"} {
		if _, err := readManifest(empty.descriptor, []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, wanted %q", text, err, want)
		}
	}
}

func FuzzReadManifest(f *testing.F) {
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, data []byte) error {
		m, err := readManifest(empty.descriptor, data)
		if err != nil {
			return err
		}
		for _, l := range m.layers {
			if l.Name != "" && !fs.ValidPath(l.Name) || l.Size < 0 {
				t.Errorf("%q of %d bytes was let through", l.Name, l.Size)
			}
		}
		return nil
	}, []byte(`{"schemaVersion":2,"layers":[{"digest":"sha256:0000000000000000000000000000000000000000000000000000000000000000","size":1,"annotations":{"org.opencontainers.image.title":"a/b"}}]}`))
}
