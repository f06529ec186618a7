package gpu

import (
	"cmp"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

func (b *Backend) Reduce(op *kernels.ReduceOp, in backend.Operand, rows, cols int) (backend.Storage, error) {
	if !op.Arg {
		in = sortReducedDims(in, cols)
	}
	s, err := b.Alloc(rows * op.Out(in.DType).Size())
	if err != nil {
		return nil, err
	}
	part := partLength(in, rows, cols)
	if closed, err := b.fusion.closeChain(op.Name, in, rows, cols, part, s); closed || err != nil {
		return s, err
	}
	if in, err = b.fitDims(in); err != nil {
		return nil, err
	}
	name := op.Name + "_"
	if columns(layoutOfRows(in, cols), cols) {
		name += "columns_"
	}
	f, err := b.Function(name + in.DType.String())
	if err != nil {
		return nil, err
	}
	return s, reduceRows(b, f, pointer(rocm.NewArgs(), in).Buffer(buffer(s), 0), in, rows, cols, part)
}

// reduceRows launches a reduction. args has the arguments before those of parts.
func reduceRows(b *Backend, f *rocm.Function, args *rocm.Args, in backend.Operand, rows, cols, part int) error {
	if part < cols {
		parts := new(rocm.Buffer)
		if err := b.allocIn(parts, rows*((cols+part-1)/part)*kernels.ReduceState); err != nil {
			return err
		}
		defer parts.Free()
		counters, err := b.dev.Counters()
		if err != nil {
			return err
		}
		args.Buffer(parts, 0).Buffer(counters, 0)
	} else {
		args.U64(0).U64(0)
	}
	args.Struct(layoutOfRows(in, cols)).U64(uint64(rows)).U64(uint64(cols)).U64(uint64(part))
	return launchFunction(b, f, reduceBlocks(in, rows, cols, part), block, args)
}

// reduceBlocks is the grid for a reduction of rows, or of parts of them.
func reduceBlocks(in backend.Operand, rows, cols, part int) [3]int {
	results := rows * ((cols + part - 1) / part)
	if beside := interleavedRows(in, cols); beside > 0 {
		return rowGrid((results + beside - 1) / beside)
	}
	return rowBlocks(results, (part+7)/8)
}

// sortReducedDims sorts the dims of a row of cols elements by stride. The result does not depend on their order.
func sortReducedDims(in backend.Operand, cols int) backend.Operand {
	order := make([]int, len(in.Layout.Shape))
	for d := range order {
		order[d] = d
	}
	split, n := len(order), 1
	for split > 0 && n < cols {
		split--
		n *= in.Layout.Shape[split]
	}
	slices.SortStableFunc(order[split:],
		func(a, b int) int { return cmp.Compare(in.Layout.Strides[b], in.Layout.Strides[a]) })
	in.Layout = in.Layout.Permute(order)
	return in
}

// A kernel gives each row to a block, and interleaved rows to fewer blocks, so that few long rows would leave most of
// a GPU idle. Those are cut into parts: as many as a large GPU runs at once, because a few blocks more would take as
// long as all of these.
const (
	rowsAtOnce    = 512     // blocks
	columnsAtOnce = 256     // blocks for interleaved rows, whose threads do more
	minPart       = 1 << 14 // the fewest elements of a dense row that are worth a block
	minColumnPart = 1 << 8  // the same for interleaved rows
	packs         = 16      // part lengths are multiples of it, so that parts of dense rows begin at packs
)

// Blocks of interleaved rows have at least 8 of up to 64 rows, and each row needs a counter.
const _ = uint(rocm.CounterCount - columnsAtOnce/2*64/8)

// partLength is how many elements of a row of cols elements a block takes: all of them, unless there are too few
// rows.
func partLength(in backend.Operand, rows, cols int) int {
	blocks, least, atOnce := rows, minPart, rowsAtOnce
	if beside := interleavedRows(in, cols); beside > 0 {
		blocks, least, atOnce = (rows+beside-1)/beside, minColumnPart, columnsAtOnce
	}
	if blocks > atOnce/2 || cols < 2*least {
		return cols
	}
	parts := min(atOnce/max(blocks, 1), cols/least)
	part := (cols+parts-1)/parts + packs - 1
	return part - part%packs
}

// columns reports whether there is a kernel for interleaved rows of this layout.
func columns(l *kernels.Layout1, cols int) bool {
	last := l.Rank - 1
	return l.Flags&kernels.FlagContiguous == 0 && last > 0 && cols > 0 && l.Dims[last] == int64(cols) &&
		l.A[last] != 1 && l.A[last-1] == 1 && l.Dims[last-1] >= 8
}

// interleavedRows returns how many rows a block of a reduction takes at once because their elements are adjacent in
// memory: 0 if they are not, 8 to 64 if they are.
func interleavedRows(in backend.Operand, cols int) int {
	shape, strides := in.Layout.Shape, in.Layout.Strides
	last := len(shape) - 1
	if last < 1 || shape[last] != cols || strides[last] == 1 || strides[last-1] != 1 || shape[last-1] < 8 {
		return 0
	}
	return min(128/in.DType.Size(), 64)
}
