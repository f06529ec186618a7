//go:build unix

package worker

import (
	"os"
	"os/signal"
	"syscall"
)

// timeNotice is of a soft limit: at a hard one the kernel kills the process.
const timeNotice = "the limit of processor time is reached (ulimit -St), which interrupts the running cell, and does so " +
	"again after each further second: syscall.Setrlimit(syscall.RLIMIT_CPU, …) raises it, up to the hard limit"

// watchTime has the signal of a soft limit of processor time interrupt the running cell. The Go runtime ignores it.
func (s *server) watchTime() {
	reached := make(chan os.Signal, 1)
	signal.Notify(reached, syscall.SIGXCPU)
	go func() {
		told := uint64(0)
		for range reached {
			s.order.Lock()
			if s.request != told { // once a cell
				e := trouble(timeNotice)
				s.flushLate()
				s.tellLocked(&e, 0)
				told = s.request
			}
			s.order.Unlock()
			s.interrupt()
		}
	}()
}
