package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"runtime/debug"
	"sort"
	"strconv"
	"strings"
)

// Failure is why a cell did not run to its end.
type Failure struct {
	// SyntaxError, TypeError, Panic, RuntimeError, TensorError, Error, Interrupted, Deadlock, StackOverflow,
	// InternalError
	Name    string
	Message string
	Notes   []string
	Frames  []Frame // innermost first
	Trace   string
}

// ExitName is the name of a failure that is a call of os.Exit; its message is the code.
const ExitName = "Exit"

// MovedName is the name of a failure that says that the session goes on in another program.
const MovedName = "Moved"

func ExitCode(f *Failure) *int {
	code, _ := strconv.Atoi(f.Message)
	return &code
}

// Frame is a place in a cell. Line and Column count from 1, in bytes.
type Frame struct {
	Cell         string
	Line, Column int
	Func         string
	Source       string
}

// Problem is one error of the parser or the type checker.
type Problem struct {
	Pos     token.Position
	name    string
	Message string
	at      token.Pos // of an error of the type checker
	Hint    string    // what the author may have meant
	foreign bool      // the line is of another language, so that what follows is, too
}

// maxProblems is how many errors of one cell are reported.
const maxProblems = 10

// Failure makes one Failure of a cell's problems: the first one, with the others drawn in the notes.
func (sc *Scope) Failure(ps []Problem) *Failure {
	sort.SliceStable(ps, func(i, j int) bool {
		a, b := ps[i].Pos, ps[j].Pos
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Column < b.Column
	})
	var unique []Problem
	for _, p := range ps {
		if n := len(unique); n > 0 && follows(p, unique[n-1]) {
			continue
		}
		unique = append(unique, p)
	}
	f := &Failure{Name: unique[0].name, Message: unique[0].Message}
	if h := unique[0].Hint; h != "" {
		f.Notes = []string{h}
	}
	for i, p := range unique {
		fr := sc.Frame(p.Pos, "")
		switch {
		case i == 0 && p.Pos.Line > 0:
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

// follows reports whether a problem says no more than the one before it: it has the same place, or is a syntax error on
// the line of another, which the compiler does not report either.
func follows(p, before Problem) bool {
	if p.Pos.Line == 0 || p.Pos.Line != before.Pos.Line || p.Pos.Filename != before.Pos.Filename {
		return false
	}
	return p.Pos.Column == before.Pos.Column || p.name == "SyntaxError"
}

// note draws a further error of the same cell: message, place, source line and caret.
func note(p Problem, fr Frame) string {
	trimmed := strings.TrimLeft(fr.Source, " \t")
	col := min(max(fr.Column-1-(len(fr.Source)-len(trimmed)), 0), len(trimmed))
	s := fmt.Sprintf("%s: %s\n%s, line %d\n  %s\n  %s^", p.name, p.Message, fr.Cell, fr.Line,
		strings.ReplaceAll(trimmed, "\t", " "), strings.Repeat(" ", len([]rune(trimmed[:col]))))
	if p.Hint != "" {
		s += "\n  " + p.Hint
	}
	return s
}

func (sc *Scope) Frame(pos token.Position, fn string) Frame {
	fr := Frame{Cell: pos.Filename, Line: pos.Line, Column: pos.Column, Func: fn}
	if lines := sc.Sources.Lines(pos.Filename); pos.Line > 0 && pos.Line <= len(lines) {
		fr.Source = lines[pos.Line-1]
		fr.Column = min(fr.Column, len(fr.Source)+1)
	}
	return fr
}

// FrameOf is the place of a node of a cell. It takes Mu.
func (sc *Scope) FrameOf(n ast.Node) Frame {
	sc.Mu.Lock()
	defer sc.Mu.Unlock()
	return sc.Frame(sc.Fset.Position(n.Pos()), "")
}

// KeepSource notes the lines of what runs under a name, for places of errors. It takes Mu.
func (sc *Scope) KeepSource(name string, lines []string) {
	sc.Mu.Lock()
	defer sc.Mu.Unlock()
	sc.Sources.Set(name, lines)
}

func Position(cell string, line, col int) token.Position {
	return token.Position{Filename: cell, Line: line, Column: col}
}

func Stack() string { return string(debug.Stack()) }

func FirstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// CellNumber is 3 for cell[3].
func CellNumber(cell string) int {
	n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(cell, "cell["), "]"))
	return n
}
