package repl

import (
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/rocm"
)

// hip compiles the kernels of a cell and defines them as variables. What it runs is Go, so that %save has it too.
func (c *Call) hip() *Error {
	s := c.session
	if c.Args != "" {
		return c.wrong("takes no arguments; the source stands below")
	}
	if strings.TrimSpace(c.Body) == "" {
		return c.wrong("the lines of the source are missing below")
	}
	kernels, err := rocm.CompileAll(c.cell, c.Body)
	if err != nil {
		return c.compileError(err)
	}
	var names, texts []string
	for _, k := range kernels {
		if token.IsKeyword(k.Name()) || k.Name() == "_" {
			return c.wrong("a variable cannot be called %s, as this kernel is", k.Name())
		}
		names = append(names, k.Name())
		texts = append(texts, k.String()+"\n")
	}
	templates := rocm.Templates(c.Body)
	code := kernelDefinitions(names, c.Body, len(templates) > 0)
	out := s.eval(c.ctx, c.cell, strings.Repeat("\n", c.line)+code)
	if out.Failure != nil {
		return toError(out.Failure)
	}
	s.print("%s", strings.Join(texts, ""))
	for _, t := range templates {
		s.sink.event(Event{Kind: Notice, Text: fmt.Sprintf("%s is a template, of which the source declares no instance: "+
			"rocm.Compile(%[1]q, %sSource), with arguments in its angle brackets, compiles one", t, names[0])})
	}
	return nil
}

// kernelDefinitions is the Go that defines kernels of one source. The source is a constant of its own if there are
// several, or if the constant is needed later.
func kernelDefinitions(names []string, source string, constant bool) string {
	source = strings.TrimRight(source, "\n") + "\n"
	literal := "`\n" + source + "`"
	if strings.ContainsAny(source, "`\r") {
		literal = strconv.Quote(source)
	}
	if len(names) == 1 && !constant {
		return fmt.Sprintf("%s := rocm.Compile(%q, %s)", names[0], names[0], literal)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "const %sSource = %s\n", names[0], literal)
	for _, n := range names {
		fmt.Fprintf(&b, "%s := rocm.Compile(%q, %sSource)\n", n, n, names[0])
	}
	return b.String() + ";"
}

// compileError points into the cell whose body did not compile.
func (c *Call) compileError(err error) *Error {
	name, message, notes, ok := describeDevice(err)
	if !ok {
		return c.failed(err)
	}
	e := &Error{Name: name, Message: message, Notes: notes}
	var re *rocm.Error
	if m, ok := firstError(err, &re); ok {
		lines := strings.Split(c.Body, "\n")
		f := Frame{Cell: c.cell, Line: c.line + 1 + m.Line, Column: m.Column}
		if m.Line <= len(lines) {
			f.Source = lines[m.Line-1]
		}
		e.Frames = []Frame{f}
	}
	return e
}

// isa shows what a kernel takes and its instructions, for the device that is open.
func (c *Call) isa() *Error {
	s := c.session
	set, code, wrong := c.options("r")
	if wrong != nil {
		return wrong
	}
	if code == "" {
		return c.wrong("a kernel is missing")
	}
	out := s.current().Expr(c.ctx, c.cell, strings.Repeat("\n", c.line)+code)
	if out.Failure != nil {
		return toError(out.Failure)
	}
	var k *rocm.Kernel
	if len(out.Values) == 1 {
		k, _ = out.Values[0].V.(*rocm.Kernel)
	}
	if k == nil {
		return c.wrong("%s is not a kernel: want a *rocm.Kernel, as %%%%hip and rocm.Compile make them", code)
	}
	d, err := k.Device()
	if err != nil {
		return c.compileError(err)
	}
	r, err := k.Resources(d)
	if err != nil {
		return c.compileError(err)
	}
	s.print("%s\n%s\n", k, r)
	if _, short := set['r']; short {
		return nil
	}
	text, err := k.Disassembly(d)
	if err != nil {
		return c.compileError(err)
	}
	s.print("\n%s\n", strings.TrimRight(text, "\n"))
	return nil
}

// locateKernel points into the literal of a cell that is the source which did not compile.
func locateKernel(f *golang.Failure, e *rocm.Error, cell, code string) {
	if f == nil || e == nil || f.Name != compileErrorName {
		return
	}
	m, ok := firstError(e, &e)
	if !ok {
		return
	}
	frame, ok := frameInLiteral(e.Source, m, cell, code)
	if !ok {
		return
	}
	if len(f.Frames) > 0 && f.Frames[0].Cell == cell && f.Frames[0].Line == frame.Line {
		f.Frames = f.Frames[1:]
	}
	f.Frames = append([]golang.Frame{frame}, f.Frames...)
}

// frameInLiteral finds the literal of a cell that is a kernel's source, and the place in it that a message is about.
func frameInLiteral(source string, m rocm.Message, cell, code string) (frame golang.Frame, ok bool) {
	var sc scanner.Scanner
	file := token.NewFileSet().AddFile(cell, -1, len(code))
	sc.Init(file, []byte(code), nil, 0)
	for {
		pos, tok, text := sc.Scan()
		if tok == token.EOF {
			return frame, false
		}
		if value, err := strconv.Unquote(text); tok != token.STRING || err != nil || value != source || text[0] != '`' {
			continue
		}
		at := file.Position(pos)
		frame = golang.Frame{Cell: cell, Line: at.Line + m.Line - 1, Column: m.Column}
		if m.Line == 1 && m.Column > 0 {
			frame.Column += at.Column
		}
		frame.Source = lineOf(code, frame.Line)
		return frame, true
	}
}

// locateFault points to the line of a kernel that failed while it ran, in the cell that has its source.
func (s *Local) locateFault(f *golang.Failure, e *rocm.Error) {
	if f == nil || e == nil || e.Line == 0 {
		return
	}
	s.mu.Lock()
	cells := s.history.Values()
	s.mu.Unlock()
	for _, c := range slices.Backward(cells) {
		cell := cellLabel(c.Number)
		frame, ok := frameInLiteral(e.Source, rocm.Message{Line: e.Line}, cell, c.Code)
		if above, body, cut := strings.Cut(c.Code, "%%hip\n"); !ok && cut &&
			strings.TrimSpace(body) == strings.TrimSpace(e.Source) {
			// The source in the literal of %%hip begins with a line of its own, as the cell does.
			line := strings.Count(above, "\n") + e.Line
			frame, ok = golang.Frame{Cell: cell, Line: line, Source: lineOf(c.Code, line)}, true
		}
		if ok {
			f.Frames = append([]golang.Frame{frame}, f.Frames...)
			return
		}
	}
}

// lineOf is a line of a text, from 1; empty where there is none.
func lineOf(text string, line int) string {
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return lines[line-1]
}

// firstError is the first error among a compiler's messages.
func firstError(err error, re **rocm.Error) (rocm.Message, bool) {
	if !errors.As(err, re) {
		return rocm.Message{}, false
	}
	for _, m := range (*re).Messages() {
		if m.Severity == "error" && m.Line > 0 {
			return m, true
		}
	}
	return rocm.Message{}, false
}

// compileErrorName is what the session calls errors of a kernel's source.
const compileErrorName = "CompileError"

// describeDevice names an error of package rocm and takes what it says of the cause as notes. Of a compiler's messages
// the first error is the message.
func describeDevice(err error) (name, message string, notes []string, ok bool) {
	var e *rocm.Error
	if !errors.As(err, &e) {
		return "", "", nil, false
	}
	if first, ok := firstError(err, &e); ok {
		for _, m := range e.Messages() {
			if m != first {
				notes = append(notes, placed(m))
			}
		}
		return compileErrorName, first.Text, notes, true
	}
	head, detail, _ := strings.Cut(e.Error(), "\n")
	for line := range strings.Lines(detail) {
		if line = strings.TrimSpace(line); line != "" {
			notes = append(notes, line)
		}
	}
	return "DeviceError", strings.TrimPrefix(head, "rocm: "), notes, true
}

// placed is a further message with the line of the source that it is about.
func placed(m rocm.Message) string {
	text := fmt.Sprintf("line %d of the source: %s", m.Line, m.Text)
	if m.Severity != "error" {
		text = fmt.Sprintf("line %d of the source: %s: %s", m.Line, m.Severity, m.Text)
	}
	return text
}
