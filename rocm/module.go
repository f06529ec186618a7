package rocm

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/internal/compile"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Program is a set of kernels that Load loads on a device.
type Program struct {
	// Name identifies the program on a device: Load gives the same module for the same name.
	Name string
	// Source returns the HIP source, for the device's compiler.
	Source func() (string, error)
	// Object returns a code object that was built for a target beforehand, if there is one: it needs no compiler. It is
	// asked for the device's architecture, with and without the states of sramecc and xnack, and for LLVM's generic
	// targets that the device runs, as gfx11-generic, where the driver loads these.
	Object func(target string) ([]byte, bool)
}

// Module is a loaded code object. It stays loaded until Unload, or as long as the process lives.
type Module struct {
	device    *Device
	name      string
	handle    uintptr
	image     []byte   // the driver may refer to it
	object    []byte   // of a module that Compile or LoadModule made, as the compiler gave it
	functions sync.Map // name to *Function
	kernels   []compile.CompiledKernel
	variables []string // of a module of LoadModule, where the object names them
	globals   *Buffer  // holds the memory of its variables: it is freed with the module
	cache     *moduleCache
	key       string       // in cache
	graphs    atomic.Int32 // captured graphs that have kernels of the module
	unloaded  atomic.Bool
}

// Function is a kernel of a module.
type Function struct {
	module *Module
	name   string
	handle uintptr

	// launch attributes: bytes of shared memory and threads, added to those of each launch
	extraShared, extraThreads int
}

// moduleCache holds a device's modules by name.
type moduleCache struct{ entries sync.Map } // string to *moduleEntry

type moduleEntry struct {
	module atomic.Pointer[Module]
	mu     sync.Mutex // held while the module is created
}

// get returns the module of that name, created at the first call. A failure is not cached: the next call retries.
func (c *moduleCache) get(name string, create func() (*Module, error)) (*Module, error) {
	v, ok := c.entries.Load(name)
	if !ok {
		v, _ = c.entries.LoadOrStore(name, new(moduleEntry))
	}
	e := v.(*moduleEntry)
	if m := e.module.Load(); m != nil {
		return m, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if m := e.module.Load(); m != nil {
		return m, nil
	}
	m, err := create()
	if m != nil {
		m.cache, m.key = c, name
	}
	e.module.Store(m)
	return m, err
}

// Load returns the module of a program, created at the first call for p.Name: from the code object that was built
// beforehand for the device, if there is one and it loads, or else from the source.
func (d *Device) Load(p Program) (*Module, error) {
	return d.programs.get(p.Name, func() (*Module, error) {
		var objectErr error
		if image, ok := shippedObject(d, p); ok {
			m, err := d.load(p.Name, image)
			if err == nil || p.Source == nil || d.Emulated() {
				return m, err
			}
			objectErr = err // a runtime may not know the object's version
		}
		if p.Source == nil {
			return nil, &Error{Op: "load " + p.Name, Text: "no code object for " + d.info.Arch + ", and no source",
				Kind: ErrUnsupported}
		}
		source, err := p.Source()
		if err != nil {
			return nil, fmt.Errorf("rocm: source of %s: %w", p.Name, err)
		}
		image, err := d.compile(p.Name, source)
		if err != nil {
			return nil, errors.Join(objectErr, err)
		}
		return d.load(p.Name, image)
	})
}

// Compile compiles HIP source and loads it; name stands for the file in the compiler's messages. The same source is
// compiled once. The emulated device needs hiprtc or clang on the machine for it, and fails with ErrNoLibrary when
// there is neither.
func (d *Device) Compile(name, source string) (*Module, error) {
	return d.sources.get(name+"\x00"+source, func() (*Module, error) {
		image, err := d.compile(name, source)
		if err != nil {
			return nil, err
		}
		m, err := d.load(name, image)
		if err == nil {
			m.object = image
		}
		return m, err
	})
}

// targetOf is what sources for the device are compiled for.
func targetOf(d *Device) compile.Target {
	return compile.Target{Platform: driver.Platform(d.info.Platform), Arch: d.info.Arch}
}

// compile returns the code object of source for the device, from the cache on disk if it is there.
func (d *Device) compile(name, source string) ([]byte, error) {
	j, err := compile.NewJob(targetOf(d), source)
	if err != nil {
		return nil, public(err)
	}
	if image, ok := j.Cached(); ok {
		return image, nil
	}
	d.activity.compiling.Store(&name)
	image, err := j.Run(name)
	d.activity.compiling.CompareAndSwap(&name, nil) // another goroutine may compile by now
	return image, public(err)
}

// String names the module.
func (m *Module) String() string { return fmt.Sprintf("module %s on %v", m.name, m.device) }

// load hands a code object to the driver.
func (d *Device) load(name string, image []byte) (*Module, error) {
	m := &Module{device: d, name: name}
	err := d.call("ModuleLoad", func() driver.Code {
		if d.drv.LoadObject != nil {
			return d.drv.LoadObject(&m.handle, image)
		}
		// PTX is text, which ends with a NUL. For other code a byte more does no harm.
		m.image = append(image[:len(image):len(image)], 0)
		return d.drv.ModuleLoad(&m.handle, unsafe.Pointer(&m.image[0]))
	})
	if err != nil {
		var e *Error
		if errors.As(err, &e) && e.Detail == "" {
			e.Detail = fmt.Sprintf("loading %s on %v, a %s", name, d, d.info.Arch)
		}
		return nil, err
	}
	return m, nil
}

// Function returns the kernel of that name.
func (m *Module) Function(name string) (*Function, error) {
	if err := m.check("function " + name); err != nil {
		return nil, err
	}
	if f, ok := m.functions.Load(name); ok {
		return f.(*Function), nil
	}
	f := &Function{module: m, name: name}
	err := m.device.call("ModuleFunction",
		func() driver.Code { return m.device.drv.ModuleFunction(&f.handle, m.handle, driver.CString(name)) })
	if err != nil {
		var e *Error
		if m.device.drv.Explain == nil && errors.As(err, &e) && e.Kind == ErrNoKernel {
			e.Detail = fmt.Sprintf("%s has no kernel %s (declare it extern \"C\" __global__)", m.name, name)
		}
		return nil, err
	}
	if err := m.launchAttributes(f); err != nil {
		return nil, err
	}
	actual, _ := m.functions.LoadOrStore(name, f)
	return actual.(*Function), nil
}

// String returns the kernel's name.
func (f *Function) String() string { return f.name }
