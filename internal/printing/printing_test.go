package printing

import "testing"

// TestSetInNarrowTerminal: what is set while a terminal is narrow holds no longer than that.
func TestSetInNarrowTerminal(t *testing.T) {
	defer SetColumns(0)
	SetColumns(40)
	before := Set(Options{Precision: 8})
	defer Set(before)
	if got := Get(); got.LineWidth != 40 || got.Precision != 8 {
		t.Errorf("%+v", got)
	}
	SetColumns(100)
	if got := Get().LineWidth; got != Default.LineWidth {
		t.Errorf("lines of %d columns in a terminal of 100", got)
	}
	if before.LineWidth != Default.LineWidth {
		t.Errorf("before %+v", before)
	}
}
