package nn

import (
	"iter"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/random"
)

// BatchOptions are those of Batches, with the names of PyTorch's DataLoader.
type BatchOptions struct {
	Shuffle  *random.Generator // draws another order for each pass; nil keeps that of the data
	DropLast bool              // a last batch that is smaller is left out
}

// Batches returns the slices of tensors along dim 0, which belong together, in batches of size: those of x and y are
// [size …], the last ones maybe smaller. Each range over the result is one pass over the data. Batches in order share
// the memory of the tensors; those that are shuffled are gathered, on their device. It panics with ErrShape when the
// tensors have different sizes of dim 0 or are on different devices, and when size is not positive.
//
//	for _, b := range nn.Batches(32, nn.BatchOptions{Shuffle: random.New(1)}, x, y) {
//		loss := nn.TrainStep(opt, func() *tensor.Tensor { return nn.CrossEntropy(model(b[0]), b[1]) })
//	}
func Batches(size int, o BatchOptions, ts ...*tensor.Tensor) iter.Seq2[int, []*tensor.Tensor] {
	n := sameLength("batches", ts)
	if size < 1 {
		extend.Shape("batches", ts, "batches of %d", size)
	}
	return func(yield func(int, []*tensor.Tensor) bool) {
		var order *tensor.Tensor
		if o.Shuffle != nil {
			order = o.Shuffle.Permutation(n, ts[0].Device())
		}
		for i, at := 0, 0; at < n; i, at = i+1, at+size {
			count := min(size, n-at)
			if count < size && o.DropLast || !yield(i, slicesOf(ts, order, at, count)) {
				return
			}
		}
	}
}

// RandomSplit divides the slices of tensors along dim 0, which belong together, at random into parts of these sizes,
// such as those for training and for validation: parts[i][k] has the slices of ts[k]. It panics with ErrShape when the
// sizes are not those of a division, and for tensors as Batches does.
//
//	parts := nn.RandomSplit(random.New(1), []int{800, 200}, x, y) // parts[1][0] has 200 rows of x
func RandomSplit(g *random.Generator, sizes []int, ts ...*tensor.Tensor) [][]*tensor.Tensor {
	const op = "random split"
	n, total := sameLength(op, ts), 0
	for _, size := range sizes {
		if size < 0 {
			extend.Shape(op, ts, "a part of %d", size)
		}
		total += size
	}
	if total != n {
		extend.Shape(op, ts, "parts of %v have %d slices together, not %d", sizes, total, n)
	}
	order, at := g.Permutation(n, ts[0].Device()), 0
	parts := make([][]*tensor.Tensor, len(sizes))
	for i, size := range sizes {
		parts[i] = slicesOf(ts, order, at, size)
		at += size
	}
	return parts
}

// sameLength is the size of dim 0 of all tensors.
func sameLength(op string, ts []*tensor.Tensor) int {
	if len(ts) == 0 {
		extend.Shape(op, nil, "there are no tensors")
	}
	extend.SameDevice(op, ts...)
	for _, t := range ts {
		if t.Rank() == 0 || ts[0].Rank() == 0 || t.Dim(0) != ts[0].Dim(0) {
			extend.Shape(op, []*tensor.Tensor{ts[0], t}, "want tensors with one size of dim 0, not shapes %v and %v",
				ts[0].Dims(), t.Dims())
		}
	}
	return ts[0].Dim(0)
}

// slicesOf are count slices of tensors from a position on, in an order unless that is nil.
func slicesOf(ts []*tensor.Tensor, order *tensor.Tensor, at, count int) []*tensor.Tensor {
	list := make([]*tensor.Tensor, len(ts))
	for k, t := range ts {
		if order == nil {
			list[k] = t.Narrow(0, at, count)
		} else {
			list[k] = t.IndexSelect(order.Narrow(0, at, count), 0)
		}
	}
	return list
}
