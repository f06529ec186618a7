package rocm

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
	"github.com/gorocm/gorocm/rocm/internal/group"
)

// Group is several devices with collective operations: reductions, gathers and broadcasts. They are devices of one
// process (NewGroup), or one of each of several processes (JoinGroup). Between GPUs of one platform RCCL or NCCL does
// the work, on the devices' streams; without the library, and between emulated devices, it goes through copies and the
// host. Its methods may be called by several goroutines.
type Group struct {
	devices []*Device // of this process
	streams []*Device // whose streams do the work: devices, or others of the same GPUs
	rank    int       // of the first of them among all members
	world   int       // how many members there are
	*exchange
}

// exchange is what a group has in common with itself on other streams.
type exchange struct {
	others  group.Rendezvous // with the other processes; nil when there are none
	mu      sync.Mutex       // held during calls: those of a group come together, from one thread
	comm    *group.Communicator
	problem error // why there is no library
	closed  bool
	busy    []*Device // whose streams have had work
}

// Reduction is the operation of AllReduce.
type Reduction string

// The reductions.
const (
	Sum     = Reduction(group.Sum)
	Product = Reduction(group.Product)
	Max     = Reduction(group.Max)
	Min     = Reduction(group.Min)
)

// NewGroup creates a group of devices, which must be different ones. A group of one device needs no library.
func NewGroup(devices ...*Device) (*Group, error) {
	if len(devices) == 0 {
		return nil, invalid("group", "it has no devices")
	}
	for i, d := range devices {
		if d == nil || slices.Contains(devices[:i], d) {
			return nil, invalid("group", "device %d is nil, or there a second time", i)
		}
	}
	g := newGroup(slices.Clone(devices), 0, len(devices), nil)
	if len(devices) == 1 {
		g.problem = &Error{Op: "load a library for groups", Text: "a group of one device needs none",
			Kind: ErrUnsupported}
		return g, nil
	}
	lib, err := g.load()
	if err == nil {
		g.comm, err = group.NewCommunicator(lib, members(devices))
	}
	g.problem = err
	return g, nil
}

func newGroup(devices []*Device, rank, world int, others group.Rendezvous) *Group {
	return &Group{devices, devices, rank, world, &exchange{others: others, busy: devices}}
}

// load loads the library for the group's members.
func (g *Group) load() (*group.Library, error) {
	first := g.devices[0]
	for _, d := range g.devices {
		if d.drv != first.drv {
			return nil, &Error{Op: "load a library for groups",
				Text: fmt.Sprintf("%v and %v have no way to each other but the host", first, d), Kind: ErrUnsupported}
		}
	}
	return group.Load(first.drv.Platform)
}

func members(devices []*Device) (list []group.Member) {
	for _, d := range devices {
		list = append(list, member{d})
	}
	return list
}

// member implements group.Member.
type member struct{ d *Device }

func (m member) Index() int            { return m.d.info.Index }
func (m member) Stream() uintptr       { return m.d.stream }
func (m member) Begin(call string)     { m.d.lastLaunched.Store(&Function{name: call}) }
func (m member) End(call string) error { return m.d.synchronous(call) }

func (m member) Call(name string, f func() driver.Code) error { return m.d.call(name, f) }

// Devices returns the members of this process, in the order of their parts.
func (g *Group) Devices() []*Device { return slices.Clone(g.devices) }

// Rank is the number of this process's first member: 0 in a group of one process.
func (g *Group) Rank() int { return g.rank }

// Size is the number of members, in all processes.
func (g *Group) Size() int { return g.world }

// String names the members.
func (g *Group) String() string {
	if g.others != nil {
		return fmt.Sprintf("group of %d processes, of which this is number %d, with %v", g.world, g.rank, g.devices[0])
	}
	return fmt.Sprintf("group of %v", g.devices)
}

// Library describes the library of the group. Its Problem is why the group works without one.
func (g *Group) Library() LibraryInfo {
	if g.problem != nil {
		return LibraryInfo{Problem: strings.TrimPrefix(g.problem.Error(), "rocm: ")}
	}
	lib := g.comm.Library()
	return LibraryInfo{Name: lib.Kind.Name, Version: lib.Version, Path: lib.File.Path}
}

// AllReduce reduces n elements of the type elem over all members, element by element, and stores the results on each
// member: from[i] and to[i] are on member i of this process, and may be the same. elem is f16, bf16, f32, f64, u8, u32,
// i32 or i64.
func (g *Group) AllReduce(how Reduction, elem string, n int, from, to []Place) error {
	if err := g.check("all reduce", elem, n, n, from, to); err != nil || n == 0 {
		return err
	}
	if !group.Reduces(group.Reduction(how)) {
		return invalid("all reduce", "there is no reduction %q", how)
	}
	return g.run(func(c *group.Communicator) error {
		return c.AllReduce(group.Reduction(how), elem, n, pointers(from), pointers(to))
	}, func() error { return g.reduceOnHost(how, elem, n, from, to) }, from, to)
}

// AllGather concatenates the n elements of each member, in the order of the members, and stores them on each member:
// from[i] and to[i] are on member i of this process.
func (g *Group) AllGather(elem string, n int, from, to []Place) error {
	if err := g.check("all gather", elem, n, n*g.world, from, to); err != nil || n == 0 {
		return err
	}
	return g.run(func(c *group.Communicator) error {
		return c.AllGather(elem, n, pointers(from), pointers(to))
	}, func() error {
		bytes := n * group.ElemSizes[elem]
		if g.others != nil {
			parts, err := g.parts(from, bytes)
			if err != nil {
				return err
			}
			return to[0].Buffer.Upload(to[0].Offset, slices.Concat(parts...))
		}
		for i := range to {
			for j := range from {
				if err := to[i].Buffer.CopyFrom(to[i].Offset+j*bytes, from[j].Buffer, from[j].Offset,
					bytes); err != nil {
					return err
				}
			}
		}
		return nil
	}, from, to)
}

// Broadcast copies n elements of the member root, counted over all processes, to all other members: at[i] is on member
// i of this process.
func (g *Group) Broadcast(elem string, n, root int, at []Place) error {
	if err := g.check("broadcast", elem, n, n, at, at); err != nil || n == 0 {
		return err
	}
	if root < 0 || root >= g.world {
		return invalid("broadcast", "there is no member %d among %d", root, g.world)
	}
	return g.run(func(c *group.Communicator) error {
		return c.Broadcast(elem, n, root, pointers(at))
	}, func() error {
		if g.others != nil {
			return g.fetch(at[0], root, n*group.ElemSizes[elem])
		}
		for i := range at {
			if i == root {
				continue
			}
			if err := at[i].Buffer.CopyFrom(at[i].Offset, at[root].Buffer, at[root].Offset,
				n*group.ElemSizes[elem]); err != nil {
				return err
			}
		}
		return nil
	}, at, at)
}

// check fails unless there is a valid operand for each member.
func (g *Group) check(op, elem string, n, results int, from, to []Place) error {
	size := group.ElemSizes[elem]
	if size == 0 || n < 0 {
		return invalid(op, "%d elements of the type %q", n, elem)
	}
	if len(from) != len(g.devices) || len(to) != len(g.devices) {
		return invalid(op, "%d and %d operands for %d devices", len(from), len(to), len(g.devices))
	}
	for i, d := range g.devices {
		if err := errors.Join(d.notCapturing(op), g.streams[i].notCapturing(op)); err != nil {
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

// run runs a collective with the library or, where there is none, with own.
func (g *Group) run(library func(*group.Communicator) error, own func() error, from, to []Place) error {
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
	return public(library(g.comm.On(members(g.streams))))
}

// pointers are the addresses of places.
func pointers(places []Place) []uintptr {
	list := make([]uintptr, len(places))
	for i, p := range places {
		list[i] = p.pointer()
	}
	return list
}

// Close waits for the devices, and for the other processes to close the group, and frees the library's resources. The
// group cannot be used afterwards.
func (g *Group) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil
	}
	g.closed = true
	var failed error
	for _, d := range g.busy {
		if err := d.Synchronize(); err != nil && failed == nil {
			failed = err
		}
	}
	for i := range g.devices {
		if g.comm == nil {
			break
		}
		if err := g.comm.Close(i); err != nil && failed == nil {
			failed = public(err)
		}
	}
	g.comm = nil
	if g.others != nil && failed == nil {
		failed = public(g.others.Close())
	}
	return failed
}
