package tour

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gorocm/gorocm/repl"
)

// Screen draws cells: a printer of package term.
type Screen interface {
	Begin(number int)
	Echo(code string)
	Event(e repl.Event)
	Reply(r repl.Reply)
}

// The widest a text gets, and what it is wrapped to where the width is not known.
const (
	widest  = 90
	unknown = 80
)

// Run takes a reader through the tour: it writes a step's text to out, runs its cell, and asks what is next, until the
// reader quits, the input ends, or the last step is left. What is no answer is a cell of the reader's own. columns
// returns the width of the terminal, 0 where it is not known.
func Run(ctx context.Context, session repl.Session, in io.Reader, out io.Writer, screen Screen,
	columns func() int) error {
	title, intro, steps := Steps()
	t := &guide{ctx: ctx, session: session, in: bufio.NewReader(in), out: out, screen: screen, columns: columns,
		number: 1}
	t.paragraph(strings.ToUpper(title))
	t.paragraph(plain(intro))
	for at := 0; at < len(steps); {
		t.step(at, steps)
		switch t.ask(at == len(steps)-1) {
		case next:
			at++
		case back:
			at = max(at-1, 0)
		case quit:
			at = len(steps)
		}
		if ctx.Err() != nil {
			return nil
		}
	}
	return t.err
}

// answer is what a reader wants.
type answer int

const (
	next answer = iota
	back
	again
	quit
)

// guide is a tour in progress.
type guide struct {
	ctx     context.Context
	session repl.Session
	in      *bufio.Reader
	out     io.Writer
	screen  Screen
	columns func() int
	number  int // of the next cell
	err     error
}

func (t *guide) print(text string) {
	if _, err := io.WriteString(t.out, text); err != nil && t.err == nil {
		t.err = err
	}
}

// step shows a step and runs its cell.
func (t *guide) step(at int, steps []Step) {
	s := steps[at]
	t.paragraph(fmt.Sprintf("%d/%d  %s", at+1, len(steps), s.Title))
	t.paragraph(plain(s.Text))
	if s.Code != "" {
		t.run(s.Code, true)
	}
}

// plain is a text without Markdown's marks.
func plain(text string) string { return strings.NewReplacer("`", "", "*", "").Replace(text) }

// paragraph writes a text in lines that fit, and an empty line.
func (t *guide) paragraph(text string) {
	width := t.columns() - 1
	if width <= 0 {
		width = unknown - 1
	}
	width = min(width, widest)
	column := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
		case column+1+n > width:
			t.print("\n")
			column = 0
		default:
			t.print(" ")
			column++
		}
		t.print(word)
		column += n
	}
	t.print("\n\n")
}

func (t *guide) run(code string, echo bool) {
	t.screen.Begin(t.number)
	if echo {
		t.screen.Echo(code)
	}
	r := t.session.Eval(t.ctx, repl.Request{Code: code, Columns: t.columns()}, t.screen.Event)
	t.screen.Reply(r)
	t.print("\n")
	if r.Count > 0 {
		t.number = r.Count + 1
	}
}

// prompt names the answers, in a short form where the long one leaves no room for one.
func prompt(last bool, columns int) string {
	enter := "next"
	if last {
		enter = "end"
	}
	if columns > 0 && columns < widePrompt {
		return "Enter: " + enter + ", b, r, q, or Go > "
	}
	return "Enter: " + enter + ", b: back, r: again, q: quit, or Go to try > "
}

// widePrompt is how many columns the long prompt and a short line of Go need.
const widePrompt = 76

// ask asks what is next. Anything but an answer is run.
func (t *guide) ask(last bool) answer {
	for t.err == nil && t.ctx.Err() == nil {
		t.print(prompt(last, t.columns()))
		line, err := t.in.ReadString('\n')
		if err != nil && line == "" {
			t.print("\n")
			return quit
		}
		switch line = strings.TrimSpace(line); line {
		case "", "n", "next":
			return next
		case "b", "back":
			return back
		case "r", "again":
			return again
		case "q", "quit", "exit":
			return quit
		}
		t.run(line, false)
	}
	return quit
}
