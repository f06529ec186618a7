package gpu

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// bitonicRow is the longest row that a bitonic network sorts faster than a radix sort does. Up to bitonicTop it is
// also faster than selecting a few elements.
const (
	bitonicRow = 512
	bitonicTop = 256
)

// Sort chooses by the length of rows: several rows in a tile, one row in the registers of a block, or passes over
// memory. A few elements of rows that do not share a tile are selected without sorting.
func (b *Backend) Sort(
	in backend.Operand, rows, cols, keep int, descending bool,
) (values, ids backend.Storage, err error) {
	if in, err = rowsDense(b, in); err == nil {
		in, err = b.fitLeadingDims(in, 1)
	}
	if err != nil {
		return nil, nil, err
	}
	switch {
	case cols <= bitonicTop || cols <= bitonicRow && keep > kernels.TopMost:
		return sortTiles(b, in, rows, cols, keep, descending)
	case keep <= kernels.TopMost:
		return topK(b, in, rows, cols, keep, descending)
	case keep < cols:
		return sortAndCut(b, in, rows, cols, keep, descending)
	}
	values, ids, err = sortPair(b, in.DType, rows*cols)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range kernels.SortRows(in.DType) {
		if cols <= block*n {
			args := sortArgs(in, values, ids, rows, cols).U64(direction(descending))
			return values, ids, b.Launch(fmt.Sprintf("sort_rows_x%d_%v", n, in.DType), rowGrid(rows), args)
		}
	}
	return values, ids, sortByDigits(b, in, values, ids, rows, cols, in.DType.Size(), descending)
}

// SortIDs returns n numbers of an index type in ascending order, with their positions. All are at least 0 and less than
// limit, which saves passes; others end up anywhere.
func (b *Backend) SortIDs(in backend.Operand, n, limit int) (values, ids backend.Storage, err error) {
	passes := max((bits.Len(uint(limit-1))+7)/8, 1)
	if n <= slices.Max(kernels.SortRows(in.DType))*block || passes >= in.DType.Size() {
		return b.Sort(in, 1, n, n, false)
	}
	if values, ids, err = sortPair(b, in.DType, n); err != nil {
		return nil, nil, err
	}
	return values, ids, sortByDigits(b, in, values, ids, 1, n, passes, false)
}

func sortTiles(
	b *Backend, in backend.Operand, rows, cols, keep int, descending bool,
) (values, ids backend.Storage, err error) {
	values, ids, err = sortPair(b, in.DType, rows*keep)
	if err != nil {
		return nil, nil, err
	}
	run := 1
	for run < cols {
		run *= 2
	}
	args := sortArgs(in, values, ids, rows, cols).U64(uint64(run)).U64(uint64(keep)).U64(direction(descending))
	return values, ids, b.Launch("sort_tiles_"+in.DType.String(),
		rowGrid((rows*run+kernels.SortTile-1)/kernels.SortTile), args)
}

// sortAndCut sorts whole rows and copies their first elements.
func sortAndCut(
	b *Backend, in backend.Operand, rows, cols, keep int, descending bool,
) (values, ids backend.Storage, err error) {
	values, ids, err = b.Sort(in, rows, cols, cols, descending)
	if err != nil {
		return nil, nil, err
	}
	begin := backend.Dense([]int{rows, cols}).Narrow(1, 0, keep)
	v, err := b.makeDense(backend.Operand{Store: values, DType: in.DType, Layout: begin})
	if err != nil {
		return nil, nil, err
	}
	i, err := b.makeDense(backend.Operand{Store: ids, DType: kernels.U32, Layout: begin})
	return v.Store, i.Store, err
}

// sortByDigits is a radix sort of rows of any length, in so many passes of eight bits each, the lowest first. Passes
// by digits that are the same in all elements of each row are skipped on the device.
func sortByDigits(
	b *Backend, in backend.Operand, values, ids backend.Storage, rows, cols, passes int, descending bool,
) error {
	const digits = 256
	tile := kernels.RadixTile(in.DType)
	tiles := rows * ((cols + tile - 1) / tile)
	keys, places, err := values, ids, error(nil)
	if passes > 1 {
		if keys, places, err = sortPair(b, in.DType, rows*cols); err != nil {
			return err
		}
	}
	var memory [3]backend.Storage // counts of tiles and of rows, and which digits differ
	size := in.DType.Size()
	for i, n := range [3]int{tiles * digits * 4, rows * digits * 4, size * 8} {
		if memory[i], err = b.Alloc(n); err != nil {
			return err
		}
	}
	differs := backend.Operand{Store: memory[2], DType: kernels.I64, Layout: backend.Dense([]int{size})}
	if err := b.Fill(differs, 0); err != nil {
		return err
	}
	for pass := range passes {
		for _, step := range []struct {
			name string
			grid int
		}{{"radix_count_", tiles}, {"radix_scan_", 32 * rows}, {"radix_scatter_", tiles}} {
			args := sortArgs(in, values, ids, rows, cols).Buffer(buffer(keys), 0).Buffer(buffer(places), 0).
				Buffer(buffer(memory[0]), 0).Buffer(buffer(memory[1]), 0).Buffer(buffer(memory[2]), 0).
				U64(uint64(pass)).U64(uint64(passes)).U64(direction(descending))
			if err := b.Launch(step.name+in.DType.String(), rowGrid(step.grid), args); err != nil {
				return err
			}
		}
	}
	return nil
}

func sortPair(b *Backend, dt kernels.DType, n int) (values, ids backend.Storage, err error) {
	if values, err = b.Alloc(n * dt.Size()); err != nil {
		return nil, nil, err
	}
	ids, err = b.Alloc(n * 4)
	return values, ids, err
}

// sortArgs are the first arguments of all kernels that sort.
func sortArgs(in backend.Operand, values, ids backend.Storage, rows, cols int) *rocm.Args {
	from, step := rowsOf(in)
	return pointer(rocm.NewArgs(), from).Buffer(buffer(values), 0).Buffer(buffer(ids),
		0).Struct(layout1(from)).I64(int64(step)).
		U64(uint64(rows)).U64(uint64(cols))
}

func direction(descending bool) uint64 {
	if descending {
		return 1
	}
	return 0
}
