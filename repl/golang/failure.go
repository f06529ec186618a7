package golang

import (
	"fmt"
	"go/token"
	"sort"
	"strings"
)

// Failure is why a cell did not run to its end.
type Failure struct {
	Name    string // SyntaxError, TypeError, Panic, RuntimeError, TensorError, Error, Interrupted, StackOverflow, InternalError
	Message string
	Notes   []string
	Frames  []Frame // innermost first
	Trace   string
}

// Frame is a place in a cell. Line and Column count from 1, in bytes.
type Frame struct {
	Cell         string
	Line, Column int
	Func         string
	Source       string
}

// problem is one error of the parser or the type checker.
type problem struct {
	pos  token.Position
	name string
	msg  string
}

// maxProblems is how many errors of one cell are reported.
const maxProblems = 10

// failure makes one Failure of a cell's problems: the first one, with the others drawn in the notes.
func (e *Engine) failure(ps []problem) *Failure {
	sort.SliceStable(ps, func(i, j int) bool {
		a, b := ps[i].pos, ps[j].pos
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Column < b.Column
	})
	var unique []problem
	for _, p := range ps {
		// The compiler too reports one error a line.
		if n := len(unique); n > 0 && unique[n-1].pos.Line == p.pos.Line && unique[n-1].pos.Filename == p.pos.Filename && p.pos.Line > 0 {
			continue
		}
		unique = append(unique, p)
	}
	f := &Failure{Name: unique[0].name, Message: unique[0].msg}
	for i, p := range unique {
		fr := e.frame(p.pos, "")
		switch {
		case i == 0 && p.pos.Line > 0:
			f.Frames = []Frame{fr}
		case i == 0:
		case i == maxProblems:
			f.Notes = append(f.Notes, "too many errors")
			return f
		default:
			f.Notes = append(f.Notes, note(p, fr))
		}
	}
	return f
}

// note draws a further error of the same cell: message, place, source line and caret.
func note(p problem, fr Frame) string {
	trimmed := strings.TrimLeft(fr.Source, " \t")
	col := min(max(fr.Column-1-(len(fr.Source)-len(trimmed)), 0), len(trimmed))
	return fmt.Sprintf("%s: %s\n%s, line %d\n  %s\n  %s^", p.name, p.msg, fr.Cell, fr.Line,
		strings.ReplaceAll(trimmed, "\t", " "), strings.Repeat(" ", len([]rune(trimmed[:col]))))
}

func (e *Engine) frame(pos token.Position, fn string) Frame {
	fr := Frame{Cell: pos.Filename, Line: pos.Line, Column: pos.Column, Func: fn}
	if lines := e.sources[pos.Filename]; pos.Line > 0 && pos.Line <= len(lines) {
		fr.Source = lines[pos.Line-1]
		fr.Column = min(fr.Column, len(fr.Source)+1)
	}
	return fr
}

func position(cell string, line, col int) token.Position {
	return token.Position{Filename: cell, Line: line, Column: col}
}
