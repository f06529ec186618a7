package repl

import (
	"fmt"
	"strconv"

	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/repl/internal/programs"
)

// jobs lists what cells have started and what still runs.
func (c *Call) jobs() *Error {
	if err := c.noArgs(); err != nil {
		return err
	}
	s := c.session
	follow, ok := s.opt.Programs.(interface{ Running() []programs.Running })
	if !ok {
		return c.failed(fmt.Errorf("the programs of a session inside another program are not followed"))
	}
	var rows [][]string
	for _, p := range follow.Running() {
		cell, note := "", ""
		if p.Cell > 0 {
			cell = cellLabel(p.Cell)
		}
		if p.Free {
			note = "lives on after the session"
		}
		rows = append(rows, []string{strconv.Itoa(p.PID), cell, p.Command, note})
	}
	for _, cell := range s.current().Goroutines().Blocked() {
		rows = append(rows, []string{"", cell, "is blocked in a call, though it was interrupted", ""})
	}
	if len(rows) == 0 && !golang.Alone() {
		s.print("no program that cells have started runs any more; goroutines that they have started may\n")
		return nil
	}
	if len(rows) == 0 {
		s.print("nothing that cells have started runs any more\n")
		return nil
	}
	s.print("%s", columns(rows))
	return nil
}
