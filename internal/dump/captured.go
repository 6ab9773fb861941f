package dump

import (
	"bytes"
	"context"
	"path"
	"slices"
)

const (
	captureBegin = "*** Begin "
	captureEnd   = "*** End "
	captureMark  = " ***"
)

// expandLogs adds the files that XLA printed into logs. With --xla_dump_to=- it writes them to standard output as
//
//	*** Begin <name> ***
//	…
//	*** End <name> ***
func (d *Dump) expandLogs(ctx context.Context, files []*File) ([]*File, error) {
	all := slices.Clone(files)
	for _, f := range files {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !isLogName(path.Base(f.rel)) && len(files) > 1 {
			continue
		}
		if _, ok := parseFileName(path.Base(f.rel)); ok {
			continue
		}
		var captured []*File
		err := Guard(func() (err error) {
			captured, err = d.captured(f)
			return err
		})
		if err != nil {
			d.problem(f.Path, "the log cannot be read: "+reason(err), fixRead(err))
			all = slices.DeleteFunc(all, func(other *File) bool { return other == f })
		}
		all = append(all, captured...)
	}
	return all, nil
}

// captured lists the files printed into a log. The log stays in memory while the dump is open.
func (d *Dump) captured(log *File) ([]*File, error) {
	data, release, err := log.Bytes()
	if err != nil {
		return nil, err
	}
	var files []*File
	for rest := data; ; {
		name, body, after, ok := nextCapture(rest)
		if !ok {
			break
		}
		rest = after
		if body == nil {
			d.problem(log.Path, "the log ends inside of "+name+", which the compiler was printing", "the run that wrote it was cut off or is still writing: dump again")
			continue
		}
		files = append(files, &File{Path: log.Path + "!" + name, Size: int64(len(body)), ModTime: log.ModTime, src: memorySource(body), rel: log.rel + "/" + name})
	}
	if len(files) == 0 {
		return nil, release()
	}
	log.Kind = KindLog
	d.closers = append(d.closers, closer(release))
	return files, nil
}

// nextCapture finds the next file printed into a log. The body is nil when its end is missing.
func nextCapture(log []byte) (name string, body, after []byte, ok bool) {
	for {
		i := bytes.Index(log, []byte(captureBegin))
		if i < 0 {
			return "", nil, nil, false
		}
		log = log[i+len(captureBegin):]
		line, rest, _ := bytes.Cut(log, []byte("\n"))
		title, ok := bytes.CutSuffix(bytes.TrimRight(line, "\r"), []byte(captureMark))
		if !ok || !bytes.Contains(title, []byte("module_")) {
			continue // a stack trace is printed between such lines, too
		}
		end := bytes.Index(rest, []byte(captureEnd+string(title)+captureMark))
		if end < 0 {
			return string(title), nil, rest, true
		}
		return string(title), rest[:end:end], rest[end:], true
	}
}
