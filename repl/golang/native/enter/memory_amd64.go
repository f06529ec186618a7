//go:build linux || windows

package enter

import (
	"sync"
	"unsafe"
)

const (
	regionBytes = 1 << 20 // of which only pages with code in them are in use
	codeAlign   = 64      // a line of the cache, which then has no code of two calls of Map
)

// region is memory for code that has room left. It is mapped twice, so that code can be added beside code that runs: no
// address can be written to and executed.
type region struct {
	sync.Mutex
	view, write []byte  // to be written: all of it, and what is left
	exec        uintptr // the address of what is left
}

var code region

// Map puts code into executable memory and returns its address. The memory is never given back.
func Map(blob []byte) (address uintptr, err error) {
	defer func() {
		if err == nil {
			mapped.Store(true)
		}
	}()
	code.Lock()
	defer code.Unlock()
	need := (len(blob) + codeAlign - 1) / codeAlign * codeAlign
	if need > regionBytes/4 {
		return mapAlone(blob)
	}
	if need > len(code.write) {
		if err := code.open(); err != nil {
			return mapAlone(blob) // as where memory that a file stands for must not be executed
		}
	}
	at := code.exec
	copy(code.write, blob)
	code.write, code.exec = code.write[need:], code.exec+uintptr(need)
	return at, nil
}

// open maps a new region. What was left of the one before stays unused, and it can no longer be written to.
func (r *region) open() error {
	write, exec, err := mapTwice(regionBytes)
	if err != nil {
		return err
	}
	if r.view != nil {
		unmap(r.view)
	}
	r.view, r.write, r.exec = write, write, uintptr(unsafe.Pointer(unsafe.SliceData(exec)))
	return nil
}
