package repl

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/gorocm/gorocm/repl/history"
)

// globalHistory is how many cells of all sessions %history -g lists without -l.
const globalHistory = 1000

// pastCells lists cells of this session, or of all.
func (c *Call) pastCells() *Error {
	s := c.session
	set, rest, wrong := c.options("nl:g")
	if wrong != nil {
		return wrong
	}
	_, numbers := set['n']
	if _, all := set['g']; all {
		last, wrong := c.positive(set, 'l', globalHistory)
		if wrong != nil {
			return wrong
		}
		return s.allPastCells(c, rest, last, numbers)
	}
	last, wrong := c.positive(set, 'l', int(^uint(0)>>1))
	if wrong != nil {
		return wrong
	}
	cells, err := spans(rest)
	if err != nil {
		return c.wrong("%v; -g TEXT lists the cells of all sessions that have a text in them", err)
	}
	var list []Past
	for _, x := range s.earlierCells() {
		if len(cells) == 0 || within(cells, x.Number) {
			list = append(list, x)
		}
	}
	for _, x := range list[max(len(list)-last, 0):] {
		s.printCell(fmt.Sprintf("[%d] ", x.Number), x.Code, numbers)
	}
	return nil
}

// earlierCells are the cells of this session before the one that runs.
func (s *Local) earlierCells() []Past {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.history.Values()
	if n := len(list); n > 0 && s.number == list[n-1].Number {
		return list[:n-1]
	}
	return list
}

// printCell prints a cell, with what stands before its first line.
func (s *Local) printCell(head, code string, withHead bool) {
	text := strings.TrimSpace(code)
	if withHead {
		text = head + strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", len(head)))
	}
	s.print("%s\n", text)
}

// allPastCells lists the last cells of all sessions that have a text in them, which may have * and ? in it.
func (s *Local) allPastCells(c *Call, text string, last int, numbers bool) *Error {
	path := history.File()
	if path == "" {
		return c.failed(errors.New("there is no history of other sessions: " +
			"no folder for it can be made in the home folder, or in that of XDG_STATE_HOME"))
	}
	problems := &problem{}
	store := history.Open(path, slog.New(slog.NewTextHandler(problems, nil)))
	defer store.Close()
	list, err := store.Search(searchPattern(text), last, true)
	if err == nil && problems.text != "" {
		err = fmt.Errorf("%s: %s", path, problems.text)
	}
	if err != nil {
		return c.failed(err)
	}
	for _, e := range list {
		s.printCell(fmt.Sprintf("%d/%d: ", e.Session, e.Line), e.Input, numbers)
	}
	if len(list) == 0 {
		s.print("no cell of any session has %q\n", text)
	}
	return nil
}

// searchPattern matches cells that have a text in them. Brackets in it are meant as they are.
func searchPattern(text string) string { return "*" + strings.ReplaceAll(text, "[", "[[]") + "*" }

// problem keeps the first thing that is logged.
type problem struct{ text string }

// Write implements io.Writer.
func (p *problem) Write(b []byte) (int, error) {
	if p.text == "" {
		p.text = strings.TrimSpace(string(b))
	}
	return len(b), nil
}
