package rocm

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// mathKind is what differs between two libraries of one purpose, AMD's and NVIDIA's.
type mathKind struct {
	name     string
	platform Platform
	purpose  string
	statuses map[code]string
	noMemory code
	find     func() (*library, error)              // the file, once
	arch     func(lib *library, arch string) error // of a GPU that the library has no code for; nil if it says so itself
}

// use is a device's use of such a library: a handle, made at the first call, and what the library failed to do.
type use struct {
	mu      sync.Mutex // held during calls: handles are for one thread at a time
	opened  bool
	kind    *mathKind
	lib     *library
	version string
	handle  uintptr
	problem error            // why there is no handle
	refused map[string]error // work that failed, by kind
}

// open makes the handle at its first call, with start. It reports whether there is one.
func (u *use) open(start func() error) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.opened {
		u.opened, u.refused = true, map[string]error{}
		u.problem = start()
	}
	return u.problem == nil
}

// step is a call that sets a handle up; a nil one is a call that the library lacks and that is not needed.
type step struct {
	name string // C's
	call func() code
}

// setup makes a handle and sets it up. A handle that cannot be set up is destroyed again.
func (u *use) setup(d *Device, create, destroy step, steps []step) error {
	if u.kind.arch != nil {
		if err := u.kind.arch(u.lib, d.info.Arch); err != nil {
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
func (u *use) call(d *Device, s step) error {
	var status code
	attempt := func() error { return d.do(s.name, func() code { status = s.call(); return 0 }) }
	err := attempt()
	if err == nil && status == u.kind.noMemory {
		d.pool.trim()
		err = attempt()
	}
	if err != nil || status == 0 {
		return err
	}
	name := u.kind.statuses[status]
	if name == "" {
		name = "status"
	}
	e := &Error{Op: s.name, Code: int(status), Name: name, Kind: ErrUnsupported, Detail: u.label()}
	if status == u.kind.noMemory {
		e.Kind = ErrOutOfMemory
	}
	return e
}

func (u *use) label() string {
	return fmt.Sprintf("%s %s, %s", u.kind.name, u.version, u.lib.path)
}

// launch makes a call that puts work on the device's stream, as Launch does with a kernel: what measures and what names errors sees it as
// such. label names the work in profiles. An error of the library is refused, that of the driver is not.
func (u *use) launch(d *Device, s step, label string) (refused, err error) {
	d.last.Store(&Function{name: s.name})
	run := s.call
	if p := d.profiler.Load(); p != nil {
		run = func() (status code) {
			started := false
			_ = d.timed(p, timedLaunch{kernel: label}, func() code { started, status = true, s.call(); return status })
			if !started { // no event could be made
				status = s.call()
			}
			return status
		}
	}
	if d.timer.armed.Load() {
		if err := d.do("eventRecord", d.measured(func() code { return 0 })); err != nil {
			return nil, err
		}
	}
	if refused := u.call(d, step{s.name, run}); refused != nil {
		return refused, nil
	}
	return nil, d.synchronous(s.name)
}

// refuse remembers why work of a kind is not for the library; memory may be there the next time.
func (u *use) refuse(kind string, err error) {
	if !errors.Is(err, ErrOutOfMemory) {
		u.refused[kind] = err
	}
}

// refuses reports whether work of a kind has failed before.
func (u *use) refuses(kind string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.refused[kind] != nil
}

// lackError is the error of a call that a library lacks.
func (u *use) lackError(name string) error {
	return &Error{Op: "load " + u.lib.path, Text: "lacks " + name, Kind: ErrNoLibrary}
}

// LibraryInfo says which library does a part of a device's work.
type LibraryInfo struct {
	Name, Version, Path string            // empty where gorocm's own kernels do everything
	Problem             string            // why there is no library
	Refused             map[string]string // work that own kernels do since the library failed: "bf16 in batches" to its words
}

func (u *use) info() LibraryInfo {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.problem != nil {
		return LibraryInfo{Problem: strings.TrimPrefix(u.problem.Error(), "rocm: ")}
	}
	info := LibraryInfo{Name: u.kind.name, Version: u.version, Path: u.lib.path, Refused: map[string]string{}}
	for kind, err := range u.refused {
		info.Refused[kind] = strings.TrimPrefix(err.Error(), "rocm: ")
	}
	return info
}
