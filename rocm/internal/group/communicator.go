package group

import (
	"runtime"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Member is a device of this process, as the library sees it.
type Member interface {
	Index() int // of the GPU, from 0
	Stream() uintptr

	// Call calls f where the device is current. name is that of the call in errors, which are those of the driver: f's code is one of the driver's, too.
	Call(name string, f func() driver.Code) error
	// Begin names the call for errors of what fails on the stream later, End is called when it is on the stream.
	Begin(call string)
	End(call string) error
}

// Communicator is the library's part of a group: an object of it for each member of this process. It is for one goroutine at a time.
type Communicator struct {
	lib     *Library
	members []Member
	comms   []uintptr
}

// NewCommunicator makes the library's objects for members of one process, which are all there are.
func NewCommunicator(lib *Library, members []Member) (*Communicator, error) {
	comms, numbers := make([]uintptr, len(members)), make([]int32, len(members))
	for i, m := range members {
		numbers[i] = int32(m.Index())
	}
	var status driver.Code
	err := members[0].Call("initAll", func() driver.Code { status = lib.initAll(&comms[0], int32(len(comms)), &numbers[0]); return 0 })
	if err == nil && status != 0 {
		err = lib.fail("initAll", status)
	}
	if err != nil {
		return nil, err
	}
	return &Communicator{lib, members, comms}, nil
}

// Library says which library it is.
func (c *Communicator) Library() *driver.VendorLibrary { return &c.lib.VendorLibrary }

// Reduces reports whether the library has a reduction.
func Reduces(how Reduction) bool {
	_, ok := ncclReductions[how]
	return ok
}

// AllReduce reduces n elements at from[i] of all members and stores them at to[i] of each.
func (c *Communicator) AllReduce(how Reduction, elem string, n int, from, to []uintptr) error {
	return c.each("allReduce", func(i int, m Member) driver.Code {
		return c.lib.allReduce(from[i], to[i], uintptr(n), ncclTypes[elem], ncclReductions[how], c.comms[i], m.Stream())
	})
}

// AllGather stores the n elements at from[i] of all members at to[i] of each, in the order of the members.
func (c *Communicator) AllGather(elem string, n int, from, to []uintptr) error {
	return c.each("allGather", func(i int, m Member) driver.Code {
		return c.lib.allGather(from[i], to[i], uintptr(n), ncclTypes[elem], c.comms[i], m.Stream())
	})
}

// Broadcast copies n elements of the member root to all others.
func (c *Communicator) Broadcast(elem string, n, root int, at []uintptr) error {
	return c.each("broadcast", func(i int, m Member) driver.Code {
		return c.lib.broadcast(at[i], at[i], uintptr(n), ncclTypes[elem], int32(root), c.comms[i], m.Stream())
	})
}

// each makes one call for every member, which the library takes together: a call of one waits for those of the others.
func (c *Communicator) each(field string, call func(i int, m Member) driver.Code) error {
	runtime.LockOSThread() // the library keeps what a thread has called between the two ends
	defer runtime.UnlockOSThread()
	for _, m := range c.members { // a member that cannot be reached would leave the others waiting for it
		if err := m.Call(field, func() driver.Code { return 0 }); err != nil {
			return err
		}
	}
	if status := c.lib.begin(); status != 0 {
		return c.lib.fail("begin", status)
	}
	var failed error
	for i, m := range c.members {
		name := c.lib.name(field)
		m.Begin(name)
		var status driver.Code
		if failed = m.Call(field, func() driver.Code { status = call(i, m); return 0 }); failed == nil && status != 0 {
			failed = c.lib.fail(field, status)
		}
		if failed != nil {
			break
		}
	}
	// The end comes in any case: nothing of this thread would work between two beginnings.
	if status := c.lib.end(); status != 0 && failed == nil {
		failed = c.lib.fail("end", status)
	}
	if failed != nil {
		return failed
	}
	for _, m := range c.members {
		if err := m.End(c.lib.name(field)); err != nil {
			return err
		}
	}
	return nil
}

// Close gives back the library's object of member i. Nothing may be on its stream.
func (c *Communicator) Close(i int) error {
	if i >= len(c.comms) {
		return nil
	}
	var status driver.Code
	if err := c.members[i].Call("commDestroy", func() driver.Code { status = c.lib.destroy(c.comms[i]); return 0 }); err != nil {
		return err
	}
	if status != 0 {
		return c.lib.fail("destroy", status)
	}
	return nil
}
