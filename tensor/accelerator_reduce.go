package tensor

import (
	"cmp"
	"errors"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

func (a *accelerator) reduce(op *kernels.ReduceOp, in operand, rows, cols int) (storage, error) {
	out := in.dtype
	if op.Arg {
		out = U32
	}
	if !op.Arg {
		in = anyOrder(in, cols)
	}
	if part := partOf(in, rows, cols); part < cols {
		if !op.Arg {
			return a.reduceInParts(op, in, rows, cols, part)
		}
		if in.layout.shape[len(in.layout.shape)-1] == cols {
			if err := in.store.ready(); err != nil {
				return nil, err
			}
			return a.argInParts(op, in, rows, cols, part)
		}
	}
	s, err := a.alloc(rows * out.Size())
	if err != nil {
		return nil, err
	}
	return s, a.reduceChain(op.Name, in, rows, cols, cols, s)
}

// reduceInto writes the results of rows, or of parts of them, to out.
func (a *accelerator) reduceInto(kernel string, in operand, rows, cols, part int, out storage) error {
	in, err := a.simple(in)
	if err != nil {
		return err
	}
	args := pointer(rocm.NewArgs(), in).Buffer(buffer(out), 0).Struct(layoutOfRows(in, cols)).
		U64(uint64(rows)).U64(uint64(cols)).U64(uint64(part))
	return a.launch(kernel, reduceBlocks(in, rows, cols, part), args)
}

// reduceBlocks is the grid for a reduction of rows, or of parts of them.
func reduceBlocks(in operand, rows, cols, part int) [3]int {
	results := rows * ((cols + part - 1) / part)
	if beside := sideBySide(in, cols); beside > 0 {
		return rowGrid((results + beside - 1) / beside)
	}
	return rowBlocks(results, (part+7)/8)
}

// anyOrder puts the dims of a row of cols elements in the order in which they lie in memory. The result does not ask for theirs.
func anyOrder(in operand, cols int) operand {
	order := make([]int, len(in.layout.shape))
	for d := range order {
		order[d] = d
	}
	split, n := len(order), 1
	for split > 0 && n < cols {
		split--
		n *= in.layout.shape[split]
	}
	slices.SortStableFunc(order[split:], func(a, b int) int { return cmp.Compare(in.layout.strides[b], in.layout.strides[a]) })
	in.layout = in.layout.permute(order)
	return in
}

// A kernel gives a row to one block, and rows that lie side by side to less than one, so few long rows would leave most of a GPU idle. They
// are cut into parts, which are reduced first, and then the results of the parts are.
const (
	busyBlocks = 1024    // what keeps a large GPU busy
	fewBlocks  = 512     // what does not
	leastPart  = 1 << 14 // elements of a dense row that are work enough for a block
	leastDepth = 1 << 8  // elements of rows side by side that are
	packs      = 16      // parts are multiples of it, so that dense ones begin where a pack does
)

// sumTypes are the types in which sums are kept between the two steps, so that they are rounded once.
var sumTypes = map[DType]DType{F32: F64, F16: F32, BF16: F32, F8E4M3: F32}

// partOf is how many elements of a row of cols elements a block should have: all of them, unless there are too few rows.
func partOf(in operand, rows, cols int) int {
	blocks, least := rows, leastPart
	if beside := sideBySide(in, cols); beside > 0 {
		blocks, least = (rows+beside-1)/beside, leastDepth
	}
	if blocks > fewBlocks || cols < 2*least {
		return cols
	}
	parts := min((busyBlocks+blocks-1)/blocks, cols/least)
	part := (cols+parts-1)/parts + packs - 1
	return part - part%packs
}

// sideBySide is how many rows a block of a reduction takes at once because they lie side by side in memory, or 0.
func sideBySide(in operand, cols int) int {
	shape, strides := in.layout.shape, in.layout.strides
	last := len(shape) - 1
	if last < 1 || shape[last] != cols || strides[last] == 1 || strides[last-1] != 1 || shape[last-1] < 8 {
		return 0
	}
	return min(128/in.dtype.Size(), 64)
}

// argInParts finds the best element of each part, and then the best of those: the first of equal ones, since parts are in order.
func (a *accelerator) argInParts(op *kernels.ReduceOp, in operand, rows, cols, part int) (storage, error) {
	parts, kernel := (cols+part-1)/part, op.Name+"_"+in.dtype.String()
	shape := slices.Clone(in.layout.shape)
	dim := len(shape) - 1
	shape[dim] = parts
	found, err := a.alloc(rows * parts * U32.Size())
	if err != nil {
		return nil, err
	}
	if err := a.reduceInto(kernel, in, rows, cols, part, found); err != nil {
		return nil, err
	}
	never := func(int) error { return errors.New("a position found by a kernel is out of range") }
	positions := operand{found, U32, denseLayout(shape)}
	values, err := a.gather(positions, in, dim, never)
	if err != nil {
		return nil, err
	}
	best, err := a.alloc(rows * U32.Size())
	if err != nil {
		return nil, err
	}
	if err := a.reduceInto(kernel, operand{values, in.dtype, denseLayout(shape)}, rows, parts, parts, best); err != nil {
		return nil, err
	}
	shape[dim] = 1
	return a.gather(operand{best, U32, denseLayout(shape)}, positions, dim, never)
}

func (a *accelerator) reduceInParts(op *kernels.ReduceOp, in operand, rows, cols, part int) (storage, error) {
	parts := (cols + part - 1) / part
	step, last, dt := op.Name, op.Name, in.dtype
	if op.Name == "sum" || op.Name == "mean" {
		step, last = "sum", "sum"
		if wide, ok := sumTypes[dt]; ok {
			step, last, dt = "sum_wide", "sum_narrow", wide
		}
	}
	partial, err := a.alloc(rows * parts * dt.Size())
	if err != nil {
		return nil, err
	}
	if err := a.reduceChain(step, in, rows, cols, part, partial); err != nil {
		return nil, err
	}
	to := in.dtype
	if op.Name == "mean" { // divided before it is rounded
		last, to = "sum", dt
	}
	out, err := a.alloc(rows * to.Size())
	if err != nil {
		return nil, err
	}
	if err := a.reduceInto(last+"_"+to.String(), operand{partial, dt, denseLayout([]int{rows, parts})}, rows, parts, parts, out); err != nil || op.Name != "mean" {
		return out, err
	}
	result := operand{out, dt, denseLayout([]int{rows})}
	if result.store, err = a.affine(result, scalar{f: 1 / float64(cols)}, scalar{}); err != nil {
		return nil, err
	}
	if dt == in.dtype {
		return result.store, nil
	}
	return a.cast(result, in.dtype)
}
