package native

import (
	"fmt"
	"go/token"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/gorocm/gorocm/repl/golang/native/amd64"
)

// stop is what is known of an address at which generated code is left or goes on.
type stop struct {
	code     leaveCode
	aux      any
	pos      token.Pos
	fn       string
	frame    int
	pointers []amd64.Pointer
	bottom   bool // the frame is the outermost one
}

// stops are those of one piece of memory for code, by their addresses.
type stops map[uintptr]*stop

// pages has the stops of all programs, by the page of their addresses. The map and those in it are never changed, since
// they are read while the goroutine is pinned, which must not wait for a lock.
var pages struct {
	sync.Mutex // of writers
	read       atomic.Pointer[map[uintptr]stops]
}

const pageSize = 4096

// add makes the stops of size bytes of code known that begin at base, which is the start of a page.
func (s stops) add(base uintptr, size int) {
	pages.Lock()
	defer pages.Unlock()
	all := map[uintptr]stops{}
	if old := pages.read.Load(); old != nil {
		all = maps.Clone(*old)
	}
	for at := base; at < base+uintptr(size); at += pageSize {
		all[at/pageSize] = s
	}
	pages.read.Store(&all)
}

// stopAt finds the stop at an address. It takes no lock and allocates nothing.
func stopAt(at uintptr) *stop {
	s := (*pages.read.Load())[at/pageSize][at]
	if s == nil {
		panic(fmt.Sprintf("native: generated code was left at %#x, which is not known", at))
	}
	return s
}

// function notes the stops of a function at base.
func (s stops) function(base uintptr, w *work, code *amd64.Code) {
	s[base+uintptr(code.Done)] = &stop{code: leaveDone, bottom: true}
	for _, c := range code.Stops {
		x := &stop{code: leaveCall, fn: w.u.Stack, frame: c.Frame, pointers: c.Pointers, bottom: c.Site < 0}
		if c.Site >= 0 {
			at := w.f.Sites[c.Site]
			x.code, x.aux, x.pos = leaveCode(at.Code), at.Aux, at.Pos
		}
		s[base+uintptr(c.Offset)] = x
	}
}
