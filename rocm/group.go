package rocm

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Group is several devices that compute one thing together: what they hold is added up, gathered and handed round. They are devices of one process
// (NewGroup), or one of each of several processes (JoinGroup). Between GPUs of one platform the work is that of RCCL or NCCL, put on the devices' streams;
// without the library, and between emulated devices, it goes through copies and the host. Its methods may be called by several goroutines.
type Group struct {
	devices []*Device  // of this process
	rank    int        // of the first of them among all members
	world   int        // how many members there are
	meeting *meeting   // of the processes; nil when there is one
	mu      sync.Mutex // calls of a group come together, from one thread
	lib     *commLibrary
	comms   []uintptr
	problem error // why there is no library
	closed  bool
}

// Reduction says how the elements of several devices become one.
type Reduction string

// The reductions.
const (
	Sum      Reduction = "sum"
	Product  Reduction = "product"
	Greatest Reduction = "greatest"
	Least    Reduction = "least"
)

// NewGroup makes a group of devices, which must be different ones.
func NewGroup(devices ...*Device) (*Group, error) {
	if len(devices) == 0 {
		return nil, invalid("group", "it has no devices")
	}
	for i, d := range devices {
		if d == nil || slices.Contains(devices[:i], d) {
			return nil, invalid("group", "device %d is nil, or there a second time", i)
		}
	}
	g := &Group{devices: slices.Clone(devices), world: len(devices)}
	g.lib, g.problem = g.load()
	if g.problem == nil {
		g.problem = g.start()
	}
	return g, nil
}

// Devices returns the members of this process, in the order of their parts.
func (g *Group) Devices() []*Device { return slices.Clone(g.devices) }

// Rank is the number of this process's first member: 0 in a group of one process.
func (g *Group) Rank() int { return g.rank }

// Size is the number of members, in all processes.
func (g *Group) Size() int { return g.world }

// String names the members.
func (g *Group) String() string {
	if g.meeting != nil {
		return fmt.Sprintf("group of %d processes, of which this is number %d, with %v", g.world, g.rank, g.devices[0])
	}
	return fmt.Sprintf("group of %v", g.devices)
}

// Library says which library works for the group; its Problem is why gorocm's own copies do.
func (g *Group) Library() LibraryInfo {
	if g.problem != nil {
		return LibraryInfo{Problem: strings.TrimPrefix(g.problem.Error(), "rocm: ")}
	}
	return LibraryInfo{Name: g.lib.Kind.Name, Version: g.lib.Version, Path: g.lib.File.Path}
}

// AllReduce makes n elements of the type elem out of those at the same place of all members, by the reduction, and stores them for each member:
// from[i] and to[i] are on member i of this process, and may be the same. elem is f16, bf16, f32, f64, u8, u32, i32 or i64.
func (g *Group) AllReduce(how Reduction, elem string, n int, from, to []Place) error {
	if err := g.check("all reduce", elem, n, n, from, to); err != nil || n == 0 {
		return err
	}
	reduction, ok := ncclReductions[how]
	if !ok {
		return invalid("all reduce", "there is no reduction %q", how)
	}
	return g.run(func() error {
		return g.each("allReduce", func(i int, d *Device) driver.Code {
			return g.lib.allReduce(from[i].pointer(), to[i].pointer(), uintptr(n), ncclTypes[elem], reduction, g.comms[i], d.stream)
		})
	}, func() error { return g.reduceOnHost(how, elem, n, from, to) }, from, to)
}

// AllGather puts the n elements of each member behind one another, in the order of the members, and stores all of them for each member:
// from[i] and to[i] are on member i of this process.
func (g *Group) AllGather(elem string, n int, from, to []Place) error {
	if err := g.check("all gather", elem, n, n*g.world, from, to); err != nil || n == 0 {
		return err
	}
	return g.run(func() error {
		return g.each("allGather", func(i int, d *Device) driver.Code {
			return g.lib.allGather(from[i].pointer(), to[i].pointer(), uintptr(n), ncclTypes[elem], g.comms[i], d.stream)
		})
	}, func() error {
		bytes := n * groupSizes[elem]
		if g.meeting != nil {
			parts, err := g.parts(from, bytes)
			if err != nil {
				return err
			}
			return to[0].Buffer.Upload(to[0].Offset, slices.Concat(parts...))
		}
		for i := range to {
			for j := range from {
				if err := to[i].Buffer.CopyFrom(to[i].Offset+j*bytes, from[j].Buffer, from[j].Offset, bytes); err != nil {
					return err
				}
			}
		}
		return nil
	}, from, to)
}

// Broadcast copies n elements of the member with the number root, among those of all processes, to the same place of the others: at[i] is on member i of this process.
func (g *Group) Broadcast(elem string, n, root int, at []Place) error {
	if err := g.check("broadcast", elem, n, n, at, at); err != nil || n == 0 {
		return err
	}
	if root < 0 || root >= g.world {
		return invalid("broadcast", "there is no member %d among %d", root, g.world)
	}
	return g.run(func() error {
		return g.each("broadcast", func(i int, d *Device) driver.Code {
			return g.lib.broadcast(at[i].pointer(), at[i].pointer(), uintptr(n), ncclTypes[elem], int32(root), g.comms[i], d.stream)
		})
	}, func() error {
		if g.meeting != nil {
			return g.fetch(at[0], root, n*groupSizes[elem])
		}
		for i := range at {
			if i == root {
				continue
			}
			if err := at[i].Buffer.CopyFrom(at[i].Offset, at[root].Buffer, at[root].Offset, n*groupSizes[elem]); err != nil {
				return err
			}
		}
		return nil
	}, at, at)
}

// check says whether the operands are what the members need.
func (g *Group) check(op, elem string, n, results int, from, to []Place) error {
	size := groupSizes[elem]
	if size == 0 || n < 0 {
		return invalid(op, "%d elements of the type %q", n, elem)
	}
	if len(from) != len(g.devices) || len(to) != len(g.devices) {
		return invalid(op, "%d and %d operands for %d devices", len(from), len(to), len(g.devices))
	}
	for i, d := range g.devices {
		if err := d.notCapturing(op); err != nil {
			return err
		}
		if err := from[i].check(op, d, n, size); err != nil {
			return err
		}
		if err := to[i].check(op, d, results, size); err != nil {
			return err
		}
	}
	return nil
}

// run works with the library or, where there is none, by hand.
func (g *Group) run(library, own func() error, from, to []Place) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return invalid("group", "it was closed")
	}
	defer runtime.KeepAlive(from)
	defer runtime.KeepAlive(to)
	if g.problem != nil {
		return own()
	}
	return library()
}

// each makes one call for every member, which the library takes together: a call of one waits for those of the others.
func (g *Group) each(field string, call func(i int, d *Device) driver.Code) error {
	runtime.LockOSThread() // the library keeps what a thread has called between the two ends
	defer runtime.UnlockOSThread()
	for _, d := range g.devices { // a member that cannot be reached would leave the others waiting for it
		if err := d.do(field, func() driver.Code { return 0 }); err != nil {
			return err
		}
	}
	if status := g.lib.begin(); status != 0 {
		return g.lib.fail("begin", status)
	}
	var failed error
	for i, d := range g.devices {
		name := g.lib.name(field)
		d.last.Store(&Function{name: name})
		var status driver.Code
		if failed = d.do(field, func() driver.Code { status = call(i, d); return 0 }); failed == nil && status != 0 {
			failed = g.lib.fail(field, status)
		}
		if failed != nil {
			break
		}
	}
	// The end comes in any case: nothing of this thread would work between two beginnings.
	if status := g.lib.end(); status != 0 && failed == nil {
		failed = g.lib.fail("end", status)
	}
	if failed != nil {
		return failed
	}
	for _, d := range g.devices {
		if err := d.synchronous(g.lib.name(field)); err != nil {
			return err
		}
	}
	return nil
}

// Close waits for the devices, and for the other processes to close the group, and gives back what the library has made for the group, which cannot be used afterwards.
func (g *Group) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil
	}
	g.closed = true
	var failed error
	for i, d := range g.devices {
		if err := d.Synchronize(); err != nil && failed == nil {
			failed = err
		}
		if i >= len(g.comms) {
			continue
		}
		var status driver.Code
		if err := d.do("commDestroy", func() driver.Code { status = g.lib.destroy(g.comms[i]); return 0 }); err != nil && failed == nil {
			failed = err
		}
		if status != 0 && failed == nil {
			failed = g.lib.fail("destroy", status)
		}
	}
	g.comms = nil
	if g.meeting != nil && failed == nil {
		failed = g.meeting.leave()
	}
	return failed
}
