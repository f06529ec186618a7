package train

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
)

// Item is one example of a Dataset: the tensors that belong together, such as an image and its class.
type Item = []*tensor.Tensor

// Dataset is examples by number. Loaders with workers call At from several goroutines.
type Dataset interface {
	// Len returns how many items there are.
	Len() int
	// At returns item i, from 0 to Len()-1.
	At(i int) (Item, error)
}

// batcher is a Dataset that makes whole batches at once.
type batcher interface {
	batch(ids []int) ([]*tensor.Tensor, error)
}

// Tensors returns the slices of tensors along dim 0, which belong together, as a Dataset: item i is ts[0].Get(i),
// ts[1].Get(i) and so on. It panics with ErrShape when the tensors have different sizes of dim 0.
func Tensors(ts ...*tensor.Tensor) Dataset {
	fail := func(format string, args ...any) {
		panic(&tensor.Error{Op: "train tensors", Kind: tensor.ErrShape, Message: fmt.Sprintf(format, args...)})
	}
	if len(ts) == 0 {
		fail("there are no tensors")
	}
	for _, t := range ts {
		if t.Rank() == 0 || ts[0].Rank() == 0 || t.Dim(0) != ts[0].Dim(0) {
			fail("want tensors with one size of dim 0, not shapes %v and %v", ts[0].Dims(), t.Dims())
		}
	}
	return tensors(ts)
}

type tensors []*tensor.Tensor

func (t tensors) Len() int { return t[0].Dim(0) }

func (t tensors) At(i int) (Item, error) {
	item := make(Item, len(t))
	for k, x := range t {
		item[k] = x.Get(i)
	}
	return item, nil
}

// batch gathers rows on the device that they are on.
func (t tensors) batch(ids []int) ([]*tensor.Tensor, error) {
	list := make([]uint32, len(ids))
	inOrder := true
	for i, id := range ids {
		list[i] = uint32(id)
		inOrder = inOrder && id == ids[0]+i
	}
	out := make([]*tensor.Tensor, len(t))
	for k, x := range t {
		if inOrder && len(ids) > 0 {
			out[k] = x.Narrow(0, ids[0], len(ids))
		} else {
			out[k] = x.IndexSelect(x.Device().New(list), 0)
		}
	}
	return out, nil
}

// Func returns a Dataset of n items that a function computes. It must return the same item for the same number.
//
//	squares := train.Func(100, func(i int) []*tensor.Tensor { return []*tensor.Tensor{tensor.Of(float64(i * i))} })
func Func(n int, item func(i int) []*tensor.Tensor) Dataset {
	return FuncWith(n, func(i int) ([]*tensor.Tensor, error) { return item(i), nil })
}

// FuncWith is Func for functions that may fail, such as those that read files.
func FuncWith(n int, item func(i int) ([]*tensor.Tensor, error)) Dataset { return computed{n, item} }

type computed struct {
	n    int
	item func(i int) ([]*tensor.Tensor, error)
}

func (c computed) Len() int               { return c.n }
func (c computed) At(i int) (Item, error) { return c.item(i) }

// Subset returns the items of a Dataset with these numbers, in this order.
func Subset(d Dataset, ids []int) Dataset {
	for _, id := range ids {
		if id < 0 || id >= d.Len() {
			panic(&tensor.Error{Op: "train subset", Kind: tensor.ErrIndex,
				Message: fmt.Sprintf("there is no item %d of %d", id, d.Len())})
		}
	}
	return FuncWith(len(ids), func(i int) ([]*tensor.Tensor, error) { return d.At(ids[i]) })
}

// Split divides a Dataset at random, by a seed, into parts of these sizes, such as those for training and for
// validation. It panics with ErrShape when the sizes are not those of a division.
func Split(d Dataset, seed uint64, sizes ...int) []Dataset {
	total := 0
	for _, size := range sizes {
		if total += size; size < 0 {
			total = -1
			break
		}
	}
	if total != d.Len() {
		panic(&tensor.Error{Op: "train split", Kind: tensor.ErrShape,
			Message: fmt.Sprintf("parts of %v are no division of %d items", sizes, d.Len())})
	}
	order := permutation(d.Len(), seed, 0)
	parts, at := make([]Dataset, len(sizes)), 0
	for i, size := range sizes {
		parts[i] = Subset(d, order[at:at+size])
		at += size
	}
	return parts
}

// Join returns the items of several Datasets one after the other.
func Join(list ...Dataset) Dataset {
	n := 0
	for _, d := range list {
		n += d.Len()
	}
	return FuncWith(n, func(i int) ([]*tensor.Tensor, error) {
		for _, d := range list {
			if i < d.Len() {
				return d.At(i)
			}
			i -= d.Len()
		}
		return nil, fmt.Errorf("train: there is no item %d", i)
	})
}
