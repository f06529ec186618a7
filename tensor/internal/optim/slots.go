package optim

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Slot is a variable with what a step needs for it. State and Master are dense, of the type of StateType and the
// variable's shape, and may be nil.
type Slot struct {
	W, G   *tensor.Tensor
	State  [3]*tensor.Tensor
	Master *tensor.Tensor // the variable in F32, which a variable of a small float is rounded from
	Late   int            // the steps of the optimizer that the variable has not taken
}

// StateType is the type of the state for a variable: F32 for small floats, or else the variable's own.
func StateType(dt tensor.DType) tensor.DType {
	if dt.IsSmallFloat() {
		return tensor.F32
	}
	return dt
}

// Columns of a table.
const (
	columnW = iota
	columnG
	columnState
	columnMaster = columnState + 3
	columnCount  = columnMaster + 1
)

// row is a Slot as backends see it: dense memory of n elements, with state of another type. Tensors that there are not
// have no store.
type row struct {
	n    int
	at   [columnCount]backend.Operand
	temp *tensor.Tensor // a dense copy of the gradient; freed after the launch
}

// batch are the rows of one device and one type that have taken the same number of steps.
type batch struct {
	dev   *tensor.Device
	dtype tensor.DType
	late  int
	rows  []row
}

// free gives the memory of copies back.
func free(list []*batch) {
	for _, b := range list {
		for _, r := range b.rows {
			if r.temp != nil {
				r.temp.Free()
			}
		}
	}
}

// batches sorts slots by device and type. Their variables and state will be written to.
func batches(op string, slots []Slot) []*batch {
	var list []*batch
	for _, s := range slots {
		if s.G.ElemCount() == 0 {
			continue
		}
		dt := s.G.DType().Real()
		dev := s.G.Device()
		i := slices.IndexFunc(list, func(b *batch) bool {
			return b.dev == dev && b.dtype == dt && b.late == s.Late
		})
		if i < 0 {
			i, list = len(list), append(list, &batch{dev: dev, dtype: dt, late: s.Late})
		}
		list[i].rows = append(list[i].rows, rowOf(op, s))
	}
	return list
}

func rowOf(op string, s Slot) row {
	r := row{n: s.G.ElemCount()}
	if s.G.DType().IsComplex() {
		r.n *= 2
	}
	g := s.G
	if !g.IsContiguous() {
		g = g.Contiguous()
		r.temp = g
	}
	r.at[columnG] = extend.InMemory(op, g)
	if s.W != nil {
		r.at[columnW] = extend.Written(op, s.W)
	}
	for i, t := range s.State {
		if t != nil {
			r.at[columnState+i] = extend.Written(op, t)
		}
	}
	if s.Master != nil {
		r.at[columnMaster] = extend.Written(op, s.Master)
	}
	return r
}
