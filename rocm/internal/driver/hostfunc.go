package driver

import (
	"sync"
	"sync/atomic"

	"github.com/gorocm/gorocm/internal/dl"
)

// hostFuncs are the functions that drivers have yet to call, by the data of LaunchHostFunc. One C function calls all of
// them: purego keeps those that it makes for ever, and makes 2,000 at most.
var hostFuncs struct {
	entry func() uintptr
	byKey sync.Map // uintptr to func()
	last  atomic.Uintptr
}

func init() {
	hostFuncs.entry = sync.OnceValue(func() uintptr {
		return dl.Callback(func(key uintptr) uintptr {
			if f, ok := hostFuncs.byKey.LoadAndDelete(key); ok {
				f.(func())()
			}
			return 0
		})
	})
}

// OnStream has f called by a thread of the driver when the work before it on the stream is done. f must not panic.
func (drv *Table) OnStream(stream uintptr, f func()) Code {
	key := hostFuncs.last.Add(1)
	hostFuncs.byKey.Store(key, f)
	c := drv.LaunchHostFunc(stream, hostFuncs.entry(), key)
	if c != 0 {
		hostFuncs.byKey.Delete(key)
	}
	return c
}
