package gpu

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Backend computes on one GPU, or on the emulated one.
type Backend struct {
	dev       *rocm.Device
	functions sync.Map // kernel name to *rocm.Function
	checks    indexChecks
	fusion    fusion
	elements  elementFunctions
	DNN       DNNLibrary // the device itself, except in tests
	ahead     ahead
	// if set, is called with the name of every kernel, library call and copy: tests count them
	OnLaunch func(kernel string)
}

func (b *Backend) Device() *rocm.Device { return b.dev }

func (b *Backend) FusionError() error { return b.fusion.failed() }

func (b *Backend) ReadsStrides() bool { return true }

// NewStream opens the GPU once more. The operations of the new backend have their own order.
func (b *Backend) NewStream() (backend.Backend, error) {
	d, err := b.dev.NewStream()
	if err != nil {
		return nil, err
	}
	return New(d), nil
}

// Lost reports whether the driver of a backend's GPU refuses every call. Open opens the GPU again.
func Lost(b backend.Backend) bool {
	g, ok := b.(*Backend)
	return ok && rocm.Lost(g.dev) != nil
}

// Open opens a GPU, or the emulated one.
func Open(location string) (backend.Backend, error) {
	d, err := rocm.Open(location)
	if errors.Is(err, rocm.ErrNoLibrary) && strings.HasPrefix(location, "cuda") {
		err = fmt.Errorf("%w\nthis machine has no NVIDIA driver: Device(\"auto\") is the GPU that is there, or else the CPU", err)
	}
	if err != nil {
		return nil, err
	}
	b := New(d)
	b.ahead.start(d)
	return b, nil
}

func (b *Backend) Alloc(bytes int) (backend.Storage, error) {
	s := &Storage{on: b, bytes: bytes}
	if err := b.allocIn(&s.own, bytes); err != nil {
		return nil, err
	}
	s.buffer = &s.own
	s.stored()
	return s, nil
}

// allocIn allocates. When memory is short, it computes deferred results, which may hold operands that nothing else
// needs.
func (b *Backend) allocIn(to *rocm.Buffer, bytes int) error {
	err := b.dev.AllocIn(to, bytes)
	if backend.IsOutOfMemory(err) && b.fusion.relievePressure() {
		err = b.dev.AllocIn(to, bytes)
	}
	return err
}

func (b *Backend) Upload(src []byte) (backend.Storage, error) {
	if c := rocm.RecordingOn(b.dev); c != nil {
		if constant, ok, err := c.Constant(src); ok {
			s := &Storage{on: b, bytes: len(src), buffer: constant}
			s.stored()
			return s, err
		}
	}
	s, err := b.Alloc(len(src))
	if err != nil {
		return nil, err
	}
	return s, buffer(s).Upload(0, src)
}

func (b *Backend) Pin(memory []byte) (backend.Pages, error) {
	p, err := b.dev.Pin(memory)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (b *Backend) PinScope() string { return string(b.dev.Info().Platform) }

func (b *Backend) UploadPinned(src []byte, from backend.Pages) (backend.Storage, error) {
	s, err := b.Alloc(len(src))
	if err != nil {
		return nil, err
	}
	return s, buffer(s).UploadPinned(0, src, from.(*rocm.Pinned))
}

func (b *Backend) Download(dst []byte, s backend.Storage, byteOffset int) error {
	if err := b.CheckIndices(); err != nil {
		return err
	}
	return buffer(s).Download(dst, byteOffset)
}

// Receive copies a dense operand from another device, directly where the devices have a path to each other.
func (b *Backend) Receive(o backend.Operand) (backend.Storage, error) {
	n := o.Layout.ElemCount() * o.DType.Size()
	s, err := b.Alloc(n)
	if err != nil {
		return nil, err
	}
	return s, buffer(s).CopyFrom(0, buffer(o.Store), o.Layout.Offset*o.DType.Size(), n)
}

func (b *Backend) Synchronize() error {
	if err := b.CheckIndices(); err != nil {
		return err
	}
	return b.dev.Synchronize()
}

// block is the number of threads of every launch. maxBlocks bounds grids, so that a thread has several elements to do
// when there are many.
const (
	block     = 256
	maxBlocks = 1 << 14
)

// blocks is the grid for n independent elements, four per thread.
func blocks(n int) [3]int { return [3]int{min((n+4*block-1)/(4*block), maxBlocks), 1, 1} }

// rowBlocks is the grid for a reduction whose blocks take several short rows each.
func rowBlocks(rows, cols int) [3]int {
	group := 1
	for group < block && group < cols {
		group *= 2
	}
	perBlock := block / group
	return [3]int{min((rows+perBlock-1)/perBlock, maxBlocks), 1, 1}
}

// Launch runs one kernel. It recycles the arguments, which cannot be used again.
func (b *Backend) Launch(kernel string, grid [3]int, args *rocm.Args) error {
	return b.LaunchBlocks(kernel, grid, block, args)
}

// LaunchBlocks is Launch with blocks of so many threads.
func (b *Backend) LaunchBlocks(kernel string, grid [3]int, threads int, args *rocm.Args) error {
	f, err := b.Function(kernel)
	if err != nil {
		return err
	}
	return launchFunction(b, f, grid, threads, args)
}

func launchFunction(b *Backend, f *rocm.Function, grid [3]int, threads int, args *rocm.Args) error {
	if b.OnLaunch != nil {
		b.OnLaunch(f.String())
	}
	defer args.Recycle()
	return b.dev.Launch(f, grid, [3]int{threads, 1, 1}, 0, args)
}

// Function returns a kernel. The first call loads its family, or compiles the kernel.
func (b *Backend) Function(kernel string) (*rocm.Function, error) {
	if f, ok := b.functions.Load(kernel); ok {
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
	if compilesSingly(b.dev) { // the user is waiting
		program = programOf(kernel)
		b.ahead.expect(kernel)
	}
	m, err := b.dev.Load(program)
	if err != nil {
		return nil, err
	}
	f, err := m.Function(kernel)
	if err != nil {
		return nil, err
	}
	b.functions.Store(kernel, f)
	return f, nil
}

// pointer adds an operand's first element to the arguments.
func pointer(args *rocm.Args, o backend.Operand) *rocm.Args {
	return args.Buffer(buffer(o.Store), o.Layout.Offset*o.DType.Size())
}

func (b *Backend) Fill(out backend.Operand, bits uint64) error {
	if len(backend.Coalesce(out.Layout.Shape, out.Layout.Strides).Dims) > kernels.MaxDims {
		for i := range out.Layout.Shape[0] {
			if err := b.Fill(backend.Operand{Store: out.Store, DType: out.DType,
				Layout: out.Layout.Narrow(0, i, 1).DropDim(0)}, bits); err != nil {
				return err
			}
		}
		return nil
	}
	n := out.Layout.ElemCount()
	args := pointer(rocm.NewArgs(), out).Struct(layout1(out)).U64(uint64(n)).U64(bits)
	return b.Launch("fill_"+bitsName(out.DType), blocks(n), args)
}

func (b *Backend) Arange(dt kernels.DType, n int, start, step backend.Scalar) (backend.Storage, error) {
	s, err := b.Alloc(n * dt.Size())
	if err != nil {
		return nil, err
	}
	args := number2(rocm.NewArgs().Buffer(buffer(s), 0).U64(uint64(n)), dt, start, step)
	return s, b.Launch("arange_"+dt.String(), blocks(n), args)
}

// number2 adds two numbers as kernels of dt take them.
func number2(args *rocm.Args, dt kernels.DType, x, y backend.Scalar) *rocm.Args {
	if dt.IsFloat() {
		return args.F64(x.Float).F64(y.Float)
	}
	return args.I64(x.Int).I64(y.Int)
}

func (b *Backend) Random(
	dt kernels.DType, n int, normal bool, seed, counter uint64, x, y float64,
) (backend.Storage, error) {
	s, err := b.Alloc(n * dt.Size())
	if err != nil {
		return nil, err
	}
	name := "rand_"
	if normal {
		name = "randn_"
	}
	args := rocm.NewArgs().Buffer(buffer(s), 0).U64(uint64(n)).U64(seed).U64(counter)
	if err := addDraws(b, args); err != nil {
		return nil, err
	}
	return s, b.Launch(name+dt.String(), blocks(n), args.F64(x).F64(y))
}
