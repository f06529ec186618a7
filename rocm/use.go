package rocm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// mathKind is what differs between two libraries of one purpose, AMD's and NVIDIA's.
type mathKind struct {
	name     string
	platform driver.Platform
	purpose  string
	statuses map[driver.Code]string
	noMemory []driver.Code
	find     func() (*driver.Library, error)              // the file, once
	arch     func(lib *driver.Library, arch string) error // of a GPU that the library has no code for; nil if it says so itself
}

// mathLibrary is such a library, loaded.
type mathLibrary struct {
	kind    *mathKind
	file    *driver.Library
	version string
	lacks   string // calls that it has not, with what cannot be done then
}

// use is a device's use of such a library: a handle, made at the first call, and what the library failed to do.
type use struct {
	mu      sync.Mutex // held during calls: handles are for one thread at a time
	opened  bool
	from    *mathLibrary
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

// ready reports whether there is a handle already.
func (u *use) ready() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.opened && u.problem == nil
}

// step is a call that sets a handle up; a nil one is a call that the library lacks and that is not needed.
type step struct {
	name string // C's
	call func() driver.Code
}

// setup makes a handle and sets it up. A handle that cannot be set up is destroyed again.
func (u *use) setup(d *Device, create, destroy step, steps []step) error {
	if arch := u.from.kind.arch; arch != nil {
		if err := arch(u.from.file, d.info.Arch); err != nil {
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
	var status driver.Code
	attempt := func() error { return d.do(s.name, func() driver.Code { status = s.call(); return 0 }) }
	err := attempt()
	if err == nil && slices.Contains(u.from.kind.noMemory, status) {
		d.pool.trim()
		err = attempt()
	}
	if err != nil || status == 0 {
		return err
	}
	return u.from.statusError(s.name, status)
}

// statusError is the error of a call that returned a status.
func (l *mathLibrary) statusError(call string, status driver.Code) error {
	name := l.kind.statuses[status]
	if name == "" {
		name = l.kind.statuses[status/1000*1000] // cuDNN 9 has kinds by the thousand, and details in the rest
	}
	if name == "" {
		name = "status"
	}
	e := &driver.Error{Op: call, Code: int(status), Name: name, Kind: ErrUnsupported, Detail: l.label()}
	if slices.Contains(l.kind.noMemory, status) {
		e.Kind = ErrOutOfMemory
	}
	return e
}

func (l *mathLibrary) label() string {
	return fmt.Sprintf("%s %s, %s", l.kind.name, l.version, l.file.Path)
}

// launch makes a call that puts work on the device's stream, as Launch does with a kernel: what measures and what names errors sees it as
// such. label names the work in profiles. An error of the library is refused, that of the driver is not.
func (u *use) launch(d *Device, s step, label string) (refused, err error) {
	d.last.Store(&Function{name: s.name})
	run := s.call
	capturing := d.recording() != nil // events would be recorded, too
	if p := d.profiler.Load(); p != nil && !capturing {
		run = func() (status driver.Code) {
			started := false
			_ = d.timed(p, timedLaunch{kernel: label}, func() driver.Code { started, status = true, s.call(); return status })
			if !started { // no event could be made
				status = s.call()
			}
			return status
		}
	}
	if d.timer.armed.Load() && !capturing {
		if err := d.do("EventRecord", d.measured(func() driver.Code { return 0 })); err != nil {
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

// lackError is the error of a call that a library lacks.
func (u *use) lackError(name string) error {
	return &driver.Error{Op: "load " + u.from.file.Path, Text: "lacks " + name, Kind: ErrNoLibrary}
}

// LibraryInfo says which library does a part of a device's work.
type LibraryInfo struct {
	Name, Version, Path string            // empty where gorocm's own kernels do everything
	Problem             string            // why there is no library
	Refused             map[string]string // work that the library failed in and does no more: "bf16 in batches" to its words
}

func (u *use) info() LibraryInfo {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.problem != nil {
		return LibraryInfo{Problem: strings.TrimPrefix(u.problem.Error(), "rocm: ")}
	}
	info := LibraryInfo{Name: u.from.kind.name, Version: u.from.version, Path: u.from.file.Path, Refused: map[string]string{}}
	for kind, err := range u.refused {
		info.Refused[kind] = strings.TrimPrefix(err.Error(), "rocm: ")
	}
	return info
}

// lacking names the calls of a table that a library has not.
func lacking[Table any](platform driver.Platform, calls map[string]driver.Call) string {
	var list []string
	for field, call := range calls {
		if call == nil {
			list = append(list, driver.CName[Table](field, platform.Column()))
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
