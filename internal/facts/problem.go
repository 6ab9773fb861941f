package facts

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
)

// notFinal says that the only file there is holds a stage that no facts can come from.
func (out *measuring) notFinal(s *dump.Stage) {
	if file := s.HLO(); file != nil {
		out.problem(file.Path, fmt.Sprintf("this is no final module (%s), so it does not say what the device runs", s.Kind),
			"name the final module (after_optimizations; optimized_hlo of TensorFlow's compiler IR), or the directory that holds it")
	}
}

func (out *measuring) problem(file, message, fix string) {
	out.Problems = append(out.Problems, Problem{File: file, Program: out.Program, Message: message, Fix: fix})
}

// unreadable turns a reader's error into a problem with the place where it stopped.
func (out *measuring) unreadable(file *dump.File, err error) {
	where, message := file.Path, err.Error()
	if syntax := (*hlo.SyntaxError)(nil); errors.As(err, &syntax) {
		where, message = syntaxPlace(syntax), syntax.Message
		if syntax.Near != "" {
			message += fmt.Sprintf(", near %q", syntax.Near)
		}
	}
	out.problem(where, message, fixOf(err))
}

func fixOf(err error) string {
	if broke := (*dump.Defect)(nil); errors.As(err, &broke) {
		return dump.DefectFix
	}
	if tooMuch := (*dump.LimitError)(nil); errors.As(err, &tooMuch) {
		return tooMuch.Fix()
	}
	return "the run that wrote it was cut off or is still writing; dump again, or leave the program out with programs.exclude"
}

func syntaxPlace(e *hlo.SyntaxError) string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: at byte %d", e.File, e.Offset)
	}
	return fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column)
}

// unsaid leaves out what is wrong with files of which the dump says already that they cannot be read.
func unsaid(d *dump.Dump, problems []Problem) []Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool {
		return slices.ContainsFunc(d.Problems, func(said dump.Problem) bool {
			return said.Damaged && (p.File == said.File || strings.HasPrefix(p.File, said.File+":"))
		})
	})
}
