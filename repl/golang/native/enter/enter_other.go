//go:build !amd64 || (!linux && !windows)

package enter

import (
	"errors"
	"reflect"
)

// Enter is never called.
func (c *Context) Enter(gate uintptr) {}

// Goroutine is never called.
func Goroutine() uintptr { return 0 }

// Map makes no memory.
func Map(code []byte) (uintptr, error) {
	return 0, errors.New("no machine code is made for this processor")
}

// Free frees no memory.
func Free([]Memory) {}

// Unsupported says that generated code cannot run on this machine.
func Unsupported() string { return "machine code is made for amd64 on Linux and Windows only" }

// Locks is not known.
func Locks() int { return 0 }

// MapEntriesOf knows no maps.
func MapEntriesOf(reflect.Type) (e MapEntries, ok bool) { return e, false }

// MapLayoutOf knows no maps.
func MapLayoutOf(reflect.Type) (l MapLayout, ok bool) { return l, false }
