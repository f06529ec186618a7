package rocm

import (
	"github.com/gorocm/gorocm/rocm/internal/group"
)

// JoinGroup creates a group of devices in several processes: each of world processes calls it with its rank, from 0 to
// world-1, and its device. path is a file that does not exist yet, in a folder that all processes see; through it they
// find each other, and Close removes it. JoinGroup returns when all processes have called it, and fails when the file
// of rank 0 does not appear within five minutes.
//
// The group's only device in this process is d. All processes must make the same calls in the same order, with operands
// of the same size: RCCL and NCCL wait for a process that does not. Without the library, and between emulated devices,
// data go through files beside path.
func JoinGroup(path string, rank, world int, d *Device) (*Group, error) {
	const op = "join a group"
	switch {
	case d == nil:
		return nil, invalid(op, "the device is nil")
	case world < 1 || rank < 0 || rank >= world:
		return nil, invalid(op, "rank %d of %d processes: it is from 0 to one less than their number, which is "+
			"at least 1", rank, world)
	case path == "":
		return nil, invalid(op, "the path is empty")
	}
	files := group.NewRendezvous(path, rank, world)
	g := &Group{devices: []*Device{d}, rank: rank, world: world, files: files}
	lib, problem := g.load()
	var err error
	g.comm, g.problem, err = group.Join(files, member{d}, lib, problem)
	if err != nil {
		return nil, public(err)
	}
	return g, nil
}
