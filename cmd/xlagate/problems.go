package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/result"
)

// unread returns an error with exit code 3 if something in the dump could not be read.
func unread(w world, rep *facts.Report) error {
	if len(rep.Problems) == 0 {
		return nil
	}
	var problems []result.Problem
	for _, p := range rep.Problems {
		problems = append(problems, result.Problem{File: p.File, Message: p.Message, Fix: p.Fix})
	}
	sayProblems(w, rep.Dump, problems)
	return verdict(gate.ExitIncomplete)
}

func sayProblems(w world, what string, problems []result.Problem) {
	fmt.Fprintf(w.err, "xlagate: could not look at %s\n", what)
	for _, p := range problems {
		text := p.Message
		if p.File != "" {
			text = p.File + ": " + text
		}
		fmt.Fprintf(w.err, "  %s\n", text)
		if p.Fix != "" {
			fmt.Fprintf(w.err, "  %s\n", p.Fix)
		}
	}
}

// incomplete prints what could not be looked at and returns exit code 3.
func incomplete(w world, err error) error {
	var gap *gate.Incomplete
	var unreadable *gate.Unreadable
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &gap):
		sayProblems(w, "everything: nothing was accepted", gap.Problems)
	case errors.As(err, &unreadable):
		sayProblems(w, unreadable.File, []result.Problem{{Message: unreadable.Message, Fix: unreadable.Fix}})
	default:
		return err
	}
	return verdict(gate.ExitIncomplete)
}
