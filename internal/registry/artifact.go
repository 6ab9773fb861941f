package registry

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// The types of the artifacts that xlagate writes, and of the files in them. xlagate also reads artifacts of other types: any
// layer with a title is a file.
const (
	TypeBaseline = "application/vnd.xlagate.baseline.v1"
	TypeDump     = "application/vnd.xlagate.dump.v1"

	mediaBaseline = "application/vnd.xlagate.baseline.v1+" // the file's extension follows
)

// unpack is oras's annotation of a layer that is an archive of a folder.
const unpack = "io.deis.oras.content.unpack"

// Layer is one file of an artifact.
type Layer struct {
	Name   string // with slashes; "" for the only layer of an artifact that gives it no title
	Size   int64
	Unpack bool // the layer is an archive of files

	descriptor ocispec.Descriptor
	open       func() (io.ReadCloser, error) // nil if the registry has it
}

// manifest is the manifest of an artifact.
type manifest struct {
	digest string
	kind   string // the artifact's type
	layers []Layer
}

// readManifest reads a manifest whose digest was verified. It returns an error for file names outside the artifact and for duplicate names.
func readManifest(desc ocispec.Descriptor, data []byte) (*manifest, error) {
	var m struct {
		ocispec.Manifest
		Manifests []ocispec.Descriptor `json:"manifests"`
	}
	switch err := json.Unmarshal(data, &m); {
	case len(m.Manifests) > 0:
		return nil, errors.New("this is an index of several artifacts; name one of them by its digest")
	case err != nil || m.SchemaVersion != 2:
		return nil, fmt.Errorf("this is no artifact: its manifest (%s) is not readable", desc.MediaType)
	}
	out := &manifest{digest: desc.Digest.String(), kind: m.ArtifactType}
	seen := map[string]bool{}
	for _, d := range m.Layers {
		if d.MediaType == ocispec.MediaTypeEmptyJSON {
			continue
		}
		l := Layer{Name: d.Annotations[ocispec.AnnotationTitle], Size: d.Size, Unpack: d.Annotations[unpack] == "true", descriptor: d}
		if err := l.check(len(m.Layers) == 1); err != nil {
			return nil, err
		}
		if seen[l.Name] {
			return nil, fmt.Errorf("two of its layers are called %q", l.Name)
		}
		seen[l.Name] = true
		out.layers = append(out.layers, l)
	}
	return out, nil
}

func (l *Layer) check(only bool) error {
	d := &l.descriptor
	switch {
	case d.Digest.Validate() != nil || d.Size < 0:
		return fmt.Errorf("the layer %q has no valid digest or size", l.Name)
	case l.Name == "" && !only:
		return fmt.Errorf("it has several layers, and %s has no title: it was not made of files (oras push gives them titles)", short(d.Digest.String()))
	case l.Name != "" && (!fs.ValidPath(l.Name) || strings.ContainsAny(l.Name, "\\\x00")):
		return fmt.Errorf("the layer %q has a name that leads out of the artifact", l.Name)
	}
	return nil
}

// empty is the placeholder blob of an absent configuration or layer.
var empty = inMemory("", ocispec.MediaTypeEmptyJSON, []byte("{}"))

// pack returns the manifest of layers, sorted by name. It contains no time, so equal layers have equal manifests.
func pack(kind string, layers []Layer) (ocispec.Descriptor, []byte, error) {
	m := ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, ArtifactType: kind, Config: empty.descriptor,
	}
	for _, l := range slices.SortedFunc(slices.Values(layers), func(a, b Layer) int { return cmp.Compare(a.Name, b.Name) }) {
		d := l.descriptor
		d.Annotations = map[string]string{ocispec.AnnotationTitle: l.Name}
		if l.Unpack {
			d.Annotations[unpack] = "true"
		}
		m.Layers = append(m.Layers, d)
	}
	if len(m.Layers) == 0 {
		m.Layers = append(m.Layers, empty.descriptor)
	}
	data, err := json.Marshal(m)
	return ocispec.Descriptor{MediaType: m.MediaType, Digest: digest.FromBytes(data), Size: int64(len(data))}, data, err
}

// short returns the beginning of a digest.
func short(digest string) string {
	algorithm, hex, found := strings.Cut(digest, ":")
	if !found {
		return digest
	}
	return algorithm + ":" + hex[:min(12, len(hex))]
}
