package repl

import (
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/repl/golang"
)

// native tells which functions of cells, and loops of the last cell that had any, are machine code, and why others are
// not.
func (c *Call) native() *Error {
	e := c.session.current()
	if c.Args != "" {
		if _, _, ok := e.Source(c.Args); !ok {
			return c.wrong("no cell has declared a function %s", c.Args)
		}
	}
	if why := e.Interprets(); why != "" {
		c.session.print("functions are interpreted: %s\n", why)
		return nil
	}
	all := e.Natives()
	var list []golang.Native
	width := 0
	for _, n := range all {
		if c.Args == "" || n.Name == c.Args {
			list = append(list, n)
			width = max(width, len(n.Name))
		}
	}
	if c.Args == "" {
		for _, n := range e.NativeLoops() {
			list, width = append(list, n), max(width, len(n.Name))
		}
	}
	if c.Args != "" && len(list) == 0 {
		return c.wrong("no cell has declared a function %s", c.Args)
	}
	var b strings.Builder
	for _, n := range list {
		if n.Why == "" {
			fmt.Fprintf(&b, "%-*s  machine code, %d bytes\n", width, n.Name, n.Bytes)
			continue
		}
		fmt.Fprintf(&b, "%-*s  interpreted: %s (%s)\n", width, n.Name, n.Why, n.Where)
	}
	c.session.print("%s", b.String())
	return nil
}
