package repl

import (
	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/repl/modules/compiled"
)

// showModules tells of the packages of modules that cells have imported, whether they are compiled or interpreted, and
// what became of a program that has them compiled in.
func showModules(c *Call) *Error {
	if err := c.noArgs(); err != nil {
		return err
	}
	s := c.session
	roots := s.moving.roots
	if len(roots) == 0 {
		s.print("no cell has imported a package of a module\n")
		return nil
	}
	for _, path := range roots {
		version, state := golang.ModuleState(s.current(), path)
		s.print("%s %s, %s\n", path, version, state)
	}
	s.print("%s\n", compiled.State(s.opt.Modules, roots))
	return nil
}
