//go:build !linux

package host

import "unsafe"

// adviseHuge does nothing where there is no such advice.
func adviseHuge(unsafe.Pointer, int) {}
