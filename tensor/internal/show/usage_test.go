package show

import (
	"strings"
	"testing"
)

func TestUsage(t *testing.T) {
	const gib = 1 << 30
	u := Usage{InUse: 4 * gib, Reserved: 6 * gib, Peak: 5 * gib, Free: 8 * gib, Total: 16 * gib}
	if got, want := u.textBar(), "["+strings.Repeat("█", 8)+strings.Repeat("▓", 4)+strings.Repeat("▒",
		4)+strings.Repeat("·", 16)+"]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := u.words(), "4.0 GiB in use, 6.0 GiB reserved of 16.0 GiB, at most 5.0 GiB"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := (Usage{Pinned: gib}).words(),
		"0 bytes in use, 0 bytes reserved, 1.0 GiB of the host's pinned"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (Usage{InUse: 1, Reserved: 1, Free: 100, Total: 100 * gib}).textBar(); !strings.HasPrefix(got, "[█") {
		t.Errorf("one byte: %s", got)
	}
	if got := u.htmlBar(); strings.Count(got, "width:25.00%") != 1 || strings.Count(got, "width:12.50%") != 2 {
		t.Errorf("HTML: %s", got)
	}
}
