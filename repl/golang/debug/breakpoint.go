package debug

import (
	"fmt"
	"strconv"
	"strings"
)

// Breakpoint is where goroutines stop. Condition, Hits and Log may be empty.
type Breakpoint struct {
	Line      int
	Condition string // a Go expression; the goroutine stops where it is true
	Hits      string // N, >= N, > N, % N: of the times that the place was reached with the condition true
	Log       string // is printed instead of a stop, with the values of the expressions that it has in braces
	hits      int
}

// Prompt, before the name of a file of a package, is the source of breakpoints that no client has set.
const Prompt = "prompt:"

// SetBreakpoints replaces the breakpoints of a source: the name of a cell or of a file, an alias of one, or Prompt and
// the name.
func (d *Debugger) SetBreakpoints(source string, list []Breakpoint) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var points []*Breakpoint
	for _, b := range list {
		points = append(points, &b)
	}
	if d.breakpoints[source] = points; len(points) == 0 {
		delete(d.breakpoints, source)
	}
	d.bind()
}

// Breakpoints are the breakpoints of all sources.
func (d *Debugger) Breakpoints() map[string][]Breakpoint {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := map[string][]Breakpoint{}
	for source, list := range d.breakpoints {
		for _, b := range list {
			r[source] = append(r[source], *b)
		}
	}
	return r
}

// Alias gives a cell or a file of a package another name for breakpoints, the path of its source.
func (d *Debugger) Alias(file, source string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.aliases[file] = source
}

// Source is the alias of a cell, or its name.
func (d *Debugger) Source(file string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s, ok := d.aliases[file]; ok {
		return s
	}
	return file
}

// Bind has breakpoints stop at the places that were added.
func (d *Debugger) Bind() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bind()
}

// bind puts each breakpoint on the first line from its own on that has a statement. Those of files of packages are on
// such lines.
func (d *Debugger) bind() {
	defer d.update()
	if len(d.breakpoints) == 0 && !d.bound {
		return
	}
	d.bound = len(d.breakpoints) > 0
	byFile := map[string][]*Place{}
	for _, p := range d.places.all() {
		p.point.Store(nil)
		if p.First {
			byFile[p.File] = append(byFile[p.File], p)
		}
	}
	for file, list := range byFile {
		for _, source := range []string{file, d.aliases[file], Prompt + file} {
			for _, b := range d.breakpoints[source] {
				line := b.Line
				if !list[0].Package { // else more places come, as functions are called
					line = lineFrom(list, b.Line)
				}
				for _, p := range list {
					if p.Line == line {
						p.point.Store(b)
					}
				}
			}
		}
	}
}

// lineFrom is the first line from the given one on that has a place, 0 without any.
func lineFrom(list []*Place, line int) (found int) {
	for _, p := range list {
		if p.Line >= line && (found == 0 || p.Line < found) {
			found = p.Line
		}
	}
	return found
}

// reached counts a hit and reports whether it is one to stop at.
func (b *Breakpoint) reached() (bool, error) {
	b.hits++
	op := strings.TrimRight(strings.TrimSpace(b.Hits), "0123456789 ")
	n, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(b.Hits), op)))
	if b.Hits == "" {
		return true, nil
	}
	if err != nil || n <= 0 {
		return true, fmt.Errorf("hit condition %q: write N, >= N, > N or %% N", b.Hits)
	}
	switch op {
	case ">=":
		return b.hits >= n, nil
	case ">":
		return b.hits > n, nil
	case "", "=", "==":
		return b.hits == n, nil
	case "%":
		return b.hits%n == 0, nil
	}
	return true, fmt.Errorf("hit condition %q: write N, >= N, > N or %% N", b.Hits)
}
