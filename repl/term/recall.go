package term

import (
	"strings"
	"sync"
)

// past is the cells that were typed before, in this session and in others.
type past struct {
	load func() []string // the cells of earlier sessions, oldest first
	once sync.Once

	mu    sync.Mutex
	cells []string
}

// add keeps a cell. One that is typed twice in a row is there once.
func (p *past) add(cell string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.cells); n == 0 || p.cells[n-1] != cell {
		p.cells = append(p.cells, cell)
	}
}

// all waits for the cells of earlier sessions, which begin to be read when the first question comes.
func (p *past) all() []string {
	p.once.Do(func() {
		if p.load == nil {
			return
		}
		earlier := p.load()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.cells = append(earlier, p.cells...)
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cells[:len(p.cells):len(p.cells)]
}

// recall walks through the past from one cell that is being written: only through cells that begin as it does.
type recall struct {
	cells  []string
	at     int    // in cells; len(cells) is what was being written
	prefix string // what was before the cursor
	own    string // what was being written
}

func newRecall(p *past, b *buffer) *recall {
	cells := p.all()
	return &recall{cells: cells, at: len(cells), prefix: b.before(), own: b.String()}
}

// older and newer find the next cell that begins with the prefix and differs from the one that is shown.
func (r *recall) older(shown string) (string, bool) {
	for i := r.at - 1; i >= 0; i-- {
		if r.cells[i] != shown && strings.HasPrefix(r.cells[i], r.prefix) {
			r.at = i
			return r.cells[i], true
		}
	}
	return "", false
}

func (r *recall) newer(shown string) (string, bool) {
	for i := r.at + 1; i < len(r.cells); i++ {
		if r.cells[i] != shown && strings.HasPrefix(r.cells[i], r.prefix) {
			r.at = i
			return r.cells[i], true
		}
	}
	if r.at < len(r.cells) {
		r.at = len(r.cells)
		return r.own, true
	}
	return "", false
}

// search is Ctrl-R: the cells that have a text in them, latest first.
type search struct {
	cells  []string
	at     int // of the match, len(cells) without one
	text   string
	failed bool
	own    string // what was being written
	pos    int
}

func newSearch(p *past, b *buffer) *search {
	cells := p.all()
	return &search{cells: cells, at: len(cells), own: b.String(), pos: b.pos}
}

// matches reports whether a cell has the text; capital letters in it make case count.
func (s *search) matches(cell string) int {
	if s.text == strings.ToLower(s.text) {
		return strings.Index(strings.ToLower(cell), s.text)
	}
	return strings.Index(cell, s.text)
}

// find looks for a match from one cell on, with step -1 in older ones and with 1 in newer ones.
func (s *search) find(from, step int) {
	if s.text == "" {
		s.at, s.failed = len(s.cells), false
		return
	}
	shown, _ := s.cell()
	for i := from; i >= 0 && i < len(s.cells); i += step {
		if s.matches(s.cells[i]) >= 0 && (i == s.at || s.cells[i] != shown) {
			s.at, s.failed = i, false
			return
		}
	}
	s.failed = true
}

// cell is the match with the place of the text in it, in runes; what was being written where there is none.
func (s *search) cell() (text string, pos int) {
	if s.at >= len(s.cells) {
		return s.own, s.pos
	}
	text = s.cells[s.at]
	at := max(s.matches(text), 0)
	if at > len(text) {
		at = 0
	}
	return text, len([]rune(text[:at]))
}

// prompt is the line below the cell that tells what is searched for.
func (s *search) prompt() string {
	if s.failed {
		return "no cell has: " + s.text
	}
	return "search: " + s.text
}
