package programs

import "testing"

// TestForgets: programs that have ended are forgotten, however many there were.
func TestForgets(t *testing.T) {
	s := New("none.0")
	s.keeper = &keeper{}
	const gone = 1 << 30 // no process has such a number
	for i := range 1000 {
		_, started := s.Starting(uint64(i), nil)
		started(gone + i)
		s.Ended(uint64(i), i)
	}
	if n := max(len(s.cells), len(s.pids), len(s.shown)); n > 200 {
		t.Errorf("%d programs are remembered, none of which runs", n)
	}
}
