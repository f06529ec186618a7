package train

import (
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// Collate makes the tensors of a batch of its items.
type Collate func(items []Item) ([]*tensor.Tensor, error)

// Stacked stacks the tensors of items along a new dim 0. It is what Loaders do without another Collate.
func Stacked(items []Item) ([]*tensor.Tensor, error) {
	columns, err := columnsOf(items)
	if err != nil {
		return nil, err
	}
	for k, column := range columns {
		for i, t := range column {
			if !slices.Equal(t.Dims(), column[0].Dims()) {
				return nil, fmt.Errorf("train: tensor %d of items %d and 0 of a batch have shapes %v and %v: "+
					"Padded makes them equal", k, i, t.Dims(), column[0].Dims())
			}
		}
	}
	return stackAll(columns)
}

// PadOptions are those of Padded.
type PadOptions struct {
	Values   []float64 // what the k-th tensors of items are padded with; those beyond the list with 0
	Multiple int       // sizes become multiples of it, so that fewer shapes occur; 0 stands for 1
	Left     bool      // padding comes before, as for generating texts, not behind
	Lengths  bool      // a batch has one tensor more, I64 [batch]: the sizes of dim 0 of the first tensors
}

// Padded is a Collate that pads the tensors of items, along every dim, to the largest of their batch.
//
//	train.LoaderOptions{Batch: 8, Collate: train.Padded(train.PadOptions{Values: []float64{0, -100}})}
func Padded(o PadOptions) Collate {
	return func(items []Item) ([]*tensor.Tensor, error) {
		columns, err := columnsOf(items)
		if err != nil {
			return nil, err
		}
		var lengths []int64
		for _, t := range columns[0] {
			if o.Lengths && t.Rank() == 0 {
				return nil, fmt.Errorf("train: the first tensor of an item is a scalar, which has no length")
			} else if o.Lengths {
				lengths = append(lengths, int64(t.Dim(0)))
			}
		}
		for k, column := range columns {
			value := 0.0
			if k < len(o.Values) {
				value = o.Values[k]
			}
			if columns[k], err = padAll(column, o, value); err != nil {
				return nil, fmt.Errorf("train: tensor %d of items: %w", k, err)
			}
		}
		batch, err := stackAll(columns)
		if err == nil && o.Lengths {
			batch = append(batch, tensor.CPU().New(lengths))
		}
		return batch, err
	}
}

// padAll pads tensors to the largest sizes among them.
func padAll(column []*tensor.Tensor, o PadOptions, value float64) ([]*tensor.Tensor, error) {
	most := make([]int, column[0].Rank())
	for _, t := range column {
		if t.Rank() != len(most) {
			return nil, fmt.Errorf("shapes %v and %v have different numbers of dims", column[0].Dims(), t.Dims())
		}
		for d, n := range t.Dims() {
			m := max(o.Multiple, 1)
			most[d] = max(most[d], (n+m-1)/m*m)
		}
	}
	out := make([]*tensor.Tensor, len(column))
	for i, t := range column {
		for d, n := range most {
			if missing := n - t.Dim(d); missing > 0 && o.Left {
				t = t.Pad(d, missing, 0, value)
			} else if missing > 0 {
				t = t.Pad(d, 0, missing, value)
			}
		}
		out[i] = t
	}
	return out, nil
}

// columnsOf are the k-th tensors of all items, for every k.
func columnsOf(items []Item) ([][]*tensor.Tensor, error) {
	if len(items) == 0 || len(items[0]) == 0 {
		return nil, fmt.Errorf("train: a batch without items, or with items without tensors")
	}
	columns := make([][]*tensor.Tensor, len(items[0]))
	for i, item := range items {
		if len(item) != len(columns) || slices.Contains(item, nil) {
			return nil, fmt.Errorf("train: item %d of a batch has %d tensors, or one is nil, and item 0 has %d", i,
				len(item), len(columns))
		}
		for k, t := range item {
			columns[k] = append(columns[k], t)
		}
	}
	return columns, nil
}

func stackAll(columns [][]*tensor.Tensor) ([]*tensor.Tensor, error) {
	batch := make([]*tensor.Tensor, len(columns))
	for k, column := range columns {
		t, err := tensor.Try(func() *tensor.Tensor { return tensor.Stack(column, 0) })
		if err != nil {
			return nil, fmt.Errorf("train: tensor %d of items: %w", k, err)
		}
		batch[k] = t
	}
	return batch, nil
}
