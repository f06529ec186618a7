package tensor

import (
	"fmt"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

const (
	fewQueries = 16  // so many rows of queries of a group make tiles too empty: their keys are shared among blocks
	fewestKeys = 64  // keys of a block, where there are few rows, but no fewer than it takes at a time
	partBlocks = 512 // blocks that keep a GPU busy
)

// attends reports whether there is a kernel for attention of these types and sizes.
func (a *accelerator) attends(dt DType, p *kernels.Attention) bool {
	most := int64(128)
	if inParts(p) {
		most = 256
	}
	return (dt == F32 || dt == F16 || dt == BF16) && max(p.Size, p.ValueSize) <= most
}

// inParts reports whether keys are shared among blocks rather than queries.
func inParts(p *kernels.Attention) bool { return p.Heads/p.Groups*p.Queries <= fewQueries }

// keysAtOnce is how many keys a block takes at a time: its threads have eight elements of a key each, and several keys.
func keysAtOnce(p *kernels.Attention, together int64) int64 {
	team, each := int64(1), int64(2)
	for team < 32 && max(p.Size, p.ValueSize) > 8*team {
		team *= 2
	}
	if together == 1 {
		each = 4
	}
	return block / team * each
}

func (a *accelerator) attention(q, k, v operand, mask *operand, out operand, p kernels.Attention) error {
	hidden := q // no kernel looks at it
	if mask != nil {
		hidden = *mask
	}
	args := pointer(pointer(pointer(pointer(pointer(rocm.NewArgs(), q), k), v), hidden), out)
	const most = 1 << 15 // blocks in y and z; kernels stride over the rest
	if !inParts(&p) {
		size, tile := 64, int64(64)
		if max(p.Size, p.ValueSize) > 64 {
			size = 128
		}
		grid := [3]int{int((p.Queries + tile - 1) / tile), int(min(p.Batch*p.Heads, most)), 1}
		return a.launch(fmt.Sprintf("attention_%d_%v", size, q.dtype), grid, args.Struct(&p))
	}
	rows, together := p.Heads/p.Groups*p.Queries, int64(1)
	for together < 4 && together < rows {
		together *= 2
	}
	shares := (rows + together - 1) / together
	fewest := max(fewestKeys, keysAtOnce(&p, together))
	parts := max(1, min((p.Keys+fewest-1)/fewest, partBlocks/(p.Batch*p.Groups*shares)))
	p.Part = (p.Keys + parts - 1) / parts
	parts = (p.Keys + p.Part - 1) / p.Part
	all := p.Batch * p.Groups * rows
	sums, tops := out, out // with one part there are none
	if parts > 1 {
		n := int(all * parts * p.ValueSize)
		s, err := a.alloc((n + int(all*parts*2)) * F32.Size())
		if err != nil {
			return err
		}
		defer s.release()
		sums = operand{s, F32, denseLayout([]int{n})}
		tops = operand{s, F32, Layout{shape: []int{int(all * parts * 2)}, strides: []int{1}, offset: n}}
	}
	grid := [3]int{int(parts), int(min(p.Batch*p.Groups, most)), int(min(shares, most))}
	err := a.launch(fmt.Sprintf("attention_parts_%d_%v", together, q.dtype), grid, pointer(pointer(args, sums), tops).Struct(&p))
	if err != nil || parts == 1 {
		return err
	}
	args = pointer(pointer(pointer(rocm.NewArgs(), sums), tops), out).Struct(&p)
	return a.launch("attention_merge_"+q.dtype.String(), [3]int{int(min(all, maxBlocks)), 1, 1}, args)
}
