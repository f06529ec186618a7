package distributed

import (
	"slices"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// AllReduce returns the sum of tensors of one shape and dtype, one of each member, in the order of the members: for
// each member of this process a tensor of its own. It panics with tensor.ErrShape, ErrDType or ErrDevice when the
// tensors do not match. Tensors of i16, f8e4m3 and complex numbers have no sums here.
func (g *Group) AllReduce(ts ...*tensor.Tensor) []*tensor.Tensor {
	g.reductions.Add(1)
	return g.collective("all reduce", ts, (*tensor.Tensor).Dims, func(from, to []rocm.Place) error {
		return g.group.AllReduce(rocm.Sum, ts[0].DType().String(), ts[0].ElemCount(), from, to)
	})
}

// AllGather returns for each member of this process the tensors of all members, of one shape and dtype, joined along
// dim 0 in the order of the members. It panics as AllReduce does.
func (g *Group) AllGather(ts ...*tensor.Tensor) []*tensor.Tensor {
	const op = "all gather"
	return g.collective(op, ts, func(t *tensor.Tensor) []int {
		if t.Rank() == 0 {
			extend.Shape(op, ts, "scalars have no dim to join along")
		}
		shape := t.Dims()
		shape[0] *= g.Size()
		return shape
	}, func(from, to []rocm.Place) error {
		return g.group.AllGather(ts[0].DType().String(), ts[0].ElemCount(), from, to)
	})
}

// Broadcast returns t, which is on a member, and for each other member a copy of it, in the order of the members. In
// a group of several processes, the tensor of rank 0 is copied: the t of the others gives its shape and dtype. It
// panics with tensor.ErrDevice when t is on no member, and with tensor.ErrShape when it is nil.
func (g *Group) Broadcast(t *tensor.Tensor) []*tensor.Tensor {
	const op = "broadcast"
	if t == nil {
		extend.Shape(op, nil, "the tensor is nil")
	}
	root := slices.Index(g.devices, t.Device())
	if root < 0 {
		extend.Fail(op, tensor.ErrDevice, []*tensor.Tensor{t}, "",
			"the tensor is on %v, which is not a member of the group of %v", t.Device(), g.devices)
	}
	source := t.Detach().Contiguous()
	if g.Rank() > 0 {
		source = t.EmptyLike()
	}
	list := make([]*tensor.Tensor, len(g.devices))
	for i, d := range g.devices {
		if list[i] = source; i != root {
			list[i] = d.Empty(t.DType(), t.Dims()...)
		}
	}
	g.send(op, root, list)
	return list
}

// send copies the elements of the member root, counted over all processes, to the tensors of this process's members.
func (g *Group) send(op string, root int, list []*tensor.Tensor) {
	at := make([]rocm.Place, len(list))
	for i, t := range list {
		at[i] = placeOf(op, t)
	}
	// Broadcasts copy bytes of any type.
	bytes := list[0].ElemCount() * list[0].DType().Size()
	extend.Check(op, list[0].Device(), g.group.Broadcast("u8", bytes, root, at))
}

// collective checks the tensors of the members, makes the results, and runs a collective.
func (g *Group) collective(
	op string, ts []*tensor.Tensor, shape func(*tensor.Tensor) []int, run func(from, to []rocm.Place) error,
) []*tensor.Tensor {
	if len(ts) != len(g.devices) {
		extend.Fail(op, tensor.ErrShape, nil, "give one tensor for each device of the group",
			"%d tensors for the %d devices %v", len(ts), len(g.devices), g.devices)
	}
	if i := slices.Index(ts, nil); i >= 0 {
		extend.Shape(op, nil, "tensor %d is nil", i)
	}
	from, to := make([]rocm.Place, len(ts)), make([]rocm.Place, len(ts))
	results, sources := make([]*tensor.Tensor, len(ts)), make([]*tensor.Tensor, len(ts))
	for i, t := range ts {
		dt := t.DType()
		switch {
		case t.Device() != g.devices[i]:
			extend.Fail(op, tensor.ErrDevice, ts, "", "tensor %d is on %v, that member of the group is %v", i,
				t.Device(), g.devices[i])
		case dt != ts[0].DType():
			extend.DType(op, ts, "dtypes differ: %v and %v", ts[0].DType(), dt)
		case dt == tensor.I16 || dt == tensor.F8E4M3 || dt.IsComplex():
			extend.DType(op, ts, "there are none of %v", dt)
		case !slices.Equal(t.Dims(), ts[0].Dims()):
			extend.Shape(op, ts, "shapes differ: %v and %v", ts[0].Dims(), t.Dims())
		}
		sources[i] = t.Detach().Contiguous()
		results[i] = t.Device().Empty(dt, shape(t)...)
		from[i], to[i] = placeOf(op, sources[i]), placeOf(op, results[i])
	}
	extend.Check(op, g.devices[0], run(from, to))
	return results
}

// placeOf returns the memory of a dense tensor on a GPU.
func placeOf(op string, t *tensor.Tensor) rocm.Place {
	o := extend.InMemory(op, t)
	return rocm.Place{Buffer: o.Store.(backend.DeviceMemory).DeviceBuffer(), Offset: o.Layout.Offset * o.DType.Size()}
}
