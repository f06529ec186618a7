package check

import (
	"maps"
	"slices"
	"sync"
)

// Sources are the lines of cells, by their names: of all that a position may be in. They may be asked for while another
// cell is parsed.
type Sources struct {
	mu    sync.RWMutex
	lines map[string][]string
}

// Lines are those of a cell; nil where there is none of that name.
func (s *Sources) Lines(cell string) []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.lines[cell]
}

// Has reports whether there is a cell of that name.
func (s *Sources) Has(cell string) bool { return s.Lines(cell) != nil }

// Names are the cells whose lines are kept.
func (s *Sources) Names() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Collect(maps.Keys(s.lines))
}

// forget removes the lines of a cell.
func (s *Sources) forget(cell string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.lines, cell)
}

// Set notes the lines of a cell. Empty lines at its beginning stand for those of another part that has the same name,
// as the cells of a file have.
func (s *Sources) Set(cell string, lines []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lines == nil {
		s.lines = map[string][]string{}
	}
	lines = slices.Clone(lines)
	for i, before := range s.lines[cell] {
		if i >= len(lines) || lines[i] != "" {
			break
		}
		lines[i] = before
	}
	s.lines[cell] = lines
}
