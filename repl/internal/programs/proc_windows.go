package programs

import (
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/gorocm/gorocm/internal/processes"
)

// On Windows each program is in a job object of its own, which its own children are in, too. The process that runs the
// cells has the only handles of them, so that the system ends the programs with it, however it ends. Nobody can leave a
// job: a program that is to live on has its job's limit lifted.

// jobs are the job objects of the programs of this process.
var jobs struct {
	sync.Mutex
	list map[program]windows.Handle
}

// program is a program of a session.
type program struct {
	session string
	number  int
}

// follow puts the first process of a program into a job. What that has started before is not followed; a process that
// cannot be in a job, as it may be in one of another kind, is not followed either.
func follow(session string, number, pid int) {
	job, err := processes.NewJob(windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE)
	if err != nil {
		return
	}
	if processes.Enter(job, pid, false) != nil {
		_ = windows.CloseHandle(job)
		return
	}
	jobs.Lock()
	defer jobs.Unlock()
	if jobs.list == nil {
		jobs.list = map[program]windows.Handle{}
	}
	jobs.list[program{session, number}] = job
}

// keeper has no process here: the system does its work.
type keeper struct{ session string }

func startKeeper(session string) *keeper { return &keeper{session} }

// free lets a program live on.
func (k *keeper) free(number int) {
	jobs.Lock()
	defer jobs.Unlock()
	if job, ok := jobs.list[program{k.session, number}]; ok {
		_ = processes.LimitJob(job, 0)
	}
}

// Keep returns false: no process is a keeper here.
func Keep() bool { return false }

// process is a process that was found.
type process struct {
	pid    int
	number int  // of the program that it belongs to
	own    bool // gorocm's own programs are in no job
}

// signal ends a process if it is to be killed. Nothing asks a process to end: programs in a console get its Ctrl+C, and
// others have no such thing.
func (p process) signal(s syscall.Signal) {
	if s != syscall.SIGKILL {
		return
	}
	if handle, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, uint32(p.pid)); err == nil {
		_ = windows.TerminateProcess(handle, 1) // it may have ended
		_ = windows.CloseHandle(handle)
	}
}

// find returns the processes of the wanted programs of a session, and forgets the jobs that are empty.
func find(session string, _ int, wanted func(number int) bool) (found []process) {
	jobs.Lock()
	defer jobs.Unlock()
	for p, job := range jobs.list {
		if p.session != session || !wanted(p.number) {
			continue
		}
		list := processes.Members(job)
		for _, pid := range list {
			found = append(found, process{pid: pid, number: p.number})
		}
		if len(list) == 0 {
			_ = windows.CloseHandle(job)
			delete(jobs.list, p)
		}
	}
	return found
}

// command is the command line of a process; "" when it has ended.
func (p process) command() string {
	const access = windows.PROCESS_QUERY_LIMITED_INFORMATION
	handle, err := windows.OpenProcess(access, false, uint32(p.pid))
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(handle)
	var text [32 << 10]uint16 // the longest path
	n := uint32(len(text))
	if windows.QueryFullProcessImageName(handle, 0, &text[0], &n) != nil {
		return ""
	}
	path := windows.UTF16ToString(text[:n])
	line := make([]uintptr, (64<<10+64)/unsafe.Sizeof(uintptr(0))) // a UNICODE_STRING, and what it points to
	size := uint32(len(line)) * uint32(unsafe.Sizeof(line[0]))
	err = windows.NtQueryInformationProcess(handle, windows.ProcessCommandLineInformation, unsafe.Pointer(&line[0]),
		size, &size)
	if s := (*windows.NTUnicodeString)(unsafe.Pointer(&line[0])); err == nil && s.Length > 0 {
		return s.String()
	}
	return path
}

func sessionOf(int) int { return 0 }
