//go:build !darwin && !linux && !windows

package dl

import (
	"errors"
	"runtime"
)

var errNone = errors.New("libraries cannot be loaded on " + runtime.GOOS)

// Open fails.
func Open(string) (handle uintptr, err error) { return 0, errNone }

// OpenGlobal fails.
func OpenGlobal(string) (handle uintptr, err error) { return 0, errNone }

// Symbol fails.
func Symbol(uintptr, string) (address uintptr, err error) { return 0, errNone }

// Close fails.
func Close(uintptr) error { return errNone }

// Register panics: there is no library that it could be called for.
func Register(any, uintptr) { panic(errNone) }

// Callback panics: there is no library that could call it.
func Callback(any) uintptr { panic(errNone) }
