package rocm

import (
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Unload waits for the device and unloads the module. Its kernels and the memory of its variables cannot be used
// afterwards: that is an error of kind ErrInvalid. So is Unload while a graph has kernels of the module, which would
// replay them. A kernel that was compiled here is loaded again when it is launched. Unload may be called more than
// once.
func (m *Module) Unload() error {
	if n := m.graphs.Load(); n > 0 {
		return invalid("unload "+m.name, "%s of kernels of the module: Free of the graph comes first",
			plural(int(n), "graph"))
	}
	if m.device.drv.ModuleUnload == nil {
		return lacks(m.device, "unload "+m.name, "ModuleUnload")
	}
	if err := m.device.Synchronize(); err != nil {
		return err
	}
	return m.unload()
}

// unload is Unload of a module that no work on the stream uses.
func (m *Module) unload() error {
	if m.unloaded.Swap(true) {
		return nil
	}
	if m.cache != nil {
		m.cache.entries.Delete(m.key)
	}
	d := m.device
	d.pool.mu.Lock()
	if m.globals != nil {
		m.globals.isFreed.Store(true)
	}
	d.pool.mu.Unlock()
	return d.call("ModuleUnload", func() driver.Code { return d.drv.ModuleUnload(m.handle) })
}

// Evict unloads the modules of n functions, in their order, which a package keeps for itself and can load again, after
// it has waited for the device once. It passes over those that graphs use, and returns those that it has unloaded.
// Launches that are deferred stay deferred: they must not have the functions. It does nothing where the driver cannot
// unload, or during a capture.
func Evict(d *Device, functions []*Function, n int) (unloaded []*Function) {
	if len(functions) == 0 || d.drv.ModuleUnload == nil || d.recording() != nil || d.wait() != nil {
		return nil
	}
	for _, f := range functions {
		if len(unloaded) < n && f.module.device == d && f.module.graphs.Load() == 0 && f.module.unload() == nil {
			unloaded = append(unloaded, f)
		}
	}
	return unloaded
}

// Loaded reports whether the function's module is loaded still.
func (f *Function) Loaded() bool { return !f.module.unloaded.Load() }
