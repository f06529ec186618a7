package mathlib

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Device is what a library needs of the GPU that it works on.
type Device interface {
	Platform() driver.Platform
	Arch() string
	TotalMemory() int64 // bytes

	// Call calls f where the device is current. name is that of the call in errors, which are those of the driver: f's code is one of the driver's, too.
	Call(name string, f func() driver.Code) error
	// Begin and End are called around what puts work on the stream. What is to be called is what Begin returns; label names the work in profiles.
	Begin(call, label string, f func() driver.Code) (func() driver.Code, error)
	End(call string) error
	Wait() error // for the stream

	// Recording reports whether a capture records what the calling thread does.
	Recording() bool
	// Stream is the device's own, WorkStream the one where the calling thread's work goes: that of the capture that records it, or Stream.
	Stream() uintptr
	WorkStream() uintptr
	// Keep has the capture under way keep memory that its work uses.
	Keep(m Memory)

	Alloc(n int) (Memory, error)
	Trim() // gives memory that nobody uses back to the driver
}

// Memory is memory of the device. Freed memory may still be used by what is on the stream.
type Memory interface {
	Ptr() uintptr
	Free()
}

// libraryHandle is a device's use of such a library: a handle, made at the first call, and what the library failed to do.
type libraryHandle struct {
	mu      sync.Mutex // held during calls: handles are for one thread at a time
	opened  bool
	library *driver.VendorLibrary
	handle  uintptr
	openErr error            // why there is no handle
	refused map[string]error // work that failed, by kind
}

// open makes the handle at its first call, with start. It reports whether there is one.
func (u *libraryHandle) open(start func() error) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.opened {
		u.opened, u.refused = true, map[string]error{}
		u.openErr = start()
	}
	return u.openErr == nil
}

// Ready reports whether there is a handle already.
func (u *libraryHandle) Ready() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.opened && u.openErr == nil
}

// libraryStep is a call that sets a handle up; a nil one is a call that the library lacks and that is not needed.
type libraryStep struct {
	name string // C's
	call func() driver.Code
}

// setup makes a handle and sets it up. A handle that cannot be set up is destroyed again.
func (u *libraryHandle) setup(d Device, create, destroy libraryStep, steps []libraryStep) error {
	if supports := u.library.Kind.Supports; supports != nil {
		if err := supports(u.library.File, d.Arch()); err != nil {
			return err
		}
	}
	if err := u.call(d, create); err != nil {
		return err
	}
	for _, s := range steps {
		if s.call == nil {
			continue
		}
		if err := u.call(d, s); err != nil {
			_ = u.call(d, destroy) // the first error says what is wrong
			u.handle = 0
			return err
		}
	}
	return nil
}

// call makes a call of the library where the device is current. When memory is short it frees what the pool keeps and tries again.
func (u *libraryHandle) call(d Device, s libraryStep) error {
	var status driver.Code
	attempt := func() error { return d.Call(s.name, func() driver.Code { status = s.call(); return 0 }) }
	err := attempt()
	if err == nil && slices.Contains(u.library.Kind.NoMemory, status) {
		d.Trim()
		err = attempt()
	}
	if err != nil || status == 0 {
		return err
	}
	return u.library.StatusError(s.name, status)
}

// launch makes a call that puts work on the device's stream, as a launch does with a kernel: what measures and what names errors sees it as
// such. label names the work in profiles. An error of the library is refused, that of the driver is not.
func (u *libraryHandle) launch(d Device, s libraryStep, label string) (refused, err error) {
	run, err := d.Begin(s.name, label, s.call)
	if err != nil {
		return nil, err
	}
	if refused := u.call(d, libraryStep{s.name, run}); refused != nil {
		return refused, nil
	}
	return nil, d.End(s.name)
}

// close gives the handle back, with the call destroy.
func (u *libraryHandle) close(d Device, destroy libraryStep) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.handle == 0 {
		return nil
	}
	err := u.call(d, destroy)
	u.handle = 0
	return err
}

// refuse remembers why work of a kind is not for the library; memory may be there the next time.
func (u *libraryHandle) refuse(kind string, err error) {
	if !errors.Is(err, driver.ErrOutOfMemory) {
		u.refused[kind] = err
	}
}

// lackError is the error of a call that a library lacks.
func (u *libraryHandle) lackError(name string) error {
	return &driver.Error{Op: "load " + u.library.File.Path, Text: "lacks " + name, Kind: driver.ErrNoLibrary}
}

// Info says which library does a part of a device's work. See rocm.LibraryInfo.
type Info struct {
	Name, Version, Path string
	Problem             string
	Refused             map[string]string
}

// Info says which library there is. It opens none.
func (u *libraryHandle) Info() Info {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.openErr != nil {
		return Info{Problem: strings.TrimPrefix(u.openErr.Error(), "rocm: ")}
	}
	info := Info{Name: u.library.Kind.Name, Version: u.library.Version, Path: u.library.File.Path, Refused: map[string]string{}}
	for kind, err := range u.refused {
		info.Refused[kind] = strings.TrimPrefix(err.Error(), "rocm: ")
	}
	return info
}
