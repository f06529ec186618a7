package term

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// plain is a lineReader on a pipe, a file, or a terminal that can do nothing.
type plain struct {
	in      *bufio.Reader
	prompts io.Writer // nil on a pipe
}

// ReadLine implements lineReader.
func (p *plain) ReadLine(prompt, _ string) (string, error) {
	if p.prompts != nil {
		fmt.Fprint(p.prompts, withoutEscapes(prompt))
	}
	line, err := p.in.ReadString('\n')
	if err != nil && (line == "" || !errors.Is(err, io.EOF)) {
		return "", err
	}
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), nil
}

// Ask implements lineReader: the cell's input is what follows the cell.
func (p *plain) Ask(prompt string, _ bool) (string, error) { return p.ReadLine(prompt, "") }

// Remember implements lineReader: there is no history.
func (p *plain) Remember(string) {}

// Close implements lineReader.
func (p *plain) Close() {}
