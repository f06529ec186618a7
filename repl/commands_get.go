package repl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/modules"
)

func (c *Call) get() *Error {
	s := c.session
	if c.Args == "" {
		return c.wrong("a module is missing")
	}
	r, notes, err := s.current().Get(c.ctx, c.Args, func(line string) {
		s.sink.event(Event{Kind: Notice, Text: line})
	})
	if err != nil {
		return getError(c, err)
	}
	for _, n := range notes {
		s.sink.event(Event{Kind: Notice, Text: n})
	}
	s.moving.got()
	switch {
	case r.Dir != "":
		s.print("%s in %s", r.Module, r.Dir)
	case r.Version == "":
		s.print("%s is taken out\n", r.Module)
		return nil
	default:
		s.print("%s %s", r.Module, r.Version)
	}
	asked, _, _ := strings.Cut(strings.TrimSpace(c.Args), "@")
	list := r.Packages
	if slices.Contains(list, asked) {
		list = []string{asked}
	}
	const most = 8
	switch n := len(list); {
	case n == 0:
		s.print(": it has no package to import\n")
	case n == 1:
		s.print(": import %q\n", list[0])
	case n > most:
		s.print(": %s, %s, …\n", count(n, "package"), strings.Join(list[:most], ", "))
	default:
		s.print(": %s, %s\n", count(n, "package"), strings.Join(list, ", "))
	}
	return nil
}

func getError(c *Call, err error) *Error {
	var me *modules.Error
	switch {
	case c.ctx.Err() != nil:
		return &Error{Name: "Interrupted", Message: "the cell was interrupted"}
	case errors.As(err, &me):
		return &Error{Name: "ImportError", Message: me.Message, Notes: me.Notes, Trace: me.Output}
	}
	return &Error{Name: "ImportError", Message: fmt.Sprint(err)}
}
