package term

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/repl"
)

// TestGraphics: a picture takes as many lines of the terminal as the printer counts, whichever way it is drawn.
func TestGraphics(t *testing.T) {
	picture := display.Render(display.Image([][]float64{{0, 1}, {1, 0}}))
	for _, g := range []display.Graphics{display.KittyGraphics, display.ITermGraphics, display.SixelGraphics} {
		var b bytes.Buffer
		p := &Printer{Out: &b, Err: &b, Colour: true, Graphics: g, Size: func() (int, int) { return 80, 24 }}
		p.Begin(1)
		p.Event(repl.Event{Kind: repl.Display, Data: picture})
		if lines := strings.Count(b.String(), "\n"); p.rows != lines || p.column != 0 {
			t.Errorf("%s: %d rows and column %d are counted, %d lines are there", g, p.rows, p.column, lines)
		}
	}
}
