//go:build !amd64 || !linux

package enter

import "errors"

// Supported reports whether generated code can run here.
const Supported = false

// Enter is never called.
func (c *Context) Enter(gate uintptr) {}

// Goroutine is never called.
func Goroutine() uintptr { return 0 }

// Map makes no memory.
func Map(code []byte) (uintptr, error) {
	return 0, errors.New("no machine code is made for this processor")
}
