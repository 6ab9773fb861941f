package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/xlagate/xlagate/internal/capture"
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// reproducer is what the authors of a compiler or framework need to see what a release does to a program.
type reproducer struct {
	pinned
	sides    [2]trial // the last good version, the first bad one
	run      capture.Options
	result   *result.Result
	programs []*changes.Program
}

var unsafeInName = regexp.MustCompile(`[^\w.-]+`)

// write writes the modules of the program that the worst change is in, and a report about it, to a folder below another one. It returns that folder.
func (r *reproducer) write(ctx context.Context, below string) (string, error) {
	c := r.result.Open()[0] // findings that are not waived made the version bad
	v := r.variant(c)
	dir := filepath.Join(below, strings.Join([]string{r.name, r.sides[1].version, unsafeInName.ReplaceAllString(c.Program, "_")}, "-"))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make its folder: %w", err)
	}
	for i, compiled := range [2]*facts.Variant{v.Old, v.New} {
		if compiled == nil {
			continue
		}
		before := ""
		if v.Apart != nil {
			before = v.Apart.Before[i].Label
		}
		if err := copyModule(ctx, r.sides[i].Dir, compiled.Modules, before, filepath.Join(dir, [2]string{"good", "bad"}[i])); err != nil {
			return "", err
		}
	}
	var text bytes.Buffer
	if err := issueText.Execute(&text, r.issue(c, v)); err != nil {
		return "", fmt.Errorf("render its report: %w", err)
	}
	return dir, os.WriteFile(filepath.Join(dir, "report.md"), text.Bytes(), 0o644)
}

func (r *reproducer) variant(c *result.Change) *changes.Variant {
	for _, p := range r.programs {
		for _, v := range p.Variants {
			if p.Name == c.Program && (len(p.Variants) == 1 || v.New != nil && slices.Contains(c.Variants, v.New.Signature)) {
				return v
			}
		}
	}
	return &changes.Variant{}
}

// copyModule copies stages of a dump's module to files whose names begin with a path: what XLA was given, what it made of that, and the stage with a label.
func copyModule(ctx context.Context, from string, ids []string, label, path string) (err error) {
	d, err := dump.Open(ctx, from, dump.Options{})
	if err != nil {
		return fmt.Errorf("open the dump again: %w", err)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	at := slices.IndexFunc(d.Modules, func(m *dump.Module) bool { return slices.Contains(ids, m.ID) })
	if at < 0 {
		return nil
	}
	m := d.Modules[at]
	stages := map[string]*dump.Stage{"-input.hlo": m.Unoptimized(), "-output.hlo": m.Optimized()}
	for i := range m.Stages {
		if m.Stages[i].Label == label {
			stages["-before-pass.hlo"] = &m.Stages[i]
		}
	}
	for end, s := range stages {
		if s == nil || s.File(dump.KindHLOText) == nil { // captures dump text
			continue
		}
		if err := s.File(dump.KindHLOText).Read(func(data []byte) error { return os.WriteFile(path+end, data, 0o644) }); err != nil {
			return err
		}
	}
	return nil
}

type issue struct {
	Package, Good, Bad  string
	*result.Change      // the worst
	Messages            []string
	Toolchain           facts.Toolchain   // of the bad side
	Was                 map[string]string // the versions of the other side
	Flags, XLAFlags     string
	Difference          string
	OldPip, NewPip      string
	Command             string
	Platform, Pass, XLA string // for hlo-opt; Platform is "" where it does not compile for the back end
}

// steered are the beginnings of the variables that change what frameworks and compilers do.
var steered = []string{"JAX_", "XLA_", "TF_XLA_", "LIBTPU_", "PJRT_"}

func (r *reproducer) issue(c *result.Change, v *changes.Variant) issue {
	good, bad := r.sides[0], r.sides[1]
	out := issue{
		Package: r.name, Good: good.version, Bad: bad.version, Change: c, Toolchain: bad.Toolchain, Was: good.Toolchain.Versions, Difference: difference(v, bad.Toolchain.Framework),
		OldPip: phrase.Shell(r.version(good.version)), NewPip: phrase.Shell(r.version(bad.version)), Platform: platform(bad.Toolchain), XLA: xlaOf[bad.Toolchain.Framework],
	}
	broken := phrase.Filter(r.result.Findings, func(f result.Finding) bool { return f.Change == c.ID })
	out.Messages = phrase.Map(broken, func(f result.Finding) string { return f.Message })
	for _, name := range slices.Sorted(maps.Keys(bad.Toolchain.Flags)) {
		flag := " " + phrase.Shell([]string{"--" + name + "=" + bad.Toolchain.Flags[name]})
		out.Flags += flag
		if strings.HasPrefix(name, "xla_") {
			out.XLAFlags += flag
		}
	}
	if v.Apart != nil && v.Apart.Pass != "pipeline-start" {
		out.Pass = v.Apart.Pass
	}
	set := map[string]string{}
	for _, v := range r.run.Env {
		name, value, _ := strings.Cut(v, "=")
		if slices.ContainsFunc(steered, func(s string) bool { return strings.HasPrefix(name, s) }) {
			set[name] = value
		}
	}
	if flags := set["XLA_FLAGS"]; flags == "" || strings.HasPrefix(flags, "-") { // else it names a file of flags
		set["XLA_FLAGS"] = strings.TrimSpace(flags + " --xla_dump_to=dump --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=.*")
	}
	command := []string{"env"}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		command = append(command, name+"="+set[name])
	}
	out.Command = phrase.Shell(append(command, r.run.Argv...))
	return out
}

// difference says who made the difference, and where.
func difference(v *changes.Variant, framework string) (said string) {
	switch {
	case v.Old == nil || v.New == nil:
		return "Only one version has this program."
	case v.Old.InputPrint == "" || v.New.InputPrint == "":
		said = "What XLA was given was not dumped."
	case v.Old.InputPrint == v.New.InputPrint:
		said = "Both versions hand the same program to XLA: the compiler makes the difference."
	default:
		said = "The versions hand different programs to XLA: " + framework + " may make the difference, not the compiler."
	}
	if v.Change == changes.Same {
		said += " The optimized modules are the same."
	}
	if v.FirstPass != "" {
		said += " The modules first differ " + v.FirstPass + "."
	}
	return said
}

// platform is what hlo-opt calls a back end.
func platform(t facts.Toolchain) string {
	switch {
	case t.Backend == "gpu" && strings.HasPrefix(t.Device, "gfx"):
		return "ROCM"
	case t.Backend == "gpu":
		return "CUDA"
	case t.Backend == "cpu":
		return "cpu"
	}
	return ""
}

// xlaOf says where the sources of a framework tell which XLA a release has.
var xlaOf = map[string]string{
	"jax":        "`XLA_COMMIT` in third_party/xla/revision.bzl of jax-ml/jax, before in workspace.bzl",
	"tensorflow": "the folder third_party/xla of tensorflow/tensorflow",
	"torch_xla":  "`xla_hash` in WORKSPACE of pytorch/xla",
}

// issueText quotes all that comes from the model in blocks of code.
var issueText = template.Must(template.New("report.md").Funcs(template.FuncMap{"number": phrase.Number}).Parse(
	"# {{.Package}} {{.Bad}} compiles `{{.Program}}` worse than {{.Good}}" + `

~~~
{{range .Messages}}{{.}}
{{end}}~~~

| | last good | first bad |
|---|---|---|
{{range $name, $version := .Toolchain.Versions}}| {{$name}} | {{index $.Was $name}} | {{$version}} |
{{end}}
Back end: {{.Toolchain.Backend}}{{with .Toolchain.Device}} {{.}}{{end}}. Flags:{{or .Flags " none"}}. {{.Difference}}

~~~diff
  {{.Title}}
{{range .Effects}}  {{.Fact}} {{number .Was}} → {{number .Is}}
{{end}}{{range .Evidence.Before}}- {{.}}
{{end}}{{range .Evidence.After}}+ {{.}}
{{end}}~~~

## To reproduce

~~~
pip install {{.OldPip}}
{{.Command}}
pip install {{.NewPip}}
{{.Command}}
~~~
{{if .Platform}}
Without {{.Toolchain.Framework}}: of the XLA that each release was built with ({{.XLA}}), [hlo-opt](https://openxla.org/xla/tools) compiles good-input.hlo to good-output.hlo, and bad-input.hlo to bad-output.hlo. DIR is the absolute path of their folder:

~~~
bazel run //xla/tools:hlo-opt -- --platform={{.Platform}} --stage=hlo{{.XLAFlags}} DIR/good-input.hlo
~~~
{{- if ne .Platform "cpu"}}

Without the device, add --xla_gpu_target_config_filename with its file in xla/tools/hlo_opt/gpu_specs.
{{- end}}
{{- if .Pass}}

The pass alone, if --list-passes has it:

~~~
bazel run //xla/tools:hlo-opt -- --passes={{.Pass}}{{.XLAFlags}} DIR/good-before-pass.hlo
~~~
{{- end}}
{{- else}}
No tool of XLA compiles for this back end without {{.Toolchain.Framework}}. Attached is what XLA is given, and what it makes of that.
{{- end}}
`))
