package tensor

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// accelerator computes on a GPU, or on the emulated one, with the kernels of package kernels.
type accelerator struct {
	dev       *rocm.Device
	functions sync.Map // kernel name to *rocm.Function
	checks    idChecks
	launched  func(kernel string) // if set, is told of every kernel and copy: for tests of what an operation costs
}

// openAccelerator opens a GPU, or the emulated one.
func openAccelerator(location string) (backend, error) {
	d, err := rocm.Open(location)
	if err != nil {
		return nil, err
	}
	return &accelerator{dev: d}, nil
}

// deviceStorage is device memory. It goes back to the pool when the last tensor that uses it is collected.
type deviceStorage struct {
	buffer *rocm.Buffer
	freed
}

func (s *deviceStorage) size() int { return s.buffer.Len() }

func (s *deviceStorage) release() { s.buffer.Free() }

func buffer(s storage) *rocm.Buffer { return s.(*deviceStorage).buffer }

func (a *accelerator) alloc(bytes int) (storage, error) {
	b, err := a.dev.Alloc(bytes)
	if err != nil {
		return nil, err
	}
	return &deviceStorage{buffer: b}, nil
}

func (a *accelerator) upload(src []byte) (storage, error) {
	s, err := a.alloc(len(src))
	if err != nil {
		return nil, err
	}
	return s, buffer(s).Upload(0, src)
}

func (a *accelerator) download(dst []byte, s storage, byteOffset int) error {
	if err := a.settle(); err != nil {
		return err
	}
	return buffer(s).Download(dst, byteOffset)
}

// receive copies a dense operand from another device, directly where there is a way between them.
func (a *accelerator) receive(o operand) (storage, error) {
	n := o.layout.ElemCount() * o.dtype.Size()
	s, err := a.alloc(n)
	if err != nil {
		return nil, err
	}
	return s, buffer(s).CopyFrom(0, buffer(o.store), o.layout.offset*o.dtype.Size(), n)
}

func (a *accelerator) synchronize() error {
	if err := a.settle(); err != nil {
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

// launch runs one kernel. The arguments cannot be used again: they are recycled.
func (a *accelerator) launch(kernel string, grid [3]int, args *rocm.Args) error {
	f, err := a.function(kernel)
	if err != nil {
		return err
	}
	if a.launched != nil {
		a.launched(kernel)
	}
	defer args.Recycle()
	return a.dev.Launch(f, grid, [3]int{block, 1, 1}, 0, args)
}

// function returns a kernel. On the first call its family is loaded, or the kernel compiled.
func (a *accelerator) function(kernel string) (*rocm.Function, error) {
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
	if !kernels.HasObjects(a.dev.Info().Arch) { // the user waits for the compiler
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
func pointer(args *rocm.Args, o operand) *rocm.Args {
	return args.Buffer(buffer(o.store), o.layout.offset*o.dtype.Size())
}

// mapTo runs a kernel of one strided operand and a dense result: in, out, layout, n, and what extra adds.
func (a *accelerator) mapTo(kernel string, in operand, out DType, extra func(*rocm.Args) *rocm.Args) (storage, error) {
	in, err := a.simple(in)
	if err != nil {
		return nil, err
	}
	n := in.layout.ElemCount()
	s, err := a.alloc(n * out.Size())
	if err != nil {
		return nil, err
	}
	args := pointer(rocm.NewArgs(), in).Buffer(buffer(s), 0).Struct(layout1(in)).U64(uint64(n))
	if extra != nil {
		args = extra(args)
	}
	return s, a.launch(kernel, blocks(n), args)
}

// zipTo runs a kernel of two strided operands and a dense result.
func (a *accelerator) zipTo(kernel string, x, y operand, out DType) (storage, error) {
	if err := a.simplify(&x, &y); err != nil {
		return nil, err
	}
	n := x.layout.ElemCount()
	s, err := a.alloc(n * out.Size())
	if err != nil {
		return nil, err
	}
	args := pointer(pointer(rocm.NewArgs(), x), y).Buffer(buffer(s), 0).Struct(layout2(x, y)).U64(uint64(n))
	return s, a.launch(kernel, blocks(n), args)
}

func (a *accelerator) fill(out operand, bits uint64) error {
	if len(merge(out.layout.shape, out.layout.strides).dims) > kernels.MaxDims {
		for i := range out.layout.shape[0] {
			if err := a.fill(operand{out.store, out.dtype, out.layout.narrow(0, i, 1).drop(0)}, bits); err != nil {
				return err
			}
		}
		return nil
	}
	n := out.layout.ElemCount()
	args := pointer(rocm.NewArgs(), out).Struct(layout1(out)).U64(uint64(n)).U64(bits)
	return a.launch("fill_"+sized(out.dtype), blocks(n), args)
}

func (a *accelerator) arange(dt DType, n int, start, step scalar) (storage, error) {
	s, err := a.alloc(n * dt.Size())
	if err != nil {
		return nil, err
	}
	args := number2(rocm.NewArgs().Buffer(buffer(s), 0).U64(uint64(n)), dt, start, step)
	return s, a.launch("arange_"+dt.String(), blocks(n), args)
}

// number2 adds two numbers in the form that kernels of dt take.
func number2(args *rocm.Args, dt DType, x, y scalar) *rocm.Args {
	if dt.IsFloat() {
		return args.F64(x.f).F64(y.f)
	}
	return args.I64(x.i).I64(y.i)
}

func (a *accelerator) random(dt DType, n int, normal bool, seed, counter uint64, x, y float64) (storage, error) {
	s, err := a.alloc(n * dt.Size())
	if err != nil {
		return nil, err
	}
	name := "rand_"
	if normal {
		name = "randn_"
	}
	args := rocm.NewArgs().Buffer(buffer(s), 0).U64(uint64(n)).U64(seed).U64(counter).F64(x).F64(y)
	return s, a.launch(name+dt.String(), blocks(n), args)
}

// simple returns the operand, or a dense copy when it has more dims than a kernel takes.
func (a *accelerator) simple(o operand) (operand, error) {
	if len(merge(o.layout.shape, o.layout.strides).dims) <= kernels.MaxDims {
		return o, nil
	}
	return a.densed(o)
}

func (a *accelerator) densed(o operand) (operand, error) {
	s, err := a.alloc(o.layout.ElemCount() * o.dtype.Size())
	if err != nil {
		return o, err
	}
	d := operand{s, o.dtype, denseLayout(o.layout.shape)}
	return d, a.copy(o, d)
}

// simplify makes operands dense when together they have more dims than a kernel takes.
func (a *accelerator) simplify(os ...*operand) error {
	strides := make([][]int, len(os))
	for i, o := range os {
		strides[i] = o.layout.strides
	}
	if len(merge(os[0].layout.shape, strides...).dims) <= kernels.MaxDims {
		return nil
	}
	for _, o := range os {
		var err error
		if *o, err = a.densed(*o); err != nil {
			return err
		}
	}
	return nil
}

// sized is the name that kernels give to any type of a dtype's size.
func sized(dt DType) string { return [...]string{1: "b8", 2: "b16", 4: "b32", 8: "b64"}[dt.Size()] }

func (a *accelerator) cast(in operand, to DType) (storage, error) {
	return a.mapTo("cast_"+in.dtype.String()+"_"+to.String(), in, to, nil)
}

func (a *accelerator) unary(op *kernels.UnaryOp, in operand) (storage, error) {
	return a.mapTo(op.Name+"_"+in.dtype.String(), in, in.dtype, nil)
}

func (a *accelerator) param(op *kernels.ParamOp, in operand, p float64) (storage, error) {
	return a.mapTo(op.Name+"_"+in.dtype.String(), in, in.dtype, func(args *rocm.Args) *rocm.Args { return args.F64(p) })
}

func (a *accelerator) affine(in operand, mul, add scalar) (storage, error) {
	return a.mapTo("affine_"+in.dtype.String(), in, in.dtype, func(args *rocm.Args) *rocm.Args {
		return number2(args, in.dtype, mul, add)
	})
}

func (a *accelerator) binary(op *kernels.BinaryOp, x, y operand) (storage, error) {
	return a.zipTo(op.Name+"_"+x.dtype.String(), x, y, x.dtype)
}

func (a *accelerator) compare(op *kernels.CompareOp, x, y operand) (storage, error) {
	return a.zipTo(op.Name+"_"+x.dtype.String(), x, y, U8)
}

func (a *accelerator) where(cond, t, f operand) (storage, error) {
	if err := a.simplify(&cond, &t, &f); err != nil {
		return nil, err
	}
	n := t.layout.ElemCount()
	s, err := a.alloc(n * t.dtype.Size())
	if err != nil {
		return nil, err
	}
	args := pointer(pointer(pointer(rocm.NewArgs(), cond), t), f).Buffer(buffer(s), 0).Struct(layout3(cond, t, f)).U64(uint64(n))
	return s, a.launch(fmt.Sprintf("where_%v_%s", cond.dtype, sized(t.dtype)), blocks(n), args)
}

func isOutOfMemory(err error) bool { return errors.Is(err, rocm.ErrOutOfMemory) }
