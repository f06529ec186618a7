package gpu

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// topBlocks keep a GPU busy: fewer rows are cut into parts. Each part has a fixed cost besides that of its length.
const topBlocks = 512

// topK selects the first elements of each part of a row, and repeats that on the selected ones until there is one
// part.
func topK(
	b *Backend, in backend.Operand, rows, cols, keep int, descending bool,
) (values, ids backend.Storage, err error) {
	var from backend.Storage // the positions in whole rows of the elements of in, after the first round
	for {
		parts := max(1, min(cols/kernels.TopTile, topBlocks/rows))
		each := (cols + parts - 1) / parts
		values, ids, err = sortPair(b, in.DType, rows*parts*keep)
		if err != nil {
			return nil, nil, err
		}
		first, stride := rowsOf(in)
		args := pointer(rocm.NewArgs(), first).Buffer(buffer(values), 0).Buffer(buffer(ids), 0)
		if from == nil {
			args.U64(0)
		} else {
			args.Buffer(buffer(from), 0)
		}
		args.Struct(layout1(first)).I64(int64(stride)).
			U64(uint64(rows)).U64(uint64(cols)).U64(uint64(each)).U64(uint64(keep)).U64(direction(descending))
		if err := b.Launch("topk_"+in.DType.String(), [3]int{parts, min(rows, maxBlocks), 1}, args); err != nil ||
			parts == 1 {
			return values, ids, err
		}
		defer values.Release() // the next round has read them by then
		defer ids.Release()
		cols = parts * keep
		in, from = backend.Operand{Store: values, DType: in.DType, Layout: backend.Dense([]int{rows, cols})}, ids
	}
}
