package gpu

import (
	"fmt"
	"sync"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Backend computes on a GPU, or on the emulated one, with the kernels of package kernels.
type Backend struct {
	dev       *rocm.Device
	functions sync.Map // kernel name to *rocm.Function
	checks    indexChecks
	fusion    fusion
	elements  elementFunctions
	DNN       DNNLibrary          // the device, but in tests
	OnLaunch  func(kernel string) // if set, is told of every kernel and copy: for tests of what an operation costs
}

func (a *Backend) Device() *rocm.Device { return a.dev }

func (a *Backend) FusionError() error { return a.fusion.failed() }

func (a *Backend) ReadsStrides() bool { return true }

// NewStream opens the GPU once more, for operations in an order of their own.
func (a *Backend) NewStream() (backend.Backend, error) {
	d, err := a.dev.NewStream()
	if err != nil {
		return nil, err
	}
	return New(d), nil
}

// Open opens a GPU, or the emulated one.
func Open(location string) (backend.Backend, error) {
	d, err := rocm.Open(location)
	if err != nil {
		return nil, err
	}
	return New(d), nil
}

func (a *Backend) Alloc(bytes int) (backend.Storage, error) {
	s := &Storage{on: a, bytes: bytes}
	if err := a.allocIn(&s.own, bytes); err != nil {
		return nil, err
	}
	s.buffer = &s.own
	s.stored()
	return s, nil
}

// allocIn allocates. When memory is short, results that are put off may hold some that they do not need once they are computed.
func (a *Backend) allocIn(b *rocm.Buffer, bytes int) error {
	err := a.dev.AllocIn(b, bytes)
	if backend.IsOutOfMemory(err) && a.fusion.relievePressure(a) {
		err = a.dev.AllocIn(b, bytes)
	}
	return err
}

func (a *Backend) Upload(src []byte) (backend.Storage, error) {
	s, err := a.Alloc(len(src))
	if err != nil {
		return nil, err
	}
	return s, buffer(s).Upload(0, src)
}

func (a *Backend) Pin(memory []byte) (backend.Pages, error) {
	p, err := a.dev.Pin(memory)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (a *Backend) PinScope() string { return string(a.dev.Info().Platform) }

func (a *Backend) UploadPinned(src []byte, from backend.Pages) (backend.Storage, error) {
	s, err := a.Alloc(len(src))
	if err != nil {
		return nil, err
	}
	return s, buffer(s).UploadPinned(0, src, from.(*rocm.Pinned))
}

func (a *Backend) Download(dst []byte, s backend.Storage, byteOffset int) error {
	if err := a.CheckIndices(); err != nil {
		return err
	}
	return buffer(s).Download(dst, byteOffset)
}

// Receive copies a dense operand from another device, directly where there is a way between them.
func (a *Backend) Receive(o backend.Operand) (backend.Storage, error) {
	n := o.Layout.ElemCount() * o.DType.Size()
	s, err := a.Alloc(n)
	if err != nil {
		return nil, err
	}
	return s, buffer(s).CopyFrom(0, buffer(o.Store), o.Layout.Offset*o.DType.Size(), n)
}

func (a *Backend) Synchronize() error {
	if err := a.CheckIndices(); err != nil {
		return err
	}
	return a.dev.Synchronize()
}

// block is the number of threads that every kernel is launched with; maxBlocks keeps grids small enough that a thread has
// several elements to do when there are many.
const (
	block     = 256
	maxBlocks = 1 << 14
)

// blocks is the grid for n independent elements, four to a thread.
func blocks(n int) [3]int { return [3]int{min((n+4*block-1)/(4*block), maxBlocks), 1, 1} }

// rowBlocks is the grid for a reduction, whose blocks share themselves out among short rows.
func rowBlocks(rows, cols int) [3]int {
	group := 1
	for group < block && group < cols {
		group *= 2
	}
	perBlock := block / group
	return [3]int{min((rows+perBlock-1)/perBlock, maxBlocks), 1, 1}
}

// Launch runs one kernel. The arguments cannot be used again: they are recycled.
func (a *Backend) Launch(kernel string, grid [3]int, args *rocm.Args) error {
	f, err := a.function(kernel)
	if err != nil {
		return err
	}
	return a.launchFunction(f, grid, args)
}

func (a *Backend) launchFunction(f *rocm.Function, grid [3]int, args *rocm.Args) error {
	if a.OnLaunch != nil {
		a.OnLaunch(f.String())
	}
	defer args.Recycle()
	return a.dev.Launch(f, grid, [3]int{block, 1, 1}, 0, args)
}

// function returns a kernel. On the first call its family is loaded, or the kernel compiled.
func (a *Backend) function(kernel string) (*rocm.Function, error) {
	if f, ok := a.functions.Load(kernel); ok {
		return f.(*rocm.Function), nil
	}
	family, ok := kernels.FamilyOf(kernel)
	if !ok {
		return nil, fmt.Errorf("there is no kernel %s", kernel)
	}
	program := rocm.Program{
		Name:   family,
		Source: func() (string, error) { return kernels.Source(family) },
		Object: func(arch string) ([]byte, bool) { return kernels.Object(family, arch) },
	}
	if !a.dev.Emulated() && !kernels.HasObjects(a.dev.Info().Arch) { // the user waits for the compiler
		program = rocm.Program{Name: kernel + ".hip", Source: func() (string, error) { return kernels.KernelSource(kernel) }}
	}
	m, err := a.dev.Load(program)
	if err != nil {
		return nil, err
	}
	f, err := m.Function(kernel)
	if err != nil {
		return nil, err
	}
	a.functions.Store(kernel, f)
	return f, nil
}

// pointer adds an operand's first element to the arguments.
func pointer(args *rocm.Args, o backend.Operand) *rocm.Args {
	return args.Buffer(buffer(o.Store), o.Layout.Offset*o.DType.Size())
}

func (a *Backend) Fill(out backend.Operand, bits uint64) error {
	if len(backend.Coalesce(out.Layout.Shape, out.Layout.Strides).Dims) > kernels.MaxDims {
		for i := range out.Layout.Shape[0] {
			if err := a.Fill(backend.Operand{Store: out.Store, DType: out.DType, Layout: out.Layout.Narrow(0, i, 1).DropDim(0)}, bits); err != nil {
				return err
			}
		}
		return nil
	}
	n := out.Layout.ElemCount()
	args := pointer(rocm.NewArgs(), out).Struct(layout1(out)).U64(uint64(n)).U64(bits)
	return a.Launch("fill_"+bitsName(out.DType), blocks(n), args)
}

func (a *Backend) Arange(dt kernels.DType, n int, start, step backend.Scalar) (backend.Storage, error) {
	s, err := a.Alloc(n * dt.Size())
	if err != nil {
		return nil, err
	}
	args := number2(rocm.NewArgs().Buffer(buffer(s), 0).U64(uint64(n)), dt, start, step)
	return s, a.Launch("arange_"+dt.String(), blocks(n), args)
}

// number2 adds two numbers in the form that kernels of dt take.
func number2(args *rocm.Args, dt kernels.DType, x, y backend.Scalar) *rocm.Args {
	if dt.IsFloat() {
		return args.F64(x.Float).F64(y.Float)
	}
	return args.I64(x.Int).I64(y.Int)
}

func (a *Backend) Random(dt kernels.DType, n int, normal bool, seed, counter uint64, x, y float64) (backend.Storage, error) {
	s, err := a.Alloc(n * dt.Size())
	if err != nil {
		return nil, err
	}
	name := "rand_"
	if normal {
		name = "randn_"
	}
	args := rocm.NewArgs().Buffer(buffer(s), 0).U64(uint64(n)).U64(seed).U64(counter).F64(x).F64(y)
	return s, a.Launch(name+dt.String(), blocks(n), args)
}
