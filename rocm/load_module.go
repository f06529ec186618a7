package rocm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/rocm/internal/compile"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// LoadModule loads the kernels of a file that was compiled elsewhere, on a device: the one given, or else the one that
// is open (rocm:0 if none is). For AMD GPUs and the emulated one the file is a code object (.hsaco, .co), a bundle of
// them as clang-offload-bundler and hipcc write it (compressed or not), or a program or object file of hipcc with one
// bundle; of a bundle it takes the code object that fits the device best. For NVIDIA GPUs it is a cubin or PTX.
//
// The error has the kind ErrUnsupported where the file has no code for the device: it lists the targets that there are.
// The file is read once.
//
//	m, err := rocm.LoadModule("saxpy.hsaco")
//	k, err := m.Kernel("saxpy")
//	err = k.Launch(1000, float32(2), x, y, uint32(1000))
func LoadModule(file string, on ...*Device) (*Module, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, &Error{Op: "load module", Text: err.Error(), Kind: ErrInvalid}
	}
	return LoadModuleData(filepath.Base(file), data, on...)
}

// LoadModuleData is LoadModule of the bytes of a file. name is what errors call it.
func LoadModuleData(name string, data []byte, on ...*Device) (*Module, error) {
	d, err := deviceFor("load module", on)
	if err != nil {
		return nil, err
	}
	if d.info.Platform == CUDA {
		return loadForeign(d, name, data, nil, nil)
	}
	object, err := compile.PickObject(data, d.info.Arch)
	if err != nil {
		return nil, moduleError(d, name, err)
	}
	kernels, variables, err := compile.DescribeObject(object)
	if err != nil {
		return nil, moduleError(d, name, err)
	}
	return loadForeign(d, name, object, kernels, variables)
}

// deviceFor returns the device that an argument names, or the default of kernels.
func deviceFor(op string, on []*Device) (*Device, error) {
	switch {
	case len(on) > 1:
		return nil, invalid(op, "%d devices: want one, or none for the device that is open", len(on))
	case len(on) == 1 && on[0] != nil:
		return on[0], nil
	}
	return new(Kernel).device(nil)
}

// loadForeign loads a code object that was described already.
func loadForeign(d *Device, name string, object []byte, kernels []compile.CompiledKernel,
	variables []string) (*Module, error) {
	m, err := d.load(name, object)
	if err != nil {
		return nil, err
	}
	m.object, m.kernels, m.variables = slices.Clone(object), kernels, variables
	return m, nil
}

// moduleError completes an error about a file.
func moduleError(d *Device, name string, err error) error {
	var e *driver.Error
	if !errors.As(err, &e) {
		return err
	}
	e.Op = fmt.Sprintf("load module %s on %v", name, d)
	return public(e)
}

// check fails for a module that was unloaded.
func (m *Module) check(op string) error {
	if m.unloaded.Load() {
		return invalid(op, "%v was unloaded", m)
	}
	return nil
}

// Kernels lists the kernels of a module of LoadModule, as Kernel takes them: in C++ as saxpy<float>(float, …) without
// the parameters. It is nil for a module of an NVIDIA GPU, whose driver does not list them.
func (m *Module) Kernels() []string {
	var names []string
	for _, k := range m.kernels {
		names = append(names, k.Name)
	}
	return names
}

// Variables lists the __device__ and __constant__ variables of a module of LoadModule, as Global takes them. It is nil
// for a module of an NVIDIA GPU.
func (m *Module) Variables() []string { return slices.Clone(m.variables) }

// Kernel returns a kernel of the module, to be launched like one that was compiled here. name is the symbol
// (_Z5saxpyIfEvfPKT_PS0_j), or what C++ calls it: saxpy<float>, or saxpy if no other kernel has that name.
//
// The number of arguments, their sizes, and which of them are pointers come from the module; their types from the
// symbol, if it is one of C++. Where they are not known, a pointer takes tensors of any type, and another argument
// takes a value whose Go type has exactly that size: float32(2), not 2, a struct or an array. Of an NVIDIA GPU name is
// the symbol, and the driver must tell the sizes, which it does from CUDA 12.4 on.
//
// The error has the kind ErrNoKernel where there is no such kernel, and lists those that there are; it has the kind
// ErrUnsupported for a kernel with textures.
func (m *Module) Kernel(name string) (*Kernel, error) {
	op := "kernel " + name
	if err := m.check(op); err != nil {
		return nil, err
	}
	found, err := m.findKernel(name)
	if err != nil {
		return nil, err
	}
	if found.Problem != "" {
		return nil, &Error{Op: op, Kind: ErrUnsupported, Text: found.Problem}
	}
	k := &Kernel{name: found.Name, symbol: found.Symbol, file: m.name, module: m, params: paramsOf(found.Params)}
	f, err := k.functionOn(m.device)
	if err != nil {
		return nil, err
	}
	if m.device.info.Platform == CUDA {
		if k.params, err = cudaParamTypes(f, k.params); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// findKernel finds a kernel by its symbol or its name.
func (m *Module) findKernel(name string) (compile.CompiledKernel, error) {
	if m.device.info.Platform == CUDA {
		return compile.NamedKernel(name), nil
	}
	spaces := strings.NewReplacer(" ", "")
	var byName []compile.CompiledKernel
	for _, k := range m.kernels {
		if k.Symbol == name {
			return k, nil
		}
		if spaces.Replace(k.Name) == spaces.Replace(name) || k.Base() == name {
			byName = append(byName, k)
		}
	}
	if len(byName) == 1 {
		return byName[0], nil
	}
	e := &Error{Op: "kernel " + name, Kind: ErrNoKernel, Text: fmt.Sprintf("%v has no such kernel", m)}
	list := m.kernels
	if len(byName) > 1 {
		list, e.Text = byName, fmt.Sprintf("%v has %d kernels of this name", m, len(byName))
	}
	const most = 20
	var lines []string
	for i, k := range list {
		if i == most {
			lines = append(lines, fmt.Sprintf("and %d more: Kernels of the module lists all", len(list)-most))
			break
		}
		line := k.Symbol
		if k.Name != k.Symbol {
			line += " is " + k.Name
		}
		lines = append(lines, line)
	}
	e.Detail = strings.Join(lines, "\n")
	return compile.CompiledKernel{}, e
}

// cudaParamTypes completes the types of a symbol with the sizes that the CUDA driver tells.
func cudaParamTypes(f *Function, typed []Param) ([]Param, error) {
	sizes, _, ok := cudaParams(f)
	if !ok {
		return nil, &Error{Op: "kernel " + f.name, Kind: ErrUnsupported,
			Text: "the CUDA driver does not tell its parameters: update it to one of CUDA 12.4 or newer"}
	}
	params := make([]Param, len(sizes))
	for i, size := range sizes {
		params[i] = Param(compile.UnknownParam(size))
		if p := typedAt(typed, i, len(sizes)); p != nil && p.HasSize(size) {
			params[i] = Param(p.Sized(size))
		}
	}
	return params, nil
}

// typedAt is the type of parameter i of count, or nil where the symbol has not as many.
func typedAt(typed []Param, i, count int) *compile.Param {
	if len(typed) != count {
		return nil
	}
	p := compile.Param(typed[i])
	return &p
}

// Global returns the memory of a __device__ or __constant__ variable of the module: Upload, Download and kernels work
// on it. It is valid until Unload; Free does nothing to the variable. The error has the kind ErrNoKernel where there is
// no such variable, and lists those that there are.
func (m *Module) Global(name string) (*Buffer, error) {
	op := "global " + name
	if err := m.check(op); err != nil {
		return nil, err
	}
	d := m.device
	if d.drv.ModuleGlobal == nil {
		return nil, lacks(d, op, "ModuleGlobal")
	}
	var p, n uintptr
	err := d.call("ModuleGlobal", func() driver.Code {
		return d.drv.ModuleGlobal(&p, &n, m.handle, driver.CString(name))
	})
	var e *Error
	if errors.As(err, &e) && e.Kind == ErrNoKernel {
		e.Text, e.Detail = fmt.Sprintf("%v has no variable %s", m, name), ""
		if m.variables != nil {
			e.Detail = "it has " + strings.Join(m.variables, ", ")
		}
	}
	if err != nil {
		return nil, err
	}
	d.pool.mu.Lock()
	if m.globals == nil {
		m.globals = &Buffer{device: d, block: new(block)}
	}
	d.pool.mu.Unlock()
	return &Buffer{device: d, n: int(n), block: &block{ptr: p}, holder: m.globals}, nil
}
