package gpu

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"weak"

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

// Storage is device memory. It goes back to the pool when the last tensor that uses it is collected.
type Storage struct {
	own      rocm.Buffer // comes first, so that Go's collector has one thing to watch
	on       *Backend
	buffer   *rocm.Buffer // own, unless the memory comes from another storage; nil while the elements are deferred
	bytes    int
	deferred atomic.Pointer[deferred] // how the elements will be computed; nil when they are
	exposed  atomic.Bool              // the memory may be written to at any time: its address was given to somebody, or to a graph
	pinned   atomic.Bool              // a graph reads the memory
	backend.Freed

	number   uint64 // the one element, if isNumber
	isNumber bool

	// Under the accelerator's fusion.mu:
	recomputed     int                     // how often it was computed in the kernels of others
	hadDependents  bool                    // other deferred results were made of this one
	dependents     []weak.Pointer[Storage] // deferred results that are made of this one, and some that are no more
	dependentLimit int                     // how many may be in readers before the others are taken out
}

func (s *Storage) Size() int { return s.bytes }

func (s *Storage) DeviceBuffer() *rocm.Buffer { return s.buffer }

func (s *Storage) SetConstant(bits uint64) { s.number, s.isNumber = bits, true }

func buffer(s backend.Storage) *rocm.Buffer { return s.(*Storage).buffer }

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

// stored comes when a storage has new memory. A graph writes to what it was captured with whenever it is replayed.
func (s *Storage) stored() {
	if s.on.dev.Capturing() {
		s.exposed.Store(true)
	}
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

// elementBlocks is the grid of an elementwise operation: where all operands are dense, a pack for each thread, and more where there are many.
func elementBlocks(e *deferred, os []backend.Operand, n int) [3]int {
	size := e.out.Size()
	for _, o := range os {
		if !o.Layout.IsContiguous() {
			return blocks(n)
		}
		size = max(size, o.DType.Size())
	}
	each := block * min(8, 16/size)
	return [3]int{min((n+each-1)/each, maxBlocks), 1, 1}
}

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

// run launches the kernel of one elementwise operation on operands in memory, for a storage that has no memory yet.
func (a *Backend) run(s *Storage, e *deferred) error {
	if a.fusion.specialize {
		if done, err := a.fuse(s, nil, e); done || err != nil {
			return err
		}
	}
	operands := e.args // made dense here, not there
	os := operands[:e.kind.Operands()]
	if err := a.fitDimsTogether(os); err != nil {
		return err
	}
	n := os[len(os)-1].Layout.ElemCount()
	if err := a.allocIn(&s.own, s.bytes); err != nil {
		return err
	}
	args := rocm.NewArgs()
	for _, o := range os {
		pointer(args, o)
	}
	layouts(args.Buffer(&s.own, 0), os).U64(uint64(n))
	for _, bits := range e.params[:e.kind.Params()] {
		args.U64(bits)
	}
	f, err := a.elementFunction(e)
	if err == nil {
		err = a.launchFunction(f, elementBlocks(e, os, n), args)
	}
	return s.finish(e, err)
}

// elementKey tells the kernels of elementwise operations apart, so that their names need not be made at each launch.
type elementKey struct {
	kind    kernels.FusedKind
	op      string
	in, out kernels.DType
}

// elementFunctions are the kernels of elementwise operations that were used.
type elementFunctions struct {
	mu sync.RWMutex
	by map[elementKey]*rocm.Function
}

func (a *Backend) elementFunction(e *deferred) (*rocm.Function, error) {
	fs, key := &a.elements, elementKey{e.kind, e.op, e.in, e.out}
	fs.mu.RLock()
	f := fs.by[key]
	fs.mu.RUnlock()
	if f != nil {
		return f, nil
	}
	f, err := a.function(e.kernel())
	if err != nil {
		return nil, err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.by == nil {
		fs.by = map[elementKey]*rocm.Function{}
	}
	fs.by[key] = f
	return f, nil
}

// kernel is the name of the kernel of the operation alone.
func (e *deferred) kernel() string {
	switch e.kind {
	case kernels.FusedAffine:
		return "affine_" + e.in.String()
	case kernels.FusedCast:
		return "cast_" + e.in.String() + "_" + e.out.String()
	case kernels.FusedWhere:
		return "where_" + e.in.String() + "_" + bitsName(e.out)
	}
	return e.op + "_" + e.in.String()
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

// fitDims returns the operand, or a dense copy when it has more dims than a kernel takes.
func (a *Backend) fitDims(o backend.Operand) (backend.Operand, error) {
	if len(backend.Coalesce(o.Layout.Shape, o.Layout.Strides).Dims) <= kernels.MaxDims {
		return o, nil
	}
	return a.makeDense(o)
}

func (a *Backend) makeDense(o backend.Operand) (backend.Operand, error) {
	s, err := a.Alloc(o.Layout.ElemCount() * o.DType.Size())
	if err != nil {
		return o, err
	}
	d := backend.Operand{Store: s, DType: o.DType, Layout: backend.Dense(o.Layout.Shape)}
	return d, a.Copy(o, d)
}

// fitDimsTogether makes operands dense when together they have more dims than a kernel takes.
func (a *Backend) fitDimsTogether(os []backend.Operand) error {
	if len(os[0].Layout.Shape) <= kernels.MaxDims {
		return nil
	}
	strides := make([][]int, len(os))
	for i, o := range os {
		strides[i] = o.Layout.Strides
	}
	if len(backend.Coalesce(os[0].Layout.Shape, strides...).Dims) <= kernels.MaxDims {
		return nil
	}
	for i := range os {
		var err error
		if os[i], err = a.makeDense(os[i]); err != nil {
			return err
		}
	}
	return nil
}

// bitsName is the name that kernels give to any type of a dtype's size.
func bitsName(dt kernels.DType) string {
	return [...]string{1: "b8", 2: "b16", 4: "b32", 8: "b64"}[dt.Size()]
}

func (a *Backend) Cast(in backend.Operand, to kernels.DType) (backend.Storage, error) {
	return a.elementwise(&result{how: deferred{kind: kernels.FusedCast, in: in.DType, out: to, args: [3]backend.Operand{in}}})
}

func (a *Backend) Unary(op *kernels.UnaryOp, in backend.Operand) (backend.Storage, error) {
	return a.elementwise(&result{how: deferred{kind: kernels.FusedUnary, op: op.Name, in: in.DType, out: in.DType, args: [3]backend.Operand{in}}})
}

func (a *Backend) Param(op *kernels.ParamOp, in backend.Operand, p float64) (backend.Storage, error) {
	return a.elementwise(&result{how: deferred{kind: kernels.FusedParam, op: op.Name, in: in.DType, out: in.DType, args: [3]backend.Operand{in}, params: [2]uint64{math.Float64bits(p)}}})
}

func (a *Backend) Affine(in backend.Operand, mul, add backend.Scalar) (backend.Storage, error) {
	params := [2]uint64{uint64(mul.Int), uint64(add.Int)}
	if in.DType.IsFloat() {
		params = [2]uint64{math.Float64bits(mul.Float), math.Float64bits(add.Float)}
	}
	return a.elementwise(&result{how: deferred{kind: kernels.FusedAffine, in: in.DType, out: in.DType, args: [3]backend.Operand{in}, params: params}})
}

func (a *Backend) Binary(op *kernels.BinaryOp, x, y backend.Operand) (backend.Storage, error) {
	return a.elementwise(&result{how: deferred{kind: kernels.FusedBinary, op: op.Name, in: x.DType, out: x.DType, args: [3]backend.Operand{x, y}}})
}

func (a *Backend) Compare(op *kernels.CompareOp, x, y backend.Operand) (backend.Storage, error) {
	return a.elementwise(&result{how: deferred{kind: kernels.FusedCompare, op: op.Name, in: x.DType, out: kernels.U8, args: [3]backend.Operand{x, y}}})
}

func (a *Backend) Where(cond, t, f backend.Operand) (backend.Storage, error) {
	return a.elementwise(&result{how: deferred{kind: kernels.FusedWhere, in: cond.DType, out: t.DType, args: [3]backend.Operand{cond, t, f}}})
}
