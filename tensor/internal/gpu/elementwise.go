package gpu

import (
	"math"
	"sync"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

func (b *Backend) Cast(in backend.Operand, to kernels.DType) (backend.Storage, error) {
	return b.fusion.elementwise(&result{how: deferred{kind: kernels.FusedCast, in: in.DType, out: to,
		args: [3]backend.Operand{in}}})
}

func (b *Backend) Unary(op *kernels.UnaryOp, in backend.Operand) (backend.Storage, error) {
	return b.fusion.elementwise(&result{how: deferred{kind: kernels.FusedUnary, op: op.Name, in: in.DType,
		out:  in.DType,
		args: [3]backend.Operand{in}}})
}

func (b *Backend) Param(op *kernels.ParamOp, in backend.Operand, p float64) (backend.Storage, error) {
	return b.fusion.elementwise(&result{how: deferred{kind: kernels.FusedParam, op: op.Name, in: in.DType,
		out:  in.DType,
		args: [3]backend.Operand{in}, params: [2]uint64{math.Float64bits(p)}}})
}

func (b *Backend) Affine(in backend.Operand, mul, add backend.Scalar) (backend.Storage, error) {
	params := [2]uint64{uint64(mul.Int), uint64(add.Int)}
	if in.DType.IsFloat() {
		params = [2]uint64{math.Float64bits(mul.Float), math.Float64bits(add.Float)}
	}
	return b.fusion.elementwise(&result{how: deferred{kind: kernels.FusedAffine, in: in.DType, out: in.DType,
		args: [3]backend.Operand{in}, params: params}})
}

func (b *Backend) Binary(op *kernels.BinaryOp, x, y backend.Operand) (backend.Storage, error) {
	return b.fusion.elementwise(&result{how: deferred{kind: kernels.FusedBinary, op: op.Name, in: x.DType, out: x.DType,
		args: [3]backend.Operand{x, y}}})
}

func (b *Backend) Compare(op *kernels.CompareOp, x, y backend.Operand) (backend.Storage, error) {
	return b.fusion.elementwise(&result{how: deferred{kind: kernels.FusedCompare, op: op.Name, in: x.DType,
		out: kernels.U8, args: [3]backend.Operand{x, y}}})
}

func (b *Backend) Where(cond, t, f backend.Operand) (backend.Storage, error) {
	return b.fusion.elementwise(&result{how: deferred{kind: kernels.FusedWhere, in: cond.DType, out: t.DType,
		args: [3]backend.Operand{cond, t, f}}})
}

// run launches the kernel of one operation on operands in memory, and gives s its memory.
func (f *fusion) run(s *Storage, e *deferred) error {
	if f.specialize {
		if done, err := f.fuse(s, nil, e); done || err != nil {
			return err
		}
	}
	operands := e.args // a copy: fitDimsTogether may replace operands
	os := operands[:e.kind.Operands()]
	if err := f.b.fitDimsTogether(os); err != nil {
		return err
	}
	n := os[len(os)-1].Layout.ElemCount()
	if err := f.b.allocIn(&s.own, s.bytes); err != nil {
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
	kernel, err := elementFunction(f.b, e)
	if err == nil {
		err = launchFunction(f.b, kernel, elementBlocks(e, os, n), block, args)
	}
	return s.finish(e, err)
}

// kernel is the name of the kernel of the single operation.
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

// elementKey identifies the kernel of an elementwise operation, so that launches need not build its name.
type elementKey struct {
	kind    kernels.FusedKind
	op      string
	in, out kernels.DType
}

// elementFunctions are the kernels of elementwise operations that were launched.
type elementFunctions struct {
	mu sync.RWMutex
	by map[elementKey]*rocm.Function
}

func elementFunction(b *Backend, e *deferred) (*rocm.Function, error) {
	fs, key := &b.elements, elementKey{e.kind, e.op, e.in, e.out}
	fs.mu.RLock()
	f := fs.by[key]
	fs.mu.RUnlock()
	if f != nil {
		return f, nil
	}
	f, err := b.Function(e.kernel())
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

// elementBlocks is the grid of an elementwise operation. Where all operands are dense, each thread takes a pack, and
// more where there are many.
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

// bitsName is the part of a kernel's name that stands for all dtypes of one size.
func bitsName(dt kernels.DType) string {
	return [...]string{1: "b8", 2: "b16", 4: "b32", 8: "b64"}[dt.Size()]
}
