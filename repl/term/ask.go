package term

import (
	"context"
	"errors"
	"io"

	"github.com/gorocm/gorocm/repl"
)

// inquiry is what a cell asks the user.
type inquiry struct {
	repl.Prompt
	answer chan<- answer
}

type answer struct {
	line string
	err  error
}

// asker hands questions to the goroutine that reads the terminal.
func asker(asked chan<- inquiry) func(context.Context, repl.Prompt) (string, error) {
	return func(ctx context.Context, p repl.Prompt) (string, error) {
		got := make(chan answer, 1)
		select {
		case asked <- inquiry{p, got}:
		case <-ctx.Done():
			return "", ctx.Err()
		}
		select {
		case a := <-got:
			return a.line, a.err
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// answer reads a line for a cell. The error is errInterrupt when the user rather interrupts the cell, and errEnd when
// the session ends.
func (f *front) answer(ctx context.Context, q inquiry) error {
	prompt := ""
	f.draw(func() {
		if f.editor != nil {
			prompt = f.printer.ask(q.Text) // with what the cell has printed on the line, which the editor draws again
		} else {
			f.printer.write(f.printer.Out, q.Text)
		}
	})
	line, err := f.read(ctx, func() (string, error) { return f.lines.Ask(prompt, q.Secret) })
	if errors.Is(err, errInterrupt) || errors.Is(err, errEnd) {
		return err
	}
	if err != nil {
		err = io.EOF
	}
	q.answer <- answer{line, err}
	return nil
}
