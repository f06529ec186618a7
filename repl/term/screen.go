package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

// screen draws a block of rows at the end of what a terminal shows, and draws it again in place. What is written to it
// meanwhile appears above the block. The terminal's cursor is inside the block.
type screen struct {
	out  io.Writer
	size func() (columns, lines int)

	mu      sync.Mutex
	shown   bool
	rows    []string // of the block, as drawn
	columns int      // of the terminal then
	row     int      // of the cursor
	block   frame    // what the rows were drawn from
	partial string   // output without its newline, which waits for the rest
}

// frame is a block: rows with their styles, and where the cursor stands.
type frame struct {
	rows     []string
	row, col int
}

// Show draws a block, in place of the one that is shown.
func (s *screen) Show(f frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draw(f)
}

// draw writes what differs from the rows that are there.
func (s *screen) draw(f frame) {
	columns, _ := s.size()
	var b strings.Builder
	if !s.shown || columns != s.columns {
		s.wipe(&b)
		s.rows, s.row = nil, 0
	}
	row := s.row
	goTo := func(to int) {
		switch {
		case to < row:
			fmt.Fprintf(&b, "\x1b[%dA", row-to)
		case to > row:
			b.WriteString(strings.Repeat("\n", to-row)) // which makes rows where there are none
		}
		row = to
		b.WriteByte('\r')
	}
	for i, text := range f.rows {
		if i < len(s.rows) && s.rows[i] == text {
			continue
		}
		goTo(i)
		b.WriteString("\x1b[K" + text) // not the other way round: a full row would lose its last character
	}
	if len(s.rows) > len(f.rows) {
		goTo(len(f.rows))
		b.WriteString("\x1b[J")
	}
	goTo(f.row)
	if f.col > 0 {
		fmt.Fprintf(&b, "\x1b[%dC", f.col)
	}
	s.shown, s.rows, s.columns, s.row, s.block = true, f.rows, columns, f.row, f
	s.write(b.String())
}

func (s *screen) write(text string) {
	_, _ = io.WriteString(s.out, text) // a terminal that has gone away ends the session by other means
}

// wipe goes to the first row of the block and clears the screen from there. Where the terminal has become narrower, it
// has broken rows. A block of known rows is not cleared by one ED sequence: tmux takes that, at the top of the screen,
// for the end of a page, and would keep the prompt in its history.
func (s *screen) wipe(b *strings.Builder) {
	clear := "\r\x1b[J"
	if s.shown {
		up := s.row
		columns, _ := s.size()
		switch {
		case columns == s.columns && len(s.rows) == 1:
			clear = "\r\x1b[K"
		case columns == s.columns:
			clear = "\r\x1b[K\n\x1b[J\x1b[A"
		}
		if columns < s.columns && columns > 0 {
			for _, r := range s.rows[:min(s.row, len(s.rows))] {
				up += max(0, (styledWidth(r)-1)/columns)
			}
			up += s.block.col / columns
		}
		if up > 0 {
			fmt.Fprintf(b, "\x1b[%dA", up)
		}
	}
	b.WriteString(clear)
}

// Redraw draws the block again, after the terminal has changed or another program has used it.
func (s *screen) Redraw(clear bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.shown {
		return
	}
	if clear {
		s.write("\x1b[H\x1b[2J")
		s.shown = false
	}
	s.columns = -1
	s.draw(s.block)
}

// Forget is told that the block is no longer where it was: the next one is drawn from the cursor's row on.
func (s *screen) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = false
}

// Finish leaves a last form of the block on the screen and goes to the line below. Output that waited follows.
func (s *screen) Finish(f frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.row, f.col = len(f.rows)-1, 0
	s.draw(f)
	s.shown = false
	s.write("\n" + s.partial)
	s.partial = ""
}

// Wipe takes the block away.
func (s *screen) Wipe() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown {
		var b strings.Builder
		s.wipe(&b)
		s.shown = false
		s.write(b.String() + s.partial)
		s.partial = ""
	}
}

// Write shows output, in whole lines above the block while there is one.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.shown {
		return s.out.Write(p)
	}
	s.partial += string(p)
	end := strings.LastIndexByte(s.partial, '\n') + 1
	if end == 0 {
		return len(p), nil
	}
	var b strings.Builder
	s.wipe(&b)
	b.WriteString(s.partial[:end])
	s.partial = s.partial[end:]
	s.write(b.String())
	s.shown = false
	s.draw(s.block)
	return len(p), nil
}
