package term

import (
	"testing"

	"github.com/gorocm/gorocm/display"
)

// TestDrawing: a chart in ASCII keeps its shape; text of cells stays.
func TestDrawing(t *testing.T) {
	for in, want := range map[string]string{
		"0.5 ┤⡎ ⠑⡄\n    └┬──": "0.5 +: '.\n    ++--",
		"⣀⠤⠒⠉⠀│":              "..'' |",
		"é 日本 plain":          "é 日本 plain",
		"██▌ ░":               "### .",
	} {
		if got := drawing(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	b := display.Render(display.Line([]float64{1, 3, 2}))
	t.Setenv("LC_ALL", "C")
	for _, r := range (&Printer{}).text(b) {
		if r > 0x7f {
			t.Fatalf("%c is in an ASCII chart", r)
		}
	}
}
