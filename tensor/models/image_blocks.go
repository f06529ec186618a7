package models

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// imageBlock is the tokens of an image among those of a pass, all of which see each other: n from first on. It may be
// the rest of an image, of which the other keys are in the cache.
type imageBlock struct{ first, n int }

// imageBlocks are those among tokens. It panics with ErrShape when one is cut off, whose tokens cannot see the rest.
func imageBlocks(ids []int, images []*ImageTokens) (all []imageBlock) {
	for i := 0; i < len(ids); i++ {
		t := imageOf(images, ids[i])
		if t == nil || !t.whole {
			continue
		}
		n := t.first + t.Len() - ids[i]
		if i+n > len(ids) {
			panic(&tensor.Error{Op: "llama", Kind: tensor.ErrShape,
				Message: fmt.Sprintf("%d of the %d tokens of an image are to be read: they see each other, and come all at once",
					len(ids)-i, t.Len())})
		}
		all = append(all, imageBlock{i, n})
		i += n - 1
	}
	return all
}

// uncut is how many of the first n tokens can be read at once: as many, fewer before an image that would be cut off, or
// more when that is the first.
func uncut(ids []int, n int, images []*ImageTokens) int {
	t := imageOf(images, ids[n-1])
	if t == nil || !t.whole {
		return n
	}
	read := ids[n-1] - t.first + 1
	if before := n - read; before > 0 && read < t.Len() {
		return before
	}
	return n + t.Len() - read
}

// seeBlock is how the tokens of a block attend to so many keys, the last of which are their own.
func seeBlock(n, keys int, see nn.Attend, dev *tensor.Device) nn.Attend {
	if n == 1 { // none follows
		return see
	}
	window := see.Window
	see.Causal, see.Window = false, 0
	if window == 0 || keys <= window {
		return see
	}
	hidden := make([]bool, 0, n*keys)
	for i := keys - n; i < keys; i++ {
		for key := range keys {
			hidden = append(hidden, i-key >= window)
		}
	}
	see.Mask = dev.FromSlice(hidden, n, keys)
	return see
}

// partsWith are queryParts of tokens with blocks, each of which is one.
func (r *reading) partsWith(blocks []imageBlock, n, before int) (all []queryPart) {
	text := func(first, end int) {
		for _, p := range r.queryParts(end-first, before+first) {
			p.first += first
			all = append(all, p)
		}
	}
	at := 0
	for _, b := range blocks {
		text(at, b.first)
		keys := before + b.first + b.n
		all = append(all, queryPart{b.first, b.n, 0, keys, seeBlock(b.n, keys, r.see, r.dev)})
		at = b.first + b.n
	}
	text(at, n)
	return all
}

// pagedBlock is a block of a sequence of a batch.
type pagedBlock struct {
	imageBlock // among the tokens of the batch
	table      []int
	keys       int // of the sequence to its end
}

// blocksOf are the blocks of a batch.
func blocksOf(ids []int, images []*ImageTokens, sequences []nn.PagedSequence) (all []pagedBlock) {
	first := 0
	for _, s := range sequences {
		for _, b := range imageBlocks(ids[first:first+s.Queries], images) {
			keys := s.SeqLen - s.Queries + b.first + b.n
			all = append(all, pagedBlock{imageBlock{first + b.first, b.n}, s.BlockTable, keys})
		}
		first += s.Queries
	}
	return all
}

// attend is attention of the block's rows of queries q [tokens heads size], as rows [n heads·size]. Its keys and values
// are gathered from the pool.
func (b *pagedBlock) attend(q *tensor.Tensor, c *nn.PagedCache, see nn.Attend) *tensor.Tensor {
	dev := q.Device()
	blocks := make([]uint32, (b.keys+c.BlockSize()-1)/c.BlockSize())
	for i := range blocks {
		blocks[i] = uint32(b.table[i])
	}
	of := func(x *tensor.Tensor) *tensor.Tensor { // [1 groups keys size]
		rows := x.IndexSelect(dev.FromSlice(blocks, len(blocks)), 0).Flatten(0, 1).Narrow(0, 0, b.keys)
		return rows.Transpose(0, 1).Unsqueeze(0).Contiguous()
	}
	queries := q.Narrow(0, b.first, b.n).Transpose(0, 1).Unsqueeze(0).Contiguous()
	return headRows(nn.Attention(queries, of(c.K), of(c.V), seeBlock(b.n, b.keys, see, dev)))
}
