package files

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrTooLarge reports that a file has more bytes than are read.
var ErrTooLarge = errors.New("it is too large")

// Read reads a file of at most so many bytes. The size that the system says is not enough: a link may lead to a device, which has none and no end.
func Read(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, most)
}

// ReadAll reads a stream of at most so many bytes.
func ReadAll(r io.Reader, most int64) ([]byte, error) {
	var data bytes.Buffer
	if f, ok := r.(fs.File); ok {
		if info, err := f.Stat(); err == nil { // a buffer that grows takes several times the memory
			data.Grow(int(min(max(info.Size(), 0), most)) + bytes.MinRead)
		}
	}
	_, err := data.ReadFrom(io.LimitReader(r, most+1))
	if err == nil && int64(data.Len()) > most {
		return nil, fmt.Errorf("%w; at most %d bytes are read", ErrTooLarge, most)
	}
	return data.Bytes(), err
}

// InMemory returns a file system of files in memory, as a zip, which archive/zip serves as a file system.
func InMemory(files map[string][]byte) (fs.FS, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write(files[name])
		}
		if err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
}

// JSONError is what is wrong in a JSON text.
type JSONError struct {
	Offset int // of the byte at which it is wrong
	Why    string
}

// Error says what is wrong.
func (e *JSONError) Error() string { return e.Why }

// Position returns the line and the column of an offset in a text, both from 1.
func Position(data []byte, offset int) (line, column int) {
	before := data[:min(offset, len(data))]
	return 1 + bytes.Count(before, []byte("\n")), offset - bytes.LastIndexByte(before, '\n')
}

// ReadJSON reads a JSON value. Its keys are those of the type, letter by letter, each once: package encoding/json accepts a key in any case, and the last
// one of several, so that a file could say one thing to a person and another to the program. The error is a [JSONError].
func ReadJSON(data []byte, into any) error {
	err := json.Unmarshal(data, into, json.RejectUnknownMembers(true))
	var wrong *json.SemanticError
	var syntax *jsontext.SyntacticError
	switch {
	case errors.As(err, &wrong):
		return &JSONError{int(wrong.ByteOffset), misread(wrong)}
	case errors.As(err, &syntax) && errors.Is(syntax.Err, jsontext.ErrDuplicateName):
		return &JSONError{int(syntax.ByteOffset), fmt.Sprintf("the key %+.60q occurs twice", syntax.JSONPointer.LastToken())}
	case errors.As(err, &syntax) && errors.Is(syntax.Err, io.ErrUnexpectedEOF):
		return &JSONError{int(syntax.ByteOffset), "the file is cut off"}
	case errors.As(err, &syntax):
		return &JSONError{int(syntax.ByteOffset), syntax.Err.Error()}
	}
	return err
}

func misread(wrong *json.SemanticError) string {
	key := wrong.JSONPointer.LastToken()
	switch {
	case errors.Is(wrong.Err, json.ErrUnknownName):
		why := fmt.Sprintf("unknown key %+.60q", key)
		for _, f := range reflect.VisibleFields(wrong.GoType) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name = cmp.Or(name, f.Name); name != "-" && !f.Anonymous && strings.EqualFold(name, key) {
				why += fmt.Sprintf("; expected %q", name)
			}
		}
		return why
	case wrong.Err != nil:
		return wrong.Err.Error()
	}
	return fmt.Sprintf("%.60s cannot be a %s", key, wrong.JSONKind)
}
