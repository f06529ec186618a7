package tensor

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

func (a *accelerator) reduce(op *kernels.ReduceOp, in operand, rows, cols int) (storage, error) {
	out := in.dtype
	if op.Arg {
		out = U32
	}
	if parts := partsOf(rows, cols); parts > 1 && !op.Arg {
		return a.reduceInParts(op, in, rows, cols, parts)
	}
	s, err := a.alloc(rows * out.Size())
	if err != nil {
		return nil, err
	}
	return s, a.reduceInto(op, in, rows, cols, s, 0)
}

// reduceInto writes the results to out, from byte offset at on.
func (a *accelerator) reduceInto(op *kernels.ReduceOp, in operand, rows, cols int, out storage, at int) error {
	in, err := a.simple(in)
	if err != nil {
		return err
	}
	args := pointer(rocm.NewArgs(), in).Buffer(buffer(out), at).Struct(layout1(in)).U64(uint64(rows)).U64(uint64(cols))
	return a.launch(op.Name+"_"+in.dtype.String(), rowBlocks(rows, cols), args)
}

// A kernel gives a row to one block, so a few long rows would leave most of a GPU idle. They are cut into parts, which are
// reduced as rows of their own, and then the results of the parts are reduced.
const (
	longRow  = 1 << 15
	fewRows  = 64
	maxParts = 1024
	minParts = 32
)

// partsOf says into how many parts a row is to be cut, 1 for none. Several rows need parts of equal size.
func partsOf(rows, cols int) int {
	if cols < longRow || rows > fewRows {
		return 1
	}
	for parts := maxParts; parts >= minParts; parts-- {
		if cols%parts == 0 {
			return parts
		}
	}
	if rows == 1 {
		return maxParts
	}
	return 1
}

// sumTypes are the types in which sums are kept between the two steps, so that they are rounded once.
var sumTypes = map[DType]DType{F32: F64, F16: F32, BF16: F32, F8E4M3: F32}

func (a *accelerator) reduceInParts(op *kernels.ReduceOp, in operand, rows, cols, parts int) (storage, error) {
	step, dt := op, in.dtype
	if op.Name == "sum" || op.Name == "mean" {
		step = reduceOps["sum"]
		if wide, ok := sumTypes[dt]; ok {
			s, err := a.cast(in, wide)
			if err != nil {
				return nil, err
			}
			in = operand{s, wide, denseLayout(in.layout.shape)}
		}
	}
	length, rest := cols/parts, cols%parts
	flat, ok := in.layout.reshape([]int{rows * cols})
	if !ok {
		dense, err := a.densed(in)
		if err != nil {
			return nil, err
		}
		in, flat = dense, denseLayout([]int{rows * cols})
	}
	whole := rows * parts * length
	count := rows * parts
	if rest > 0 { // there is one row: what does not fill a part is a part of its own
		count++
	}
	size := in.dtype.Size()
	partial, err := a.alloc(count * size)
	if err != nil {
		return nil, err
	}
	if err := a.reduceInto(step, operand{in.store, in.dtype, flat.narrow(0, 0, whole)}, rows*parts, length, partial, 0); err != nil {
		return nil, err
	}
	if rest > 0 {
		if err := a.reduceInto(step, operand{in.store, in.dtype, flat.narrow(0, whole, rest)}, 1, rest, partial, parts*size); err != nil {
			return nil, err
		}
	}
	out, err := a.alloc(rows * size)
	if err != nil {
		return nil, err
	}
	if err := a.reduceInto(step, operand{partial, in.dtype, denseLayout([]int{count})}, rows, count/rows, out, 0); err != nil {
		return nil, err
	}
	result := operand{out, in.dtype, denseLayout([]int{rows})}
	if op.Name == "mean" {
		if result.store, err = a.affine(result, scalar{f: 1 / float64(cols)}, scalar{}); err != nil {
			return nil, err
		}
	}
	if dt == in.dtype {
		return result.store, nil
	}
	return a.cast(result, dt)
}
