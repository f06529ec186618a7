package tensor

import "github.com/gorocm/gorocm/rocm"

// Few long rows are scanned in parts of scanPart elements, so that there is work for the whole device.
const (
	scanPart = 1 << 13
	scanRows = 256 // that many rows are enough work
)

func (a *accelerator) cumsum(in operand, rows, cols int) (storage, error) {
	in, err := a.simple(in)
	if err != nil {
		return nil, err
	}
	out, err := a.alloc(rows * cols * in.dtype.Size())
	if err != nil {
		return nil, err
	}
	rowArgs := func(s storage) *rocm.Args {
		return pointer(rocm.NewArgs(), in).Buffer(buffer(s), 0).Struct(layout1(in)).U64(uint64(rows)).U64(uint64(cols))
	}
	name := in.dtype.String()
	if rows >= scanRows || cols < 2*scanPart {
		return out, a.launch("cumsum_"+name, rowGrid(rows), rowArgs(out).U64(uint64(cols)).U64(0))
	}
	parts := (cols + scanPart - 1) / scanPart
	totals, err := a.alloc(rows * parts * sumSize(in.dtype))
	if err != nil {
		return nil, err
	}
	if err := a.launch("cumsum_totals_"+name, rowGrid(rows*parts), rowArgs(totals).U64(scanPart)); err != nil {
		return nil, err
	}
	args := rocm.NewArgs().Buffer(buffer(totals), 0).U64(uint64(rows)).U64(uint64(parts))
	if err := a.launch("cumsum_before_"+name, rowGrid(rows), args); err != nil {
		return nil, err
	}
	return out, a.launch("cumsum_"+name, rowGrid(rows*parts), rowArgs(out).U64(scanPart).Buffer(buffer(totals), 0))
}

// rowGrid is a block for each row, or part of one.
func rowGrid(rows int) [3]int { return [3]int{min(rows, maxBlocks), 1, 1} }

// sumSize is the size of what kernels add elements of a type in: Sum in sum.h.
func sumSize(dt DType) int {
	switch {
	case dt == F32:
		return F64.Size()
	case dt.IsSmallFloat():
		return F32.Size()
	}
	return dt.Size()
}
