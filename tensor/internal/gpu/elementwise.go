package gpu

import (
	"math"
	"sync"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

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

// bitsName is the name that kernels give to any type of a dtype's size.
func bitsName(dt kernels.DType) string {
	return [...]string{1: "b8", 2: "b16", 4: "b32", 8: "b64"}[dt.Size()]
}
