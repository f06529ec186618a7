package term

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gorocm/gorocm/internal/printing"
)

// plain is a reader on a pipe, a file, or a terminal that can do nothing.
type plain struct {
	in      *bufio.Reader
	prompts io.Writer // nil on a pipe
	asks    oracle
}

// Cell implements reader: lines, until the session calls them a whole cell.
func (p *plain) Cell(prompt, further, _ string) (string, error) {
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
