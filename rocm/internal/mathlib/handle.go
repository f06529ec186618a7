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

	// Call calls f on a thread where the device is current. A code that is not 0 becomes an error of the driver, which
	// names the call.
	Call(name string, f func() driver.Code) error
	// Begin and End are called before and after a call that puts work on the stream. Begin returns what is to be called
	// in place of f: it may measure. label names the work in profiles.
	Begin(call, label string, f func() driver.Code) (func() driver.Code, error)
	End(call string) error
	Wait() error // for the stream

	// Recording reports whether a capture records what the calling thread does.
	Recording() bool
	// Stream is the device's own, WorkStream the one where the calling thread's work goes: that of the capture that
	// records it, or Stream.
	Stream() uintptr
	WorkStream() uintptr
	// Keep adds memory to the capture under way, whose graph uses it at each replay.
	Keep(m Memory)

	Alloc(n int) (Memory, error)
	// Scratch is memory that is freed as soon as the work that uses it is on the stream, which a capture may record.
	Scratch(n int) (Memory, error)
	Trim() // returns unused memory to the driver
}

// Memory is memory of the device. Freed memory may still be used by what is on the stream.
type Memory interface {
	Ptr() uintptr
	Free()
}

// libraryHandle is the handle of a library for one device, created at the first call, and the kinds of work that the
// library has failed in.
type libraryHandle struct {
	mu      sync.Mutex // held during calls: handles are for one thread at a time
	opened  bool
	library *driver.VendorLibrary
	handle  uintptr
	openErr error            // why there is no handle
	refused map[string]error // work that failed, by kind
}

// open creates the handle at its first call, with start. It reports whether there is one.
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

// libraryStep is one call of a library. In setup, a nil call is one that the library lacks and that is not needed.
type libraryStep struct {
	name string // C's
	call func() driver.Code
}

// setup creates a handle and configures it. A handle that cannot be configured is destroyed.
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

// call calls the library where the device is current. When memory is short it frees the pool's unused memory and
// retries once.
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

// launch makes a call that puts work on the device's stream. Profiles, timers and errors treat it as the launch of a
// kernel called label. An error of the library is returned as refused, one of the driver as err.
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

// close destroys the handle.
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

// refuse records why the library is not used for a kind of work. Lack of memory is not recorded: the next try may find
// some.
func (u *libraryHandle) refuse(kind string, err error) {
	if !errors.Is(err, driver.ErrOutOfMemory) {
		u.refused[kind] = err
	}
}

// lackError says that a library lacks a call.
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
	info := Info{Name: u.library.Kind.Name, Version: u.library.Version, Path: u.library.File.Path,
		Refused: map[string]string{}}
	for kind, err := range u.refused {
		info.Refused[kind] = strings.TrimPrefix(err.Error(), "rocm: ")
	}
	return info
}
