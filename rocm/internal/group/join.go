package group

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

// uniqueID is ncclUniqueId, by which the members of a group find each other.
type uniqueID [128]byte

// Patience is how long Join waits for the file of rank 0.
var Patience = 5 * time.Minute

// joining is a process that becomes a member of a group.
type joining struct {
	files   *Rendezvous
	member  Member
	lib     *Library
	problem error // why there is no library
	comms   []uintptr
}

// Join joins the other processes of a group. lib is nil where problem says why there is no library. It returns a
// Communicator, or nil and why the group works without a library.
func Join(files *Rendezvous, member Member, lib *Library, problem error) (c *Communicator, why, err error) {
	j := &joining{files: files, member: member, lib: lib, problem: problem}
	if j.problem == nil && (lib.uniqueID == nil || lib.initRank == nil) {
		j.problem = &driver.Error{Op: "load " + lib.File.Path, Text: "has no groups of processes",
			Kind: driver.ErrNoLibrary}
	}
	if files.rank == 0 {
		err = j.invite()
	} else {
		err = j.accept()
	}
	if err != nil {
		return nil, nil, err
	}
	// All ranks have read the file of rank 0 when all have made this exchange.
	if _, err := files.Exchange(nil); err != nil {
		return nil, nil, err
	}
	if j.problem != nil {
		return nil, j.problem, nil
	}
	return &Communicator{lib, []Member{member}, j.comms}, nil, nil
}

// invite writes the file of the group, as rank 0.
func (j *joining) invite() error {
	text, id := "files\n", uniqueID{}
	if j.problem == nil {
		var status driver.Code
		if err := j.member.Call("uniqueID", func() driver.Code { status = j.lib.uniqueID(&id); return 0 }); err != nil {
			return err
		}
		if status != 0 {
			return j.lib.fail("uniqueID", status)
		}
		text = "library " + hex.EncodeToString(id[:]) + "\n"
	}
	if _, err := os.Lstat(j.files.path); err == nil {
		return driver.Invalid("join a group",
			"%s exists: it is another group's, or was left by one that was not closed; remove it, or take another path",
			j.files.path)
	}
	if err := writeWhole(j.files.path, []byte(text)); err != nil {
		return fmt.Errorf("rocm: join a group: %w", err)
	}
	if j.problem != nil {
		return nil
	}
	err := j.startRank(id)
	if err != nil {
		_ = os.Remove(j.files.path) // there is no group; the first error counts
	}
	return err
}

// accept waits for the file of rank 0 and reads it.
func (j *joining) accept() error {
	const op = "join a group"
	text, err := waitFor(j.files.path, time.Now().Add(Patience))
	if errors.Is(err, fs.ErrNotExist) {
		return &driver.Error{Op: op, Text: fmt.Sprintf("%s did not come within %v", j.files.path, Patience),
			Kind: driver.ErrInvalid, Detail: "is the process of rank 0 running, with the same path?"}
	}
	if err != nil {
		return fmt.Errorf("rocm: %s: %w", op, err)
	}
	how, rest, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	switch {
	case how == "files" && j.problem == nil:
		j.problem = &driver.Error{Op: "load a library for groups", Text: "the process of rank 0 has none",
			Kind: driver.ErrNoLibrary}
		return nil
	case how == "files":
		return nil
	case how == "library" && j.problem != nil:
		return &driver.Error{Op: op, Text: fmt.Sprintf("rank 0 has a library for groups, rank %d has not: %v",
			j.files.rank, j.problem), Kind: driver.ErrNoLibrary}
	}
	var id uniqueID
	if n, err := hex.Decode(id[:], []byte(rest)); how != "library" || n != len(id) || err != nil {
		return driver.Invalid(op, "%s is not the file of a group: it begins with %.40q", j.files.path, text)
	}
	return j.startRank(id)
}

// startRank creates the communicator of this process. It waits for all ranks.
func (j *joining) startRank(id uniqueID) error {
	comms := make([]uintptr, 1)
	words := (*[len(id) / 8]uintptr)(unsafe.Pointer(&id))
	args := []uintptr{uintptr(unsafe.Pointer(&comms[0])), uintptr(j.files.world)}
	switch runtime.GOARCH {
	case "amd64": // the structure is on the stack, after the six registers for arguments, of which three are unused
		args = append(append(args, uintptr(j.files.rank), 0, 0, 0), words[:]...)
	case "arm64": // by its address
		args = append(args, uintptr(unsafe.Pointer(words)), uintptr(j.files.rank))
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
