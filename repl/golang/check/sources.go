package check

import "sync"

// Sources are the lines of every cell, by its name. They may be asked for while another cell is parsed.
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

// Set notes the lines of a cell.
func (s *Sources) Set(cell string, lines []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lines == nil {
		s.lines = map[string][]string{}
	}
	s.lines[cell] = lines
}
