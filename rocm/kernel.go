package rocm

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/compile"
)

// Kernel is a kernel whose source was given to Compile. It is compiled once for each architecture that it is launched
// on, and checks the arguments of a launch against the parameters in its source.
type Kernel struct {
	name     string
	file     string // what stands for the file in messages
	original string // the source
	source   string // with kernels declared extern "C"
	params   []Param
	line     int      // of its declaration
	body     string   // empty where it has no statements
	module   *Module  // that has the kernel, of one that was not compiled here
	symbol   string   // its name in the code object
	loaded   sync.Map // *Device to *Function
	limits   sync.Map // *Device to launchLimits
}

// Compile compiles HIP source and returns the kernel of that name in it. Kernels are what the source declares
// __global__; extern "C" is not needed. It is compiled at once for the devices that are open and have a compiler, or
// for rocm:0 when none is open, so that mistakes show here. The error, an *Error with the kind ErrCompile, has the
// compiler's Messages. Source for an emulated device needs clang or hiprtc on this machine; without them the kind is
// ErrNoLibrary.
//
// A kernel whose source has statements and whose compiled code has none (their names are not defined, say, in #ifdef)
// compiles, with a warning on standard error.
//
// A name with arguments, as in saxpy<float, 4>, is an instance of a kernel template; the kernel's Name is then
// saxpy_float_4. The source can declare instances itself: template __global__ void saxpy<float, 4>(float, float *);
//
//	k, err := rocm.Compile("saxpy", `
//	__global__ void saxpy(float a, const float *x, float *y, unsigned n) {
//	  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
//	  if (i < n) y[i] += a * x[i];
//	}`)
//	err = k.Launch(1000, 2.0, x, y, 1000) // x and y are tensors of float32
func Compile(name, source string) (*Kernel, error) {
	in, ok := compile.ParseInstance(name)
	if !ok {
		return compileOne(name, name, source)
	}
	return compileOne(in.String(), in.Symbol(), source, in)
}

// compileOne compiles source with instances of its templates, and returns the kernel that has the symbol.
func compileOne(name, symbol, source string, instances ...compile.Instance) (*Kernel, error) {
	list, err := compileKernels(name, source, instances...)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, k := range list {
		if k.name == symbol {
			return k, nil
		}
		names = append(names, k.name)
	}
	return nil, &Error{Op: "compile " + name, Kind: ErrNoKernel,
		Text: fmt.Sprintf("the source has no kernel %s: it has %s", name, strings.Join(names, ", "))}
}

// CompileAll compiles HIP source and returns all of its kernels in their order. file is what messages call the source.
// See Compile.
func CompileAll(file, source string) ([]*Kernel, error) { return compileKernels(file, source) }

func compileKernels(file, source string, instances ...compile.Instance) ([]*Kernel, error) {
	explicit, plain := compile.Instances(source)
	whole, err := compile.WithInstances(plain, append(explicit, instances...))
	if err != nil {
		return nil, &Error{Op: "compile " + file, Kind: ErrNoKernel, Text: err.Error()}
	}
	found := compile.Declarations(whole)
	if len(found) == 0 {
		return nil, &Error{Op: "compile " + file, Kind: ErrNoKernel,
			Text: "the source has no kernel: a kernel is declared as in __global__ void name(float *x)"}
	}
	if err := refuseTextures(file, source, found, true); err != nil {
		return nil, err
	}
	unit := compile.WithCLinkage(whole, found)
	var list []*Kernel
	for _, d := range found {
		if !d.Template {
			k := &Kernel{name: d.Name, symbol: d.Name, file: file, original: source, source: unit,
				params: paramsOf(d.Params),
				line:   compile.LineAt(whole, d.At)}
			if !d.Empty {
				k.body = d.Body
			}
			list = append(list, k)
		}
	}
	if len(list) == 0 {
		return nil, &Error{Op: "compile " + file, Kind: ErrNoKernel,
			Text: fmt.Sprintf("the source has kernel templates only: rocm.Compile(%q, source) compiles an instance; so "+
				"does a declaration template __global__ void %[2]s<float>(…); in the source", found[0].Name+"<float>",
				found[0].Name)}
	}
	devices := openDevices()
	if len(devices) == 0 {
		d, err := Open("rocm")
		if err != nil {
			return nil, err
		}
		devices = append(devices, d)
	}
	built, missing := false, error(nil)
	for _, d := range devices {
		for _, k := range list {
			_, err := k.functionOn(d)
			if errors.Is(err, ErrNoLibrary) { // no compiler for this device: another one may have one
				missing = err
				break
			}
			if err != nil {
				var e *Error
				if errors.As(err, &e) && e.Kind == ErrCompile {
					e.Source = source
					err = cmp.Or(refuseTextures(file, source, found, false), explainHost(file, source, found),
						explainOverloads(file, source, found), err)
				}
				return nil, err
			}
			built = true
		}
	}
	if !built {
		return nil, missing
	}
	warnHost(file, source)
	return list, nil
}

// openDevices lists the devices that are open.
func openDevices() (list []*Device) {
	registry.Lock()
	defer registry.Unlock()
	for _, d := range registry.devices {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b *Device) int { return strings.Compare(a.String(), b.String()) })
	return list
}

// functionOn returns the kernel on a device, compiled on the first call.
func (k *Kernel) functionOn(d *Device) (*Function, error) {
	if f, ok := k.loaded.Load(d); ok && !f.(*Function).module.unloaded.Load() {
		return f.(*Function), nil
	}
	m, err := k.moduleOn(d)
	if err != nil {
		return nil, err
	}
	f, err := m.Function(k.symbol)
	if err != nil {
		return nil, err
	}
	k.warnIfEmpty(d, f)
	k.loaded.Store(d, f)
	return f, nil
}

// moduleOn returns the module that has the kernel on a device.
func (k *Kernel) moduleOn(d *Device) (*Module, error) {
	if k.module == nil {
		return d.Compile(k.file, k.source)
	}
	if k.module.device != d {
		return nil, invalid("launch "+k.name, "its module was loaded on %v, not on %v: rocm.LoadModule(file, device) "+
			"loads it there", k.module.device, d)
	}
	return k.module, nil
}

// CodeObject returns what the kernel was compiled to for a device, together with the other kernels of its source: an
// ELF file for AMD GPUs and the emulated one, a cubin or PTX for NVIDIA GPUs. LoadModuleData loads it, and so does
// hipModuleLoadData in other programs. Device nil is the one that Device returns.
func (k *Kernel) CodeObject(d *Device) ([]byte, error) {
	d, err := k.deviceOr(d)
	if err != nil {
		return nil, err
	}
	f, err := k.functionOn(d)
	if err != nil {
		return nil, err
	}
	return slices.Clone(f.module.object), nil
}

// Name returns the kernel's name.
func (k *Kernel) Name() string { return k.name }

// Params returns the kernel's parameters in their order.
func (k *Kernel) Params() []Param { return slices.Clone(k.params) }

// String returns the kernel as C declares it: saxpy(float a, const float *x, float *y, unsigned n).
func (k *Kernel) String() string {
	var list []string
	for _, p := range k.params {
		list = append(list, p.String())
	}
	return k.name + "(" + strings.Join(list, ", ") + ")"
}

// maxBlock is how many threads a block of Launch has at most.
const maxBlock = 256

// Launch runs the kernel with one thread for each of n elements, in blocks in x. For n up to 256 there is one block of
// n threads. Otherwise blocks have 256 threads, and the last one may have threads beyond n, so that a kernel should
// compare its index with n. A kernel whose __launch_bounds__ or registers allow fewer threads gets smaller blocks. An
// argument for a pointer is a tensor on the device, contiguous and of the pointer's element type, or a *Buffer; an
// argument for a number is any Go number that the parameter's type can hold; one for a struct is a Go struct or a
// pointer to one, with fields of the same sizes. What does not fit is an error of kind ErrInvalid that names the
// parameter. It does not wait; see Device.Launch.
func (k *Kernel) Launch(n int, args ...any) error {
	if n < 0 {
		return invalid("launch "+k.name, "%d elements", n)
	}
	block := min(maxBlock, max(n, 1))
	if d, err := k.device(args); err == nil {
		if most := k.limitsOn(d).threads; most > 0 {
			block = min(block, most)
		}
	}
	return k.launch([3]int{(n + block - 1) / block, 1, 1}, [3]int{block, 1, 1}, 0, args)
}

// LaunchGrid runs the kernel with grid blocks of block threads each, in x, y and z, and shared bytes of dynamic shared
// memory for each block. Arguments are as for Launch. A grid without blocks is an error of kind ErrInvalid, as in HIP.
func (k *Kernel) LaunchGrid(grid, block [3]int, shared int, args ...any) error {
	if err := k.someBlocks(grid); err != nil {
		return err
	}
	return k.launch(grid, block, shared, args)
}

// someBlocks refuses a grid without blocks, which n / block makes of n elements that fill none.
func (k *Kernel) someBlocks(grid [3]int) error {
	if slices.Contains(grid[:], 0) {
		return invalid("launch "+k.name, "grid %v has no blocks: (n + block - 1) / block blocks have a thread for each of "+
			"n elements, and Launch takes n itself, also 0", grid)
	}
	return nil
}

func (k *Kernel) launch(grid, block [3]int, shared int, args []any) error {
	packed, _, d, err := k.pack(args)
	if err != nil {
		return err
	}
	f, err := k.functionOn(d)
	if err != nil {
		return err
	}
	err = d.Launch(f, grid, block, shared, packed)
	var e *Error
	if errors.As(err, &e) && e.Kind == ErrInvalid && e.Detail == "" {
		e.Detail = k.String()
	}
	if e != nil && e.Kind == ErrFault {
		k.place(e)
	}
	return err
}

// place says where in the source of the kernel an error is. The code may have been compiled under the name of another
// kernel of the source, and has lines of its own after the source, which launch instances of templates.
func (k *Kernel) place(e *Error) {
	at := strings.LastIndexByte(e.sourceLine, ':')
	if at < 0 {
		return
	}
	line, where := number(e.sourceLine[at+1:]), k.file+e.sourceLine[at:]
	if line > strings.Count(k.original, "\n")+1 {
		line, where = 0, k.file
	}
	e.Source, e.Line, e.Text = k.original, line, strings.Replace(e.Text, e.sourceLine, where, 1)
}
