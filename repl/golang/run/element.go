package run

import (
	"github.com/gorocm/gorocm/internal/element"
	"github.com/gorocm/gorocm/repl/golang/native"
)

// SetLoop has a function over elements run machine code, until the session debugs it.
func (rt *Runtime) SetLoop(code *element.Code, p *native.Proc) {
	code.Loop = func(b *element.Block) {
		_, used := goroutine()
		p.Code().RunLoop(&rt.host, used, b)
	}
	code.Try = func(b *element.Block, stopped func() bool) (ok bool) {
		defer func() {
			if recover() != nil {
				ok = false
			}
		}()
		h := rt.host
		h.Panicking = func(any, []native.Frame, uintptr) {} // Loop tells it
		if stopped != nil {
			h.Stopped = stopped
		}
		_, used := goroutine()
		p.Code().RunLoop(&h, used, b)
		return true
	}
}
