package rocm

import (
	"github.com/gorocm/gorocm/rocm/internal/group"
)

// JoinGroup creates a group of devices in several processes: each of world processes calls it with its rank, from 0 to
// world-1, and its device. JoinGroup returns when all processes have called it, and fails when that takes longer than
// five minutes. The processes find each other at one of
//
//   - tcp://HOST:PORT, an address of the machine of rank 0, which listens there while the processes join. They trust
//     each other and the network. When a process ends, the next call that needs it fails in the others.
//   - the path of a file that does not exist yet, in a folder that all processes see; Close removes it. A process that
//     ends leaves the others waiting.
//
// The group's only device in this process is d. All processes must make the same calls in the same order, with operands
// of the same size: RCCL and NCCL wait for a process that does not, or that has ended. Without the library in each
// process, and between emulated devices, data go through rank 0's connections, or through files beside the path.
func JoinGroup(at string, rank, world int, d *Device) (*Group, error) {
	const op = "join a group"
	switch {
	case d == nil:
		return nil, invalid(op, "the device is nil")
	case world < 1 || rank < 0 || rank >= world:
		return nil, invalid(op, "rank %d of %d processes: it is from 0 to one less than their number, which is "+
			"at least 1", rank, world)
	case at == "":
		return nil, invalid(op, "the address is empty: it is tcp://HOST:PORT or the path of a file")
	}
	others, err := group.At(at, rank, world)
	if err != nil {
		return nil, public(err)
	}
	g := newGroup([]*Device{d}, rank, world, others)
	lib, problem := g.load()
	g.comm, g.problem, err = group.Join(others, member{d}, lib, problem)
	if err != nil {
		return nil, public(err)
	}
	return g, nil
}
