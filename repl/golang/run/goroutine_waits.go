package run

import "github.com/gorocm/gorocm/repl/golang/machine"

func init() {
	machine.Goroutine = func() uintptr {
		g, _ := goroutine()
		return g
	}
}
