package repl

import (
	"fmt"

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
	for _, n := range all {
		if c.Args == "" || n.Name == c.Args {
			list = append(list, n)
		}
	}
	if c.Args == "" {
		list = append(list, e.NativeLoops()...)
	}
	if c.Args != "" && len(list) == 0 {
		return c.wrong("no cell has declared a function %s", c.Args)
	}
	if len(list) == 0 {
		c.session.print("no cell has declared a function, and the last ones have no loop\n")
		return nil
	}
	var rows [][]string
	for _, n := range list {
		how := fmt.Sprintf("machine code, %d bytes", n.Bytes)
		if n.Why != "" {
			how = fmt.Sprintf("interpreted: %s (%s)", n.Why, n.Where)
		}
		rows = append(rows, []string{n.Name, how})
	}
	c.session.print("%s", columns(rows))
	return nil
}
