package gpu

import (
	"cmp"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

func (a *Backend) Reduce(op *kernels.ReduceOp, in backend.Operand, rows, cols int) (backend.Storage, error) {
	if !op.Arg {
		in = sortReducedDims(in, cols)
	}
	s, err := a.Alloc(rows * op.Out(in.DType).Size())
	if err != nil {
		return nil, err
	}
	part := partLength(in, rows, cols)
	if closed, err := a.closeChain(op.Name, in, rows, cols, part, s); closed || err != nil {
		return s, err
	}
	if in, err = a.fitDims(in); err != nil {
		return nil, err
	}
	name := op.Name + "_"
	if columns(layoutOfRows(in, cols), cols) {
		name += "columns_"
	}
	f, err := a.function(name + in.DType.String())
	if err != nil {
		return nil, err
	}
	return s, a.reduceRows(f, pointer(rocm.NewArgs(), in).Buffer(buffer(s), 0), in, rows, cols, part)
}

// reduceRows launches a reduction, of whose arguments args has those before parts.
func (a *Backend) reduceRows(f *rocm.Function, args *rocm.Args, in backend.Operand, rows, cols, part int) error {
	if part < cols {
		parts := new(rocm.Buffer)
		if err := a.allocIn(parts, rows*((cols+part-1)/part)*kernels.ReduceState); err != nil {
			return err
		}
		defer parts.Free()
		counters, err := a.dev.Counters()
		if err != nil {
			return err
		}
		args.Buffer(parts, 0).Buffer(counters, 0)
	} else {
		args.U64(0).U64(0)
	}
	args.Struct(layoutOfRows(in, cols)).U64(uint64(rows)).U64(uint64(cols)).U64(uint64(part))
	return a.launchFunction(f, reduceBlocks(in, rows, cols, part), args)
}

// reduceBlocks is the grid for a reduction of rows, or of parts of them.
func reduceBlocks(in backend.Operand, rows, cols, part int) [3]int {
	results := rows * ((cols + part - 1) / part)
	if beside := interleavedRows(in, cols); beside > 0 {
		return rowGrid((results + beside - 1) / beside)
	}
	return rowBlocks(results, (part+7)/8)
}

// sortReducedDims puts the dims of a row of cols elements in the order in which they lie in memory. The result does not ask for theirs.
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
	slices.SortStableFunc(order[split:], func(a, b int) int { return cmp.Compare(in.Layout.Strides[b], in.Layout.Strides[a]) })
	in.Layout = in.Layout.Permute(order)
	return in
}

// A kernel gives a row to one block, and rows that lie side by side to less than one, so few long rows would leave most of a GPU idle. They
// are cut into parts: into as many as the large GPU of today runs at once, since a few blocks more would cost as much time as all of those.
const (
	rowsAtOnce    = 512     // blocks
	columnsAtOnce = 256     // of the kernels for rows side by side, whose threads do more
	minPart       = 1 << 14 // elements of a dense row that are work enough for a block
	minColumnPart = 1 << 8  // elements of rows side by side that are
	packs         = 16      // parts are multiples of it, so that dense ones begin where a pack does
)

// Blocks of rows side by side have at least 8 of up to 64 rows, and there is a counter for each.
const _ = uint(rocm.CounterCount - columnsAtOnce/2*64/8)

// sumTypes are the wider types in which kernels add elements, where there are any: Sum in sum.h.
var sumTypes = map[kernels.DType]kernels.DType{kernels.F32: kernels.F64, kernels.F16: kernels.F32, kernels.BF16: kernels.F32, kernels.F8E4M3: kernels.F32}

// partLength is how many elements of a row of cols elements a block should have: all of them, unless there are too few rows.
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

// columns reports whether there is a kernel for rows that lie so: side by side.
func columns(l *kernels.Layout1, cols int) bool {
	last := l.Rank - 1
	return l.Flags&kernels.FlagContiguous == 0 && last > 0 && cols > 0 && l.Dims[last] == int64(cols) && l.A[last] != 1 && l.A[last-1] == 1 && l.Dims[last-1] >= 8
}

// interleavedRows is how many rows a block of a reduction takes at once because they lie side by side in memory, or 0.
func interleavedRows(in backend.Operand, cols int) int {
	shape, strides := in.Layout.Shape, in.Layout.Strides
	last := len(shape) - 1
	if last < 1 || shape[last] != cols || strides[last] == 1 || strides[last-1] != 1 || shape[last-1] < 8 {
		return 0
	}
	return min(128/in.DType.Size(), 64)
}
