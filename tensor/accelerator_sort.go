package tensor

import "github.com/gorocm/gorocm/rocm"

// sortTile is how many elements sort_tiles sorts at once.
const sortTile = 1024

func (a *accelerator) sort(in operand, rows, cols int, descending bool) (values, ids storage, err error) {
	run := 1
	for run < sortTile && run < cols {
		run *= 2
	}
	values, ids, err = a.sortPair(in.dtype, rows*cols)
	if err != nil {
		return nil, nil, err
	}
	runs := rows * ((cols + run - 1) / run)
	tiles := (runs*run + sortTile - 1) / sortTile
	if in, err = a.simpleBefore(in, 1); err != nil {
		return nil, nil, err
	}
	from, step := rowsOf(in)
	args := pointer(rocm.NewArgs(), from).Buffer(buffer(values), 0).Buffer(buffer(ids), 0).Struct(layout1(from)).I64(int64(step))
	if err := a.launch("sort_tiles_"+in.dtype.String(), [3]int{min(tiles, maxBlocks), 1, 1}, sortArgs(args, rows, cols, run, descending)); err != nil {
		return nil, nil, err
	}
	if run >= cols {
		return values, ids, nil
	}
	toValues, toIDs, err := a.sortPair(in.dtype, rows*cols)
	if err != nil {
		return nil, nil, err
	}
	for ; run < cols; run *= 2 {
		args := rocm.NewArgs().Buffer(buffer(values), 0).Buffer(buffer(ids), 0).Buffer(buffer(toValues), 0).Buffer(buffer(toIDs), 0)
		if err := a.launch("sort_merge_"+in.dtype.String(), blocks(rows*cols), sortArgs(args, rows, cols, run, descending)); err != nil {
			return nil, nil, err
		}
		values, ids, toValues, toIDs = toValues, toIDs, values, ids
	}
	return values, ids, nil
}

func (a *accelerator) sortPair(dt DType, n int) (values, ids storage, err error) {
	if values, err = a.alloc(n * dt.Size()); err != nil {
		return nil, nil, err
	}
	ids, err = a.alloc(n * 4)
	return values, ids, err
}

func sortArgs(args *rocm.Args, rows, cols, run int, descending bool) *rocm.Args {
	direction := uint64(0)
	if descending {
		direction = 1
	}
	return args.U64(uint64(rows)).U64(uint64(cols)).U64(uint64(run)).U64(direction)
}
