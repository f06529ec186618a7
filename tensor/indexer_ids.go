package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Indexing by ids and masks. Several of them are paired, as in NumPy: their shapes are broadcast to one, and each
// element of it names one element, or slice, of the tensor. The dims of that shape replace those that are indexed, or
// come first where other dims lie between these.

// idsOf is ids for one dim of a tensor.
type idsOf struct {
	dim int
	ids *Tensor
}

// byIDs picks from dims of t; marks are ids and masks, each with the first dim that it is for.
func (t *Tensor) byIDs(op string, marks []idsOf) (*Tensor, error) {
	if x := marks[0].ids; len(marks) == 1 && isMask(x) {
		return t.pickedBy(op, x, marks[0].dim)
	}
	p, err := t.pairing(op, marks)
	if err != nil {
		return nil, err
	}
	rows, err := p.rows(op, t)
	if err != nil {
		return nil, err
	}
	out, err := rows.indexSelectBy(op, p.flat, p.at, p.bad)
	if err != nil {
		return nil, err
	}
	return out.reshape(op, slices.Concat(rows.layout.Shape[:p.at], p.shape, rows.layout.Shape[p.at+1:]))
}

// pairing is what several ids say together: the indexed dims of a tensor, in the order of perm, are one dim, of which
// flat has the ids.
type pairing struct {
	perm  []int // the dims of the tensor in the order in which those that are indexed are adjacent
	at    int   // the first of them
	count int   // how many they are
	shape []int // of the ids, to which they were broadcast
	flat  *Tensor
	bad   backend.IndexErrorFunc
}

func (t *Tensor) pairing(op string, marks []idsOf) (*pairing, error) {
	list, err := t.allIDs(op, marks)
	if err != nil {
		return nil, err
	}
	dims, ids := make([]int, len(list)), make([]*Tensor, len(list))
	for i, x := range list {
		dims[i] = x.dim
		if ids[i], err = t.fromEnd(op, x.ids, x.dim); err != nil {
			return nil, err
		}
	}
	if ids, err = broadcastAll(op, ids...); err != nil {
		return nil, err
	}
	p := &pairing{count: len(dims), shape: ids[0].layout.Shape}
	rest := make([]int, 0, t.Rank())
	for d := range t.Rank() {
		if !slices.Contains(dims, d) {
			rest = append(rest, d)
		}
	}
	if dims[len(dims)-1]-dims[0] == len(dims)-1 {
		p.at = dims[0]
	}
	p.perm = slices.Insert(rest, p.at, dims...)
	if p.flat, err = t.joinIDs(op, dims, ids); err != nil {
		return nil, err
	}
	p.bad = t.outOfRangeOf(op, dims, ids)
	return p, nil
}

// allIDs replaces masks by the ids of the elements that they select, one vector for each dim.
func (t *Tensor) allIDs(op string, marks []idsOf) (list []idsOf, err error) {
	for _, x := range marks {
		if !isMask(x.ids) {
			list = append(list, x)
			continue
		}
		if err := t.fitsMask(op, x.ids, x.dim); err != nil {
			return nil, err
		}
		positions, err := x.ids.nonzero()
		if err != nil {
			return nil, err
		}
		for k := range x.ids.Rank() {
			list = append(list, idsOf{x.dim + k, positions.view(positions.layout.Narrow(1, k, 1).DropDim(1))})
		}
	}
	return list, nil
}

// fromEnd returns ids in a type that kernels take, those from -n to -1 as the positions that they count from the end.
func (t *Tensor) fromEnd(op string, ids *Tensor, dim int) (*Tensor, error) {
	low, _ := backend.IntRange(ids.dtype)
	ids, err := t.checkIDs(op, ids)
	if err != nil || low == 0 {
		return ids, err
	}
	n := t.layout.Shape[dim]
	return Try(func() *Tensor { return ids.Lt(0).And(ids.Ge(-n)).WhereCond(ids.Add(n), ids) })
}

// joinIDs returns the ids of the dims as one, by their sizes; -1 where one is out of range.
func (t *Tensor) joinIDs(op string, dims []int, ids []*Tensor) (*Tensor, error) {
	if len(dims) == 1 {
		return ids[0].reshape(op, []int{ids[0].ElemCount()})
	}
	return Try(func() *Tensor {
		var flat, wrong *Tensor
		for i, d := range dims {
			n := t.layout.Shape[d]
			x := ids[i].ToDType(I64)
			bad := x.Lt(0).Or(x.Ge(n))
			if i == 0 {
				flat, wrong = x, bad
			} else {
				flat, wrong = flat.Mul(n).Add(x), wrong.Or(bad)
			}
		}
		return wrong.WhereCond(-1, flat).FlattenAll()
	})
}

// outOfRangeOf is outOfRange for ids of several dims.
func (t *Tensor) outOfRangeOf(op string, dims []int, ids []*Tensor) backend.IndexErrorFunc {
	each := make([]backend.IndexErrorFunc, len(dims))
	sizes := make([]int, len(dims))
	for i, d := range dims {
		each[i], sizes[i] = t.outOfRange(op, ids[i], d), t.layout.Shape[d]
	}
	return func(position int) error {
		for i := range dims {
			v, err := ids[i].at(op, position)
			if err != nil || v < 0 || v >= float64(sizes[i]) {
				return each[i](position)
			}
		}
		return each[0](position)
	}
}

// at returns one element, by its position in row-major order.
func (t *Tensor) at(op string, position int) (float64, error) {
	one := t.layout
	for k := t.Rank() - 1; k >= 0; k-- {
		n := t.layout.Shape[k]
		one = one.Narrow(k, position%n, 1)
		position /= n
	}
	v, err := t.view(one).float64s(op)
	if err != nil {
		return 0, err
	}
	return v[0], nil
}

// rows returns t with the indexed dims adjacent and merged.
func (p *pairing) rows(op string, t *Tensor) (*Tensor, error) {
	if !slices.IsSorted(p.perm) {
		var err error
		if t, err = Try(func() *Tensor { return t.Permute(p.perm...) }); err != nil {
			return nil, err
		}
	}
	shape := t.layout.Shape
	n := backend.Product(shape[p.at : p.at+p.count])
	return t.reshape(op, slices.Concat(shape[:p.at], []int{n}, shape[p.at+p.count:]))
}
