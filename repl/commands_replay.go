package repl

import (
	"fmt"
	"slices"
	"strings"
)

// replay runs cells again that ran before the session began anew.
func (c *Call) replay() *Error {
	s := c.session
	numbers, err := spans(c.Args)
	if err != nil {
		return c.wrong("%v", err)
	}
	s.mu.Lock()
	past, life := s.history.Values(), s.life
	s.mu.Unlock()
	past = past[:max(len(past)-1, 0)] // without this cell
	list := replayed(past, numbers, life)
	if len(list) == 0 && len(numbers) > 0 {
		return c.wrong("none of these cells has run and not failed")
	}
	if len(list) == 0 {
		return &Error{Name: "CommandError", Message: "%replay: no cell ran before the session began anew",
			Notes: []string{"%replay 1-3 runs cells by their numbers"}}
	}
	for i, p := range list {
		s.cell(c.ctx, cellLabel(p.Number), p.Code, 0, c.reply)
		if c.reply.Err != nil || c.reply.Exit != nil {
			if rest := len(list) - i - 1; rest > 0 && c.reply.Err != nil {
				c.reply.Err.Notes = append(c.reply.Err.Notes, count(rest, "cell")+" after it did not run again")
			}
			return c.reply.Err
		}
	}
	var names []string
	for _, p := range list {
		names = append(names, fmt.Sprint(p.Number))
	}
	s.sink.event(Event{Kind: Notice, Text: "run again: " + strings.Join(names, ", ")})
	return nil
}

// replayed are the cells that %replay runs again in a life of the session: those of the one before, or those with the
// given numbers.
func replayed(past []Past, numbers []span, life int) (list []Past) {
	if len(numbers) == 0 {
		list = lived(past, life-1)
	}
	for _, p := range past {
		if within(numbers, p.Number) {
			list = append(list, p)
		}
	}
	return slices.DeleteFunc(list, func(p Past) bool { return p.Failed })
}

// lived are the cells of one life of the session, with those that a %replay in it ran again in its place.
func lived(past []Past, life int) (list []Past) {
	for _, p := range past {
		switch {
		case p.Life != life:
		case strings.TrimSpace(p.Code) == "%replay":
			list = append(list, lived(past, life-1)...)
		default:
			list = append(list, p)
		}
	}
	return list
}
