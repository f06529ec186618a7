//go:build unix

package worker

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gorocm/gorocm/repl/golang"
)

// groupWait is how long a worker that was asked to end waits for its front end, which the same signal has reached when
// it went to their process group: an interrupt then has the cell run its deferred calls.
const groupWait = 500 * time.Millisecond

// delayEnds has signals end the worker after a while, unless its front end, which ends the worker itself, interrupts
// the cell meanwhile, or cells take signals.
func (s *server) delayEnds() {
	ends := make(chan os.Signal, 1)
	var list []os.Signal
	for _, e := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(e) {
			list = append(list, e)
		}
	}
	signal.Notify(ends, list...)
	go func() {
		for e := range ends {
			time.Sleep(groupWait)
			select {
			case <-ends: // another of the same group
			default:
			}
			last := time.Unix(0, s.interrupted.Load()) // which may have come before the signal
			if number, ok := e.(syscall.Signal); ok && time.Since(last) > 2*groupWait && !golang.SignalsTaken() {
				signal.Stop(ends)
				_ = syscall.Kill(os.Getpid(), number)
			}
		}
	}()
}
