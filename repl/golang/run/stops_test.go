package run

import "testing"

// A cell may end by itself while it is being stopped. The goroutine of the next one may have its number.
func TestStopAfterTheEnd(t *testing.T) {
	s := &stops{}
	s.init(nil)
	r := newRunner("cell[1]")
	go func() {
		defer close(r.done)
		s.begin(r)
		s.end(r)
	}()
	<-r.done
	s.add(r)
	if s.any.Load() != 0 || s.has(r.g.Load()) {
		t.Error("a goroutine that has ended is to be stopped")
	}
}
