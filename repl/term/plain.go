package term

import (
	"bufio"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"strings"

	"github.com/gorocm/gorocm/internal/printing"
	"github.com/gorocm/gorocm/repl/cells"
)

// plain is a reader on a pipe, a file, or a terminal that can do nothing.
type plain struct {
	in      *bufio.Reader
	prompts io.Writer // nil on a pipe
	asks    oracle
	begun   bool // what comes first has been looked at
}

// Cell implements reader: lines, until the session calls them a whole cell.
func (p *plain) Cell(prompt, further, _ string) (string, error) {
	if !p.begun && p.prompts == nil {
		if program, err := p.program(); program != "" || err != nil {
			return program, err
		}
	}
	cell := ""
	for {
		line, err := p.line(prompt)
		if errors.Is(err, io.EOF) && cell != "" {
			return cell, nil // the rest is a cell, with the error that it deserves
		}
		if err != nil {
			return "", err
		}
		more := false
		cell, more = goesOn(cell + line)
		if _, _, ok := question(cell); !more &&
			(ok || strings.TrimSpace(cell) == "" || p.asks.IsComplete(cell).Status != "incomplete") {
			return cell, nil
		}
		cell += "\n"
		prompt = further
	}
}

// program reads all of an input that is an ordinary Go program, whose functions may stand before what they use: it is
// one cell. Of any other input nothing is read, and it is "".
func (p *plain) program() (string, error) {
	p.begun = true
	text := ""
	for {
		line, err := p.in.ReadString('\n')
		if text += line; err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		name := cells.PackageName(text)
		if err == nil && name == "" && onlyComments(text) {
			continue
		}
		if err == nil && name == "main" {
			rest, err := cells.ReadAll(p.in)
			if err != nil {
				return "", err
			}
			text += string(rest)
			if _, main, _ := cells.Program(text); main > 0 {
				return text, nil
			}
		}
		p.in = bufio.NewReader(io.MultiReader(strings.NewReader(text), p.in))
		return "", nil
	}
}

// onlyComments reports whether a text has nothing but comments, the last of which may go on.
func onlyComments(text string) bool {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", -1, len(text)), []byte(text), nil, 0)
	_, tok, _ := s.Scan()
	return tok == token.EOF
}

func (p *plain) line(prompt string) (string, error) {
	if p.prompts != nil {
		fmt.Fprint(p.prompts, printing.Plain(prompt))
	}
	line, err := p.in.ReadString('\n')
	if err != nil && (line == "" || !errors.Is(err, io.EOF)) {
		return "", err
	}
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), nil
}

// Ask implements reader: the cell's input is what follows the cell.
func (p *plain) Ask(prompt string, _ bool) (string, error) { return p.line(prompt) }

// Remember implements reader: nothing can be recalled.
func (p *plain) Remember(string) {}

// Close implements reader.
func (p *plain) Close() {}
