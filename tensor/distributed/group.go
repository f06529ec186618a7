// Package distributed exchanges tensors between GPUs: those of one process, or of several.
//
//	g, err := distributed.New(a, b)  // two devices
//	sums := g.AllReduce(onA, onB)    // the sum of both, on a and on b
//
// A process for each GPU, as gorocm launch, torchrun, Slurm and MPI start them, trains its copy of a model so:
//
//	p, err := distributed.Environment()
//	g, err := p.Join(dev)
//	dp := distributed.NewDataParallel(g, params) // all begin with the parameters of rank 0
//	opt.Step(dp.Backward(loss))                  // and take the same steps
package distributed

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Group is several GPUs that exchange tensors: by RCCL or NCCL, else by copies through the host. They are GPUs of one
// process (New), or one of each of several processes (Join). Results have no gradients.
type Group struct {
	devices    []*tensor.Device
	group      *rocm.Group
	reductions atomic.Int64 // calls of AllReduce so far

	mu     sync.Mutex
	beside *beside // made when it is needed first
}

// New makes a group of GPUs, which must be different ones. The CPU cannot be a member: the error is of kind
// tensor.ErrDevice.
func New(devices ...*tensor.Device) (*Group, error) {
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
		return nil, caused(op, err)
	}
	return &Group{devices: slices.Clone(devices), group: g}, nil
}

// member returns the GPU of a device.
func member(op string, i int, d *tensor.Device) (*rocm.Device, error) {
	if d == nil {
		return nil, &tensor.Error{Op: op, Kind: tensor.ErrDevice, Message: fmt.Sprintf("device %d is nil", i)}
	}
	gpu, ok := extend.Backend(d).(backend.GPU)
	if !ok {
		return nil, &tensor.Error{Op: op, Kind: tensor.ErrDevice, Devices: []string{d.Location()},
			Message: "the CPU cannot be a member", Notes: []string{"GOROCM_EMULATED_DEVICES=2 emulates two GPUs"}}
	}
	return gpu.Device(), nil
}

// caused is an error of package rocm as one of a group.
func caused(op string, err error) error {
	return &tensor.Error{Op: op, Kind: tensor.ErrDevice, Message: err.Error(), Err: err}
}

// Join makes a group of GPUs in several processes: each of the world's processes calls it with its rank, from 0 to
// world-1, and its GPU. It returns when all have called it, and fails when that takes longer than five minutes. The
// processes find each other at tcp://HOST:PORT, where rank 0 listens, or by the path of a file that does not exist yet,
// in a folder that all processes see. Environment has the numbers and the address that a launcher gives its processes.
//
//	g, err := distributed.Join("tcp://node1:29500", rank, 2, dev)
//	sum := g.AllReduce(x)[0] // of the x of both processes
//
// The methods then take one tensor, this process's own, and return one. All processes make the same calls in the same
// order, with tensors of the same shape and dtype. When a process ends, calls that pass through tcp:// fail in the
// others; those that pass through files, RCCL or NCCL wait. The CPU cannot be a member: the error is of kind
// tensor.ErrDevice, as are those of Join itself.
func Join(at string, rank, world int, dev *tensor.Device) (*Group, error) {
	const op = "join group"
	m, err := member(op, 0, dev)
	if err != nil {
		return nil, err
	}
	g, err := rocm.JoinGroup(at, rank, world, m)
	if err != nil {
		return nil, caused(op, err)
	}
	return &Group{devices: []*tensor.Device{dev}, group: g}, nil
}

// Rank is the number of this process among those of Join; it is 0 in a group of one process.
func (g *Group) Rank() int { return g.group.Rank() }

// Size is the number of members, in all processes.
func (g *Group) Size() int { return g.group.Size() }

// Devices returns the members of this process.
func (g *Group) Devices() []*tensor.Device { return slices.Clone(g.devices) }

// Library says which library is used for the group; its Problem is why gorocm's own copies are used instead.
func (g *Group) Library() rocm.LibraryInfo { return g.group.Library() }

// Close frees the library's resources of the group, which cannot be used afterwards. It waits for the other processes
// to close it, too.
func (g *Group) Close() error { return g.group.Close() }
