package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/rocm"
)

// Group is several GPUs of one session that share what they have computed: by RCCL or NCCL, else by copies and the host. Results have no gradients.
//
//	g, err := tensor.NewGroup(a, b)
//	grads := g.AllReduce(onA, onB)   // the sum of both, on a and on b
type Group struct {
	devices []*Device
	group   *rocm.Group
}

// NewGroup makes a group of GPUs, which must be different ones. The CPU cannot be a member: the error is of kind ErrDevice.
func NewGroup(devices ...*Device) (*Group, error) {
	const op = "new group"
	var members []*rocm.Device
	for _, d := range devices {
		if d == nil {
			return nil, &Error{Op: op, Kind: ErrDevice, Message: "a device is nil"}
		}
		a, ok := d.backend.(*accelerator)
		if !ok {
			return nil, &Error{Op: op, Kind: ErrDevice, Devices: []string{d.location}, Message: "the CPU cannot be a member"}
		}
		members = append(members, a.dev)
	}
	g, err := rocm.NewGroup(members...)
	if err != nil {
		return nil, caused(&Error{Op: op, Kind: ErrDevice}, err)
	}
	return &Group{slices.Clone(devices), g}, nil
}

// Devices returns the members.
func (g *Group) Devices() []*Device { return slices.Clone(g.devices) }

// Library says which library works for the group; its Problem is why gorocm's own copies do.
func (g *Group) Library() rocm.LibraryInfo { return g.group.Library() }

// Close gives back what the library has made for the group, which cannot be used afterwards.
func (g *Group) Close() error { return g.group.Close() }

// AllReduce returns the sum of tensors of one shape and dtype, of which each member has one, in the order of the members: for each member a
// tensor of its own. It panics with ErrShape, ErrDType or ErrDevice when they are not that. Tensors of i16 and f8e4m3 have no sums here.
func (g *Group) AllReduce(ts ...*Tensor) []*Tensor {
	return g.together("all reduce", ts, func(t *Tensor) []int { return t.layout.shape }, func(from, to []rocm.Place) error {
		return g.group.AllReduce(rocm.Sum, ts[0].dtype.String(), ts[0].ElemCount(), from, to)
	})
}

// AllGather returns for each member the tensors of all, of one shape and dtype, joined along dim 0 in the order of the members. Panics are as those of AllReduce.
func (g *Group) AllGather(ts ...*Tensor) []*Tensor {
	const op = "all gather"
	return g.together(op, ts, func(t *Tensor) []int {
		if t.Rank() == 0 {
			check(fault(op, ErrShape, ts, "scalars have no dim to join along"))
		}
		shape := slices.Clone(t.layout.shape)
		shape[0] *= len(g.devices)
		return shape
	}, func(from, to []rocm.Place) error {
		return g.group.AllGather(ts[0].dtype.String(), ts[0].ElemCount(), from, to)
	})
}

// Broadcast returns t, which is on a member, and for each other member a copy of it, in the order of the members. It panics with ErrDevice when t is elsewhere.
func (g *Group) Broadcast(t *Tensor) []*Tensor {
	const op = "broadcast"
	root := slices.Index(g.devices, t.dev)
	if root < 0 {
		check(fault(op, ErrDevice, []*Tensor{t}, "no member of the group has the tensor"))
	}
	source := must(t.plain().contiguous(op))
	list, at := make([]*Tensor, len(g.devices)), make([]rocm.Place, len(g.devices))
	for i, d := range g.devices {
		if list[i] = source; i != root {
			list[i] = must(empty(op, t.layout.shape, t.dtype, d))
		}
		at[i] = placeOf(list[i])
	}
	// Bytes are copied whatever they mean.
	check(failure(op, t.dev, g.group.Broadcast("u8", t.ElemCount()*t.dtype.Size(), root, at)))
	return list
}

// together checks the tensors of the members, makes the results, and runs a collective.
func (g *Group) together(op string, ts []*Tensor, shape func(*Tensor) []int, run func(from, to []rocm.Place) error) []*Tensor {
	if len(ts) != len(g.devices) || slices.Contains(ts, nil) {
		check(fault(op, ErrShape, nil, "%d tensors for %d devices, or one that is nil", len(ts), len(g.devices)))
	}
	from, to := make([]rocm.Place, len(ts)), make([]rocm.Place, len(ts))
	results, sources := make([]*Tensor, len(ts)), make([]*Tensor, len(ts))
	for i, t := range ts {
		switch {
		case t.dev != g.devices[i]:
			check(fault(op, ErrDevice, ts, "tensor %d is on %v, that member of the group is %v", i, t.dev, g.devices[i]))
		case t.dtype != ts[0].dtype:
			check(fault(op, ErrDType, ts, "dtypes differ: %v and %v", ts[0].dtype, t.dtype))
		case t.dtype == I16 || t.dtype == F8E4M3:
			check(fault(op, ErrDType, ts, "there are none of %v", t.dtype))
		case !slices.Equal(t.layout.shape, ts[0].layout.shape):
			check(fault(op, ErrShape, ts, "shapes differ: %v and %v", ts[0].layout.shape, t.layout.shape))
		}
		sources[i] = must(t.plain().contiguous(op))
		results[i] = must(empty(op, shape(t), t.dtype, t.dev))
		from[i], to[i] = placeOf(sources[i]), placeOf(results[i])
	}
	check(failure(op, g.devices[0], run(from, to)))
	return results
}

// placeOf is where the elements of a dense tensor on a GPU are.
func placeOf(t *Tensor) rocm.Place {
	o := t.operand()
	return rocm.Place{Buffer: buffer(o.store), Offset: o.layout.offset * o.dtype.Size()}
}
