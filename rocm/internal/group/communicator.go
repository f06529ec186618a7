package group

import (
	"runtime"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Member is a device of this process, as the library sees it.
type Member interface {
	Index() int // of the GPU, from 0
	Stream() uintptr

	// Call calls f on a thread where the device is current. A code that is not 0 becomes an error of the driver, which
	// names the call.
	Call(name string, f func() driver.Code) error
	// Begin is called before a call that puts work on the stream: errors of that work will name it. End is called after
	// it.
	Begin(call string)
	End(call string) error
}

// Communicator is a group's communicators in the library: a ncclComm_t for each member of this process. It is for one
// goroutine at a time.
type Communicator struct {
	lib     *Library
	members []Member
	comms   []uintptr
}

// NewCommunicator creates the communicators of a group whose members are all in this process.
func NewCommunicator(lib *Library, members []Member) (*Communicator, error) {
	comms, numbers := make([]uintptr, len(members)), make([]int32, len(members))
	for i, m := range members {
		numbers[i] = int32(m.Index())
	}
	var status driver.Code
	err := members[0].Call("initAll", func() driver.Code {
		status = lib.initAll(&comms[0], int32(len(comms)),
			&numbers[0])
		return 0
	})
	if err == nil && status != 0 {
		err = lib.fail("initAll", status)
	}
	if err != nil {
		return nil, err
	}
	return &Communicator{lib, members, comms}, nil
}

// On returns the communicator with its work on the streams of other members, of the same GPUs.
func (c *Communicator) On(members []Member) *Communicator {
	return &Communicator{c.lib, members, c.comms}
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

// each makes one call for every member of this process between ncclGroupStart and ncclGroupEnd: a call for one member
// waits for those of the others.
func (c *Communicator) each(field string, call func(i int, m Member) driver.Code) error {
	runtime.LockOSThread() // the library collects the calls of a thread
	defer runtime.UnlockOSThread()
	for _, m := range c.members { // a member that fails later would leave the others waiting for it
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
	// ncclGroupEnd follows in any case: without it, later groups of this thread would not start.
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

// Close destroys the communicator of member i. Its stream must be idle.
func (c *Communicator) Close(i int) error {
	if i >= len(c.comms) {
		return nil
	}
	var status driver.Code
	if err := c.members[i].Call("commDestroy",
		func() driver.Code { status = c.lib.destroy(c.comms[i]); return 0 }); err != nil {
		return err
	}
	if status != 0 {
		return c.lib.fail("destroy", status)
	}
	return nil
}
