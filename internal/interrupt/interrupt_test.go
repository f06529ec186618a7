package interrupt

import "testing"

// TestStop: only what its own goroutine is in ends, and only as long as it is in it.
func TestStop(t *testing.T) {
	var outer, inner, other int
	leaveOuter := Watch(func() { outer++ })
	leaveInner := Watch(func() { inner++ })
	elsewhere := make(chan int64)
	end := make(chan bool)
	go func() {
		leave := Watch(func() { other++ })
		elsewhere <- Goroutine()
		<-end
		leave()
		end <- true
	}()
	g, there := Goroutine(), <-elsewhere
	Stop(g)
	leaveInner()
	Stop(g)
	Stop(there)
	leaveOuter()
	Stop(g)
	end <- true
	<-end
	if Stop(there); outer != 2 || inner != 1 || other != 1 || len(running) != 0 {
		t.Error(outer, inner, other, running)
	}
}
