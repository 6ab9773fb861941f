package dump

import (
	"context"
	"os"
	"strings"
)

// Part is a file of a dump that lies under another name than its own, such as a blob that was pulled from a registry.
type Part struct {
	Name   string // below the dump, with slashes; "" for a dump that is this one file
	Path   string // where it lies
	Unpack bool   // it is an archive that stands for the files in it
}

// OpenParts looks at a dump whose files lie anywhere. The name is what people call the dump.
func OpenParts(ctx context.Context, name string, parts []Part) (*Dump, error) {
	d := &Dump{Path: name}
	files, err := d.gatherParts(ctx, parts)
	if err == nil {
		err = d.sort(ctx, files)
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// stripFolder names files as they are called inside of the folder that was packed.
func stripFolder(files []*File, folder string) {
	for _, f := range files {
		f.rel = strings.TrimPrefix(f.rel, folder+"/")
	}
}

func (d *Dump) gatherParts(ctx context.Context, parts []Part) ([]*File, error) {
	var all []*File
	for _, p := range parts {
		name := entryName(p.Name)
		info, err := os.Stat(p.Path)
		switch {
		case err != nil:
			return nil, err
		case hidden(name):
			continue
		}
		f := &File{Path: d.Path + "!" + name, Size: info.Size(), src: diskSource{p.Path}, rel: name}
		if len(parts) > 1 && !p.Unpack {
			all = append(all, f)
			continue
		}
		f.Path = d.Path
		files, err := d.gatherFile(ctx, f)
		if err != nil {
			return nil, err
		}
		if len(parts) == 1 {
			stripFolder(files, name)
		}
		all = append(all, files...)
	}
	d.Single = d.Single && len(parts) == 1
	return all, nil
}
