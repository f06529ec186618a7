package tensor

import (
	"fmt"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// bitonicRow is the longest row for which a bitonic network is faster than a sort by digits, and bitonicTop that for which it is faster than to look
// for a few elements.
const (
	bitonicRow = 512
	bitonicTop = 256
)

// sort chooses by the length of the rows: several of them in a tile, one in the registers of a block, or one in passes over memory. Few elements of
// rows that do not share a tile are found without sorting.
func (a *accelerator) sort(in operand, rows, cols, keep int, descending bool) (values, ids storage, err error) {
	if in, err = a.rowsTogether(in); err == nil {
		in, err = a.simpleBefore(in, 1)
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
	values, ids, err = a.sortPair(in.dtype, rows*cols)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range kernels.SortRows(in.dtype) {
		if cols <= block*n {
			args := sortArgs(in, values, ids, rows, cols).U64(direction(descending))
			return values, ids, a.launch(fmt.Sprintf("sort_rows_x%d_%v", n, in.dtype), rowGrid(rows), args)
		}
	}
	return values, ids, a.sortByDigits(in, values, ids, rows, cols, descending)
}

func (a *accelerator) sortTiles(in operand, rows, cols, keep int, descending bool) (values, ids storage, err error) {
	values, ids, err = a.sortPair(in.dtype, rows*keep)
	if err != nil {
		return nil, nil, err
	}
	run := 1
	for run < cols {
		run *= 2
	}
	args := sortArgs(in, values, ids, rows, cols).U64(uint64(run)).U64(uint64(keep)).U64(direction(descending))
	return values, ids, a.launch("sort_tiles_"+in.dtype.String(), rowGrid((rows*run+kernels.SortTile-1)/kernels.SortTile), args)
}

// sortAndCut sorts all of the rows, and copies what is wanted of them.
func (a *accelerator) sortAndCut(in operand, rows, cols, keep int, descending bool) (values, ids storage, err error) {
	values, ids, err = a.sort(in, rows, cols, cols, descending)
	if err != nil {
		return nil, nil, err
	}
	begin := denseLayout([]int{rows, cols}).narrow(1, 0, keep)
	v, err := a.densed(operand{values, in.dtype, begin})
	if err != nil {
		return nil, nil, err
	}
	i, err := a.densed(operand{ids, U32, begin})
	return v.store, i.store, err
}

// sortByDigits sorts rows of any length, by one digit of eight bits in each pass. Keys and positions go to and fro between memory of their own and
// that of the results.
func (a *accelerator) sortByDigits(in operand, values, ids storage, rows, cols int, descending bool) error {
	const digits = 256
	tile := kernels.RadixTile(in.dtype)
	tiles := rows * ((cols + tile - 1) / tile)
	counts, err := a.alloc(tiles * digits * 4)
	if err != nil {
		return err
	}
	totals, err := a.alloc(rows * digits * 4)
	if err != nil {
		return err
	}
	var keys, places storage
	passes := in.dtype.Size()
	if passes > 1 {
		if keys, places, err = a.sortPair(in.dtype, rows*cols); err != nil {
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
			if err := a.launch(step.name+in.dtype.String(), rowGrid(step.grid), args); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *accelerator) sortPair(dt DType, n int) (values, ids storage, err error) {
	if values, err = a.alloc(n * dt.Size()); err != nil {
		return nil, nil, err
	}
	ids, err = a.alloc(n * 4)
	return values, ids, err
}

// sortArgs are the first arguments of all kernels that sort.
func sortArgs(in operand, values, ids storage, rows, cols int) *rocm.Args {
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
