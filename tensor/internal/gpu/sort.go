package gpu

import (
	"fmt"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// bitonicRow is the longest row for which a bitonic network is faster than a sort by digits, and bitonicTop that for which it is faster than to look
// for a few elements.
const (
	bitonicRow = 512
	bitonicTop = 256
)

// Sort chooses by the length of the rows: several of them in a tile, one in the registers of a block, or one in passes over memory. Few elements of
// rows that do not share a tile are found without sorting.
func (a *Backend) Sort(in backend.Operand, rows, cols, keep int, descending bool) (values, ids backend.Storage, err error) {
	if in, err = a.makeRowsDense(in); err == nil {
		in, err = a.fitLeadingDims(in, 1)
	}
	if err != nil {
		return nil, nil, err
	}
	switch {
	case cols <= bitonicTop || cols <= bitonicRow && keep > kernels.TopMost:
		return a.sortTiles(in, rows, cols, keep, descending)
	case keep <= kernels.TopMost:
		return a.topK(in, rows, cols, keep, descending)
	case keep < cols:
		return a.sortAndCut(in, rows, cols, keep, descending)
	}
	values, ids, err = a.sortPair(in.DType, rows*cols)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range kernels.SortRows(in.DType) {
		if cols <= block*n {
			args := sortArgs(in, values, ids, rows, cols).U64(direction(descending))
			return values, ids, a.Launch(fmt.Sprintf("sort_rows_x%d_%v", n, in.DType), rowGrid(rows), args)
		}
	}
	return values, ids, a.sortByDigits(in, values, ids, rows, cols, descending)
}

func (a *Backend) sortTiles(in backend.Operand, rows, cols, keep int, descending bool) (values, ids backend.Storage, err error) {
	values, ids, err = a.sortPair(in.DType, rows*keep)
	if err != nil {
		return nil, nil, err
	}
	run := 1
	for run < cols {
		run *= 2
	}
	args := sortArgs(in, values, ids, rows, cols).U64(uint64(run)).U64(uint64(keep)).U64(direction(descending))
	return values, ids, a.Launch("sort_tiles_"+in.DType.String(), rowGrid((rows*run+kernels.SortTile-1)/kernels.SortTile), args)
}

// sortAndCut sorts all of the rows, and copies what is wanted of them.
func (a *Backend) sortAndCut(in backend.Operand, rows, cols, keep int, descending bool) (values, ids backend.Storage, err error) {
	values, ids, err = a.Sort(in, rows, cols, cols, descending)
	if err != nil {
		return nil, nil, err
	}
	begin := backend.Dense([]int{rows, cols}).Narrow(1, 0, keep)
	v, err := a.makeDense(backend.Operand{Store: values, DType: in.DType, Layout: begin})
	if err != nil {
		return nil, nil, err
	}
	i, err := a.makeDense(backend.Operand{Store: ids, DType: kernels.U32, Layout: begin})
	return v.Store, i.Store, err
}

// sortByDigits sorts rows of any length, by one digit of eight bits in each pass. Keys and positions go to and fro between memory of their own and
// that of the results.
func (a *Backend) sortByDigits(in backend.Operand, values, ids backend.Storage, rows, cols int, descending bool) error {
	const digits = 256
	tile := kernels.RadixTile(in.DType)
	tiles := rows * ((cols + tile - 1) / tile)
	counts, err := a.Alloc(tiles * digits * 4)
	if err != nil {
		return err
	}
	totals, err := a.Alloc(rows * digits * 4)
	if err != nil {
		return err
	}
	var keys, places backend.Storage
	passes := in.DType.Size()
	if passes > 1 {
		if keys, places, err = a.sortPair(in.DType, rows*cols); err != nil {
			return err
		}
	}
	pair := func(args *rocm.Args, pass int) *rocm.Args { // what a pass leaves for the next one
		switch {
		case pass < 0 || pass == passes-1:
			return args.U64(0).U64(0)
		case pass%2 == 0:
			return args.Buffer(buffer(keys), 0).Buffer(buffer(places), 0)
		}
		return args.Buffer(buffer(values), 0).Buffer(buffer(ids), 0)
	}
	for pass := range passes {
		for _, step := range []struct {
			name string
			grid int
		}{{"radix_count_", tiles}, {"radix_scan_", 32 * rows}, {"radix_scatter_", tiles}} {
			args := pair(pair(sortArgs(in, values, ids, rows, cols), pass-1), pass).
				Buffer(buffer(counts), 0).Buffer(buffer(totals), 0).U64(uint64(8 * pass)).U64(direction(descending))
			if err := a.Launch(step.name+in.DType.String(), rowGrid(step.grid), args); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *Backend) sortPair(dt kernels.DType, n int) (values, ids backend.Storage, err error) {
	if values, err = a.Alloc(n * dt.Size()); err != nil {
		return nil, nil, err
	}
	ids, err = a.Alloc(n * 4)
	return values, ids, err
}

// sortArgs are the first arguments of all kernels that sort.
func sortArgs(in backend.Operand, values, ids backend.Storage, rows, cols int) *rocm.Args {
	from, step := rowsOf(in)
	return pointer(rocm.NewArgs(), from).Buffer(buffer(values), 0).Buffer(buffer(ids), 0).Struct(layout1(from)).I64(int64(step)).
		U64(uint64(rows)).U64(uint64(cols))
}

func direction(descending bool) uint64 {
	if descending {
		return 1
	}
	return 0
}
