package group

import (
	"encoding/hex"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// uniqueID is ncclUniqueId, by which the members of a group find each other.
type uniqueID [128]byte

// Patience is how long a process waits for the others to join.
var Patience = 5 * time.Minute

// joining is a process that becomes a member of a group.
type joining struct {
	processes Rendezvous
	member    Member
	lib       *Library
	problem   error // why there is no library
	comms     []uintptr
}

// Join joins the other processes of a group. lib is nil where problem says why there is no library. It returns a
// Communicator, or nil and why the group works without a library. After an error the rendezvous is abandoned.
func Join(processes Rendezvous, member Member, lib *Library, problem error) (c *Communicator, why, err error) {
	j := &joining{processes: processes, member: member, lib: lib, problem: problem}
	if j.problem == nil && (lib.uniqueID == nil || lib.initRank == nil) {
		j.problem = &driver.Error{Op: "load " + lib.File.Path, Text: "has no groups of processes",
			Kind: driver.ErrNoLibrary}
	}
	if err := j.join(); err != nil {
		processes.Abandon()
		return nil, nil, err
	}
	if j.problem != nil {
		return nil, j.problem, nil
	}
	return &Communicator{lib, []Member{member}, j.comms}, nil, nil
}

// join agrees with the other ranks on the library, and creates the communicator.
func (j *joining) join() error {
	invitation, err := j.invitation()
	if err != nil {
		return err
	}
	if invitation, err = j.processes.Begin(invitation); err != nil {
		return err
	}
	if err := j.agree(); err != nil || j.problem != nil {
		return err
	}
	var id uniqueID
	if n, err := hex.Decode(id[:], invitation); n != len(id) || err != nil {
		return driver.Invalid(joinOp, "rank 0 sent no identity of a group but %.40q: the processes run different "+
			"programs", invitation)
	}
	return j.startRank(id)
}

// invitation is the library's identity of the group, made by rank 0; it is empty where there is no library.
func (j *joining) invitation() ([]byte, error) {
	if j.problem != nil || j.processes.Rank() != 0 {
		return nil, nil
	}
	var id uniqueID
	var status driver.Code
	if err := j.member.Call("uniqueID", func() driver.Code { status = j.lib.uniqueID(&id); return 0 }); err != nil {
		return nil, err
	}
	if status != 0 {
		return nil, j.lib.fail("uniqueID", status)
	}
	return hex.AppendEncode(nil, id[:]), nil
}

// agree compares which ranks have a library: the group uses one if all have. A rank that began alone would wait in the
// library for the others.
func (j *joining) agree() error {
	has := []byte{1}
	if j.problem != nil {
		has[0] = 0
	}
	parts, err := j.processes.Exchange(has)
	if err != nil {
		return err
	}
	for rank, part := range parts {
		if j.problem == nil && (len(part) != 1 || part[0] != 1) {
			j.problem = &driver.Error{Op: "load a library for groups",
				Text: fmt.Sprintf("the process of rank %d has none", rank), Kind: driver.ErrNoLibrary}
		}
	}
	return nil
}

// startRank creates the communicator of this process. It waits for all ranks.
func (j *joining) startRank(id uniqueID) error {
	comms := make([]uintptr, 1)
	words := (*[len(id) / 8]uintptr)(unsafe.Pointer(&id))
	args := []uintptr{uintptr(unsafe.Pointer(&comms[0])), uintptr(j.processes.World())}
	switch runtime.GOARCH {
	case "amd64": // the structure is on the stack, after the six registers for arguments, of which three are unused
		args = append(append(args, uintptr(j.processes.Rank()), 0, 0, 0), words[:]...)
	case "arm64": // by its address
		args = append(args, uintptr(unsafe.Pointer(words)), uintptr(j.processes.Rank()))
	default:
		return &driver.Error{Op: j.lib.name("initRank"), Text: "cannot be called on " + runtime.GOARCH,
			Kind: driver.ErrUnsupported}
	}
	var status driver.Code
	err := j.member.Call("initRank", func() driver.Code { status = j.lib.initRank(args...); return 0 })
	runtime.KeepAlive(comms)
	runtime.KeepAlive(words)
	if err == nil && status != 0 {
		err = j.lib.fail("initRank", status)
	}
	if err == nil {
		j.comms = comms
	}
	return err
}
