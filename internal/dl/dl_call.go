//go:build darwin || linux || windows

package dl

import "github.com/ebitengine/purego"

// Register sets fn, a pointer to a variable of a function's type, to a function of a library.
func Register(fn any, symbol uintptr) { purego.RegisterFunc(fn, symbol) }

// Callback returns a C function that calls fn. It stays for ever, and a process has 2,000 at most.
func Callback(fn any) uintptr { return purego.NewCallback(fn) }
