package repl

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/debug"
	"github.com/gorocm/gorocm/repl/internal/debugger"
)

// placeArgument is NAME, NAME:LINE or CELL:LINE.
var placeArgument = regexp.MustCompile(`^(?:cell\[)?([\pL_][\pL\pN_.]*|\d+)\]?(?::(\d+))?$`)

// fileArgument is FILE.go:LINE, a line of a package.
var fileArgument = regexp.MustCompile(`^(.+\.go):(\d+)$`)

// breakpoint sets, removes or lists the places where cells stop.
func (c *Call) breakpoint() *Error {
	s := c.session
	args, remove := strings.CutPrefix(c.Args, "-d")
	args = strings.TrimSpace(args)
	place, condition, conditional := strings.Cut(args, " ")
	if condition = strings.TrimSpace(condition); conditional {
		var ok bool
		if condition, ok = strings.CutPrefix(condition, "if "); !ok {
			return c.wrong("what follows the place begins with if")
		}
	}
	core := s.current().Debugging().Debugger()
	switch {
	case args == "" && remove:
		for source := range core.Breakpoints() {
			if !isClients(source) {
				core.SetBreakpoints(source, nil)
			}
		}
		return keepDebugger(c, false)
	case args == "":
		return listBreakpoints(c)
	}
	cell, line, err := placeOf(c, place)
	if err != nil {
		return err
	}
	if !remove {
		if err := keepDebugger(c, true); err != nil { // places are known of what has hooks
			return err
		}
	}
	last := line
	if _, _, lines, ok := s.current().Debugging().Place(place); ok && remove {
		last = line + lines - 1 // all of the function's
	}
	source := strings.TrimPrefix(cell, debug.Prompt)
	if text, ok := s.current().Debugging().PackageFile(source); ok {
		cell = debug.Prompt + source
		lines := debugger.FileLines(text)
		i, _ := slices.BinarySearch(lines, line)
		if i == len(lines) {
			return c.wrong("no statement begins on line %d of %s or below", line, source)
		}
		line, last = lines[i], max(last, lines[i])
	}
	before := core.Breakpoints()[cell]
	list := slices.DeleteFunc(slices.Clone(before),
		func(b debug.Breakpoint) bool { return b.Line >= line && b.Line <= last })
	if remove && len(list) == len(before) {
		return c.wrong("there is no breakpoint at %s", place)
	}
	if remove {
		core.SetBreakpoints(cell, list)
		return nil
	}
	core.SetBreakpoints(cell, append(list, debug.Breakpoint{Line: line, Condition: strings.TrimSpace(condition)}))
	return nil
}

// isClients reports whether breakpoints of a source belong to a client of the debugger, which names it by its path.
func isClients(source string) bool { return filepath.IsAbs(source) }

// keepDebugger turns the debugger on, or off where no client needs it.
func keepDebugger(c *Call, on bool) *Error {
	if err := c.session.debugger.Keep(on); err != nil {
		return c.failed(err)
	}
	return nil
}

// placeOf finds what an argument means.
func placeOf(c *Call, arg string) (cell string, line int, failure *Error) {
	if m := fileArgument.FindStringSubmatch(arg); m != nil {
		name, _, err := c.session.current().Debugging().File(m[1])
		if err != nil {
			return "", 0, c.wrong("%v", err)
		}
		line, _ = strconv.Atoi(m[2])
		return name, line, nil
	}
	m := placeArgument.FindStringSubmatch(arg)
	if m == nil {
		return "", 0, c.wrong("%q is no place", arg)
	}
	line, _ = strconv.Atoi(m[2])
	if n, err := strconv.Atoi(m[1]); err == nil {
		if m[2] == "" {
			return "", 0, c.wrong("a cell wants a line: %d:1", n)
		}
		if cell = cellLabel(n); c.session.current().Debugging().CellSource(cell) == nil {
			return "", 0, c.wrong("there is no Go in %s", cell)
		}
		return cell, line, nil
	}
	cell, first, lines, ok := c.session.current().Debugging().Place(m[1])
	switch {
	case !ok:
		return "", 0, c.wrong("no cell and no package of a module has declared a function %s", m[1])
	case line > lines:
		return "", 0, c.wrong("%s has %d lines", m[1], lines)
	}
	return cell, first + max(line, 1) - 1, nil
}

// listBreakpoints shows all breakpoints.
func listBreakpoints(c *Call) *Error {
	all := c.session.current().Debugging().Debugger().Breakpoints()
	var b strings.Builder
	for _, source := range slices.Sorted(maps.Keys(all)) {
		if isClients(source) {
			continue
		}
		list := all[source]
		slices.SortFunc(list, func(a, b debug.Breakpoint) int { return cmp.Compare(a.Line, b.Line) })
		for _, p := range list {
			fmt.Fprintf(&b, "%s, line %d", strings.TrimPrefix(source, debug.Prompt), p.Line)
			if p.Condition != "" {
				fmt.Fprintf(&b, ", if %s", p.Condition)
			}
			b.WriteString("\n")
		}
	}
	if b.Len() == 0 {
		b.WriteString("no breakpoints\n")
	}
	c.session.print("%s", b.String())
	return nil
}

// debug shows the calls of the last panic, or turns the debugger on or off.
func (c *Call) debug() *Error {
	s := c.session
	switch c.Args {
	case "on":
		return keepDebugger(c, true)
	case "off":
		s.current().Debugging().Debugger().ForgetPanic()
		c.Args = "-d"
		return c.breakpoint()
	case "":
	default:
		return c.wrong("takes on, off, or nothing")
	}
	if s.debugger.PostMortem() {
		return nil
	}
	text := "no function with hooks has panicked"
	if !s.debugger.On() {
		text += "; after %debug on, a panic keeps the variables of the functions that it leaves"
	}
	s.print("%s\n", text)
	return nil
}
