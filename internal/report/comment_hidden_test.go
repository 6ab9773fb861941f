package report

import (
	"fmt"
	"io"
	"testing"

	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/webpage"
)

// Word for word what stands beside the lines of a pull request.
func TestAnnotationsGolden(t *testing.T) {
	for name, r := range map[string]*result.Result{"failing": failing(), "incomplete": incomplete(), "passing": passing()} {
		golden(t, "annotations_"+name+".text", func(w io.Writer) error {
			for _, a := range Annotations(r, Options{Options: webpage.Options{Root: "/srv/models"}, Config: "models/xlagate.yaml"}) {
				if _, err := fmt.Fprintf(w, "%s %s:%d\n%s\n%s\n\n", a.Level, a.File, a.Line, a.Title, a.Message); err != nil {
					return err
				}
			}
			return nil
		})
	}
}
