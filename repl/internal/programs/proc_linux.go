package programs

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/gorocm/gorocm/internal/processes"
)

// process is a process that was found.
type process struct {
	pid, parent, session int
	number               int  // of the program that it belongs to, -1 for none
	own                  bool // gorocm has started it for itself
}

// signal sends a signal, unless another process has got the number by now.
func (p process) signal(s syscall.Signal) {
	handle, err := os.FindProcess(p.pid)
	if err != nil {
		return
	}
	defer handle.Release()
	if now, ok := look(p.pid, ""); ok && now.session == p.session {
		_ = handle.Signal(s) // it may have ended
	}
}

// command is the command line of a process, with spaces between its arguments; "" when it has ended.
func (p process) command() string {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/cmdline")
	return strings.TrimSpace(strings.ReplaceAll(string(text), "\x00", " "))
}

// follow has nothing to do: the environment of a process says which program it belongs to.
func follow(session string, number, pid int) {}

// find returns the processes that belong to the wanted programs of a session: those whose environment says so, and
// their descendants, but not those that have left the session of processes that leader leads.
func find(session string, leader int, wanted func(number int) bool) (found []process) {
	all := map[int]process{}
	for _, pid := range pids() {
		if p, ok := look(pid, session); ok {
			all[pid] = p
		}
	}
	for _, p := range all {
		p.number = programOf(all, p)
		if p.session == leader && wanted(p.number) {
			found = append(found, p)
		}
	}
	return found
}

// programOf is the number of the program that a process, or the nearest of its ancestors, belongs to.
func programOf(all map[int]process, p process) int {
	for p.number < 0 {
		parent, ok := all[p.parent]
		if !ok {
			return -1
		}
		p = parent
	}
	return p.number
}

func pids() (list []int) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			list = append(list, pid)
		}
	}
	return list
}

// look reads what /proc tells of a process; false when it is gone, or waits to be noticed by its parent.
func look(pid int, session string) (p process, ok bool) {
	folder := "/proc/" + strconv.Itoa(pid)
	stat, err := os.ReadFile(folder + "/stat")
	// after the name, which may be anything
	_, rest, _ := bytes.Cut(stat[max(bytes.LastIndexByte(stat, ')'), 0):], []byte(" "))
	f := strings.Fields(string(rest))
	if err != nil || len(f) < 4 || f[0] == "Z" || f[0] == "X" {
		return p, false
	}
	p = process{pid: pid, number: -1}
	p.parent, _ = strconv.Atoi(f[1])
	p.session, _ = strconv.Atoi(f[3])
	if session != "" {
		env, _ := os.ReadFile(folder + "/environ") // another user's cannot be read
		p.number = numberIn(env, session)
		_, p.own = valueIn(env, processes.OwnVariable+"=")
	}
	return p, true
}

// numberIn is the number of a session's program in an environment, -1 without one.
func numberIn(env []byte, session string) int {
	value, ok := valueIn(env, Variable+"="+session+".")
	if n, err := strconv.Atoi(value); ok && err == nil {
		return n
	}
	return -1
}

// valueIn is what follows a prefix in the variable of an environment that begins with it.
func valueIn(env []byte, prefix string) (value string, ok bool) {
	_, rest, ok := bytes.Cut(append([]byte{0}, env...), []byte("\x00"+prefix))
	rest, _, _ = bytes.Cut(rest, []byte{0})
	return string(rest), ok
}

func sessionOf(pid int) int {
	p, _ := look(pid, "")
	return p.session
}
