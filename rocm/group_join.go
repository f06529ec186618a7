package rocm

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// uniqueID is what NCCL calls ncclUniqueId: by it the members of a group find each other.
type uniqueID [128]byte

// patience is how long JoinGroup waits for the file of the first process.
var patience = 5 * time.Minute

// JoinGroup makes a group of devices in several processes: each of the world's processes calls it with its rank, from 0 to world-1, and its device.
// path is a file that does not exist yet, in a folder that all processes see; the process of rank 0 writes there by what the others find it, and the file
// is gone when the group is closed. JoinGroup returns when all are there, and fails when rank 0 does not come for five minutes.
//
// The group's only device is this process's own. All processes must make the same calls in the same order, with operands of the same size: RCCL and NCCL, which do
// the work between GPUs, wait for those who do not. Without the library, and between emulated devices, data go through files beside path.
func JoinGroup(path string, rank, world int, d *Device) (*Group, error) {
	const op = "join a group"
	switch {
	case d == nil:
		return nil, invalid(op, "the device is nil")
	case world < 1 || rank < 0 || rank >= world:
		return nil, invalid(op, "rank %d of %d processes: it is from 0 to one less than their number, which is at least 1", rank, world)
	case path == "":
		return nil, invalid(op, "the path is empty")
	}
	g := &Group{devices: []*Device{d}, rank: rank, world: world, meeting: &meeting{path: path, rank: rank, world: world}}
	g.lib, g.problem = g.load()
	if g.problem == nil && (g.lib.uniqueID == nil || g.lib.initRank == nil) {
		g.problem = &Error{Op: "load " + g.lib.File.Path, Text: "has no groups of processes", Kind: ErrNoLibrary}
	}
	var err error
	if rank == 0 {
		err = g.invite()
	} else {
		err = g.accept()
	}
	if err != nil {
		return nil, err
	}
	// Everybody has read the file when everybody is here.
	if _, err := g.meeting.exchange(nil); err != nil {
		return nil, err
	}
	return g, nil
}

// invite writes the file by which the others find this process.
func (g *Group) invite() error {
	text, id := "files\n", uniqueID{}
	if g.problem == nil {
		var status driver.Code
		if err := g.devices[0].do("uniqueID", func() driver.Code { status = g.lib.uniqueID(&id); return 0 }); err != nil {
			return err
		}
		if status != 0 {
			return g.lib.fail("uniqueID", status)
		}
		text = "library " + hex.EncodeToString(id[:]) + "\n"
	}
	if _, err := os.Lstat(g.meeting.path); err == nil {
		return invalid("join a group", "%s exists: it is another group's, or was left by one that was not closed; remove it, or take another path", g.meeting.path)
	}
	if err := writeWhole(g.meeting.path, []byte(text)); err != nil {
		return fmt.Errorf("rocm: join a group: %w", err)
	}
	if g.problem != nil {
		return nil
	}
	err := g.startRank(id)
	if err != nil {
		_ = os.Remove(g.meeting.path) // there is no group to be found; the first error is what counts
	}
	return err
}

// accept reads the file of rank 0, when it comes.
func (g *Group) accept() error {
	const op = "join a group"
	text, err := waitFor(g.meeting.path, time.Now().Add(patience))
	if errors.Is(err, fs.ErrNotExist) {
		return &Error{Op: op, Text: fmt.Sprintf("%s did not come within %v", g.meeting.path, patience), Kind: ErrInvalid, Detail: "is the process of rank 0 running, with the same path?"}
	}
	if err != nil {
		return fmt.Errorf("rocm: %s: %w", op, err)
	}
	how, rest, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	switch {
	case how == "files" && g.problem == nil:
		g.problem = &Error{Op: "load a library for groups", Text: "the process of rank 0 has none", Kind: ErrNoLibrary}
		return nil
	case how == "files":
		return nil
	case how == "library" && g.problem != nil:
		return fmt.Errorf("rocm: %s: rank 0 has a library for groups, rank %d has not: %w", op, g.rank, g.problem)
	}
	var id uniqueID
	if n, err := hex.Decode(id[:], []byte(rest)); how != "library" || n != len(id) || err != nil {
		return invalid(op, "%s is no group's file: it begins with %.40q", g.meeting.path, text)
	}
	return g.startRank(id)
}

// startRank makes the library's part of this process. It waits for all others.
func (g *Group) startRank(id uniqueID) error {
	comms := make([]uintptr, 1)
	words := (*[len(id) / 8]uintptr)(unsafe.Pointer(&id))
	args := []uintptr{uintptr(unsafe.Pointer(&comms[0])), uintptr(g.world)}
	switch runtime.GOARCH {
	case "amd64": // the structure is passed on the stack, behind the six registers, whose last three are not used
		args = append(append(args, uintptr(g.rank), 0, 0, 0), words[:]...)
	case "arm64": // by its address
		args = append(args, uintptr(unsafe.Pointer(words)), uintptr(g.rank))
	default:
		return &Error{Op: g.lib.name("initRank"), Text: "cannot be called on " + runtime.GOARCH, Kind: ErrUnsupported}
	}
	var status driver.Code
	err := g.devices[0].do("initRank", func() driver.Code { status = g.lib.initRank(args...); return 0 })
	runtime.KeepAlive(comms)
	runtime.KeepAlive(words)
	if err == nil && status != 0 {
		err = g.lib.fail("initRank", status)
	}
	if err == nil {
		g.comms = comms
	}
	return err
}
