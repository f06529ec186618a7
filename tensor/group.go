package tensor

import (
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Group is several GPUs that exchange tensors: by RCCL or NCCL, else by copies through the host. They are GPUs of one
// process (NewGroup), or one of each of several processes (JoinGroup). Results have no gradients.
//
//	g, err := tensor.NewGroup(a, b)
//	grads := g.AllReduce(onA, onB)   // the sum of both, on a and on b
type Group struct {
	devices []*Device
	group   *rocm.Group
}

// NewGroup makes a group of GPUs, which must be different ones. The CPU cannot be a member: the error is of kind
// ErrDevice.
func NewGroup(devices ...*Device) (*Group, error) {
	const op = "new group"
	var members []*rocm.Device
	for i, d := range devices {
		m, err := member(op, i, d)
		if err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	g, err := rocm.NewGroup(members...)
	if err != nil {
		return nil, caused(&Error{Op: op, Kind: ErrDevice}, err)
	}
	return &Group{slices.Clone(devices), g}, nil
}

// member returns the GPU of a device.
func member(op string, i int, d *Device) (*rocm.Device, error) {
	if d == nil {
		return nil, &Error{Op: op, Kind: ErrDevice, Message: fmt.Sprintf("device %d is nil", i)}
	}
	gpu := d.gpu()
	if gpu == nil {
		return nil, (&Error{Op: op, Kind: ErrDevice, Devices: []string{d.location},
			Message: "the CPU cannot be a member"}).note("GOROCM_EMULATED_DEVICES=2 emulates two GPUs")
	}
	return gpu, nil
}

// JoinGroup makes a group of GPUs in several processes: each of the world's processes calls it with its rank, from 0 to
// world-1, and its GPU. path is a file that does not exist yet, in a folder that all processes see: rank 0 writes the
// address of the group there. JoinGroup returns when all processes have joined.
//
//	g, err := tensor.JoinGroup("/tmp/job", rank, 2, dev)
//	sum := g.AllReduce(x)[0]   // of the x of both processes
//
// The methods then take one tensor, this process's own, and return one. All processes make the same calls in the same
// order, with tensors of the same shape and dtype; a process that does not leaves the others waiting. The CPU cannot be
// a member: the error is of kind ErrDevice, as are those of JoinGroup itself.
func JoinGroup(path string, rank, world int, dev *Device) (*Group, error) {
	const op = "join group"
	m, err := member(op, 0, dev)
	if err != nil {
		return nil, err
	}
	g, err := rocm.JoinGroup(path, rank, world, m)
	if err != nil {
		return nil, caused(&Error{Op: op, Kind: ErrDevice, Devices: []string{dev.location}}, err)
	}
	return &Group{[]*Device{dev}, g}, nil
}

// Rank is the number of this process among those of JoinGroup; it is 0 in a group of one process.
func (g *Group) Rank() int { return g.group.Rank() }

// Size is the number of members, in all processes.
func (g *Group) Size() int { return g.group.Size() }

// Devices returns the members of this process.
func (g *Group) Devices() []*Device { return slices.Clone(g.devices) }

// Library says which library is used for the group; its Problem is why gorocm's own copies are used instead.
func (g *Group) Library() rocm.LibraryInfo { return g.group.Library() }

// Close frees the library's resources of the group, which cannot be used afterwards. It waits for the other processes
// to close it, too.
func (g *Group) Close() error { return g.group.Close() }

// AllReduce returns the sum of tensors of one shape and dtype, one of each member, in the order of the members: for
// each member of this process a tensor of its own. It panics with ErrShape, ErrDType or ErrDevice when the tensors do
// not match. Tensors of i16 and f8e4m3 have no sums here.
func (g *Group) AllReduce(ts ...*Tensor) []*Tensor {
	return g.collective("all reduce", ts, func(t *Tensor) []int { return t.layout.Shape },
		func(from, to []rocm.Place) error {
			return g.group.AllReduce(rocm.Sum, ts[0].dtype.String(), ts[0].ElemCount(), from, to)
		})
}

// AllGather returns for each member of this process the tensors of all members, of one shape and dtype, joined along
// dim 0 in the order of the members. It panics as AllReduce does.
func (g *Group) AllGather(ts ...*Tensor) []*Tensor {
	const op = "all gather"
	return g.collective(op, ts, func(t *Tensor) []int {
		if t.Rank() == 0 {
			check(fault(op, ErrShape, ts, "scalars have no dim to join along"))
		}
		shape := slices.Clone(t.layout.Shape)
		shape[0] *= g.Size()
		return shape
	}, func(from, to []rocm.Place) error {
		return g.group.AllGather(ts[0].dtype.String(), ts[0].ElemCount(), from, to)
	})
}

// Broadcast returns t, which is on a member, and for each other member a copy of it, in the order of the members. In
// a group of several processes, the tensor of rank 0 is copied: the t of the others gives its shape and dtype. It
// panics with ErrDevice when t is on no member, and with ErrShape when it is nil.
func (g *Group) Broadcast(t *Tensor) []*Tensor {
	const op = "broadcast"
	if t == nil {
		check(fault(op, ErrShape, nil, "the tensor is nil"))
	}
	root := slices.Index(g.devices, t.dev)
	if root < 0 {
		check(fault(op, ErrDevice, []*Tensor{t}, "the tensor is on %v, which is not a member of the group of %v", t.dev,
			g.devices))
	}
	source := must(t.plain().contiguous(op))
	if g.Rank() > 0 {
		source = must(empty(op, t.layout.Shape, t.dtype, t.dev))
	}
	list, at := make([]*Tensor, len(g.devices)), make([]rocm.Place, len(g.devices))
	for i, d := range g.devices {
		if list[i] = source; i != root {
			list[i] = must(empty(op, t.layout.Shape, t.dtype, d))
		}
		at[i] = placeOf(list[i])
	}
	// Broadcasts copy bytes of any type.
	check(failure(op, t.dev, g.group.Broadcast("u8", t.ElemCount()*t.dtype.Size(), root, at)))
	return list
}

// collective checks the tensors of the members, makes the results, and runs a collective.
func (g *Group) collective(
	op string, ts []*Tensor, shape func(*Tensor) []int, run func(from, to []rocm.Place) error,
) []*Tensor {
	if len(ts) != len(g.devices) {
		check(fault(op, ErrShape, nil, "%d tensors for %d devices", len(ts),
			len(g.devices)).note("it takes one tensor for each of %v", g.devices))
	}
	if i := slices.Index(ts, nil); i >= 0 {
		check(fault(op, ErrShape, nil, "tensor %d is nil", i))
	}
	from, to := make([]rocm.Place, len(ts)), make([]rocm.Place, len(ts))
	results, sources := make([]*Tensor, len(ts)), make([]*Tensor, len(ts))
	for i, t := range ts {
		switch {
		case t.dev != g.devices[i]:
			check(fault(op, ErrDevice, ts, "tensor %d is on %v, that member of the group is %v", i, t.dev,
				g.devices[i]))
		case t.dtype != ts[0].dtype:
			check(fault(op, ErrDType, ts, "dtypes differ: %v and %v", ts[0].dtype, t.dtype))
		case t.dtype == I16 || t.dtype == F8E4M3 || t.dtype.IsComplex():
			check(fault(op, ErrDType, ts, "there are none of %v", t.dtype))
		case !slices.Equal(t.layout.Shape, ts[0].layout.Shape):
			check(fault(op, ErrShape, ts, "shapes differ: %v and %v", ts[0].layout.Shape, t.layout.Shape))
		}
		sources[i] = must(t.plain().contiguous(op))
		results[i] = must(empty(op, shape(t), t.dtype, t.dev))
		from[i], to[i] = placeOf(sources[i]), placeOf(results[i])
	}
	check(failure(op, g.devices[0], run(from, to)))
	return results
}

// placeOf returns the memory of a dense tensor on a GPU.
func placeOf(t *Tensor) rocm.Place {
	o := t.operand()
	return rocm.Place{Buffer: o.Store.(backend.DeviceMemory).DeviceBuffer(), Offset: o.Layout.Offset * o.DType.Size()}
}
