package processes

import (
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Group is a program and what it has started: a job object. While it is open, its processes end with this process.
type Group struct {
	cmd *exec.Cmd
	mu  sync.Mutex // held while the command starts: Kill waits for that
	job windows.Handle
}

// A command starts in a process group of its own, which Interrupt needs, and waits until it is in the job: so what it
// starts at once is in the job, too.
func (g *Group) prepare() {
	attr := g.cmd.SysProcAttr
	if attr == nil {
		attr = &syscall.SysProcAttr{}
		g.cmd.SysProcAttr = attr
	}
	attr.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED
}

// Start starts the command.
func (g *Group) Start() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	job, err := NewJob(windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE)
	if err != nil {
		return err
	}
	g.job = job
	if err := g.cmd.Start(); err != nil {
		return err
	}
	if err := Enter(job, g.cmd.Process.Pid, true); err != nil {
		_ = g.cmd.Process.Kill()
		return err
	}
	return nil
}

// Interrupt asks the group to end as Ctrl+Break in its console does. Without a console of this process it has no
// effect.
func (g *Group) Interrupt() error {
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(g.cmd.Process.Pid))
}

// Kill ends all processes of the group.
func (g *Group) Kill() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job == 0 { // all have ended
		return nil
	}
	return windows.TerminateJobObject(g.job, killed)
}

// killed is the exit status of a process that is ended. Windows has none for it; Go's os.Process.Kill sets 1.
const killed = 1

// Close gives up what the system keeps for the group, unless some of its processes are left: these go on, and end with
// this process.
func (g *Group) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 && len(Members(g.job)) == 0 {
		_ = windows.CloseHandle(g.job)
		g.job = 0
	}
}

// Members are the process IDs of the processes in a job, of the first 4,096.
func Members(job windows.Handle) (pids []int) {
	var list struct {
		assigned, listed uint32
		pids             [4096]uintptr
	}
	err := windows.QueryInformationJobObject(job, windows.JobObjectBasicProcessIdList, uintptr(unsafe.Pointer(&list)),
		uint32(unsafe.Sizeof(list)), nil)
	if err != nil && err != windows.ERROR_MORE_DATA {
		return nil
	}
	for _, pid := range list.pids[:min(int(list.listed), len(list.pids))] {
		pids = append(pids, int(pid))
	}
	return pids
}

// NewJob returns a new job object with flags such as JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE.
func NewJob(flags uint32) (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	if err := LimitJob(job, flags); err != nil {
		_ = windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

// LimitJob sets the flags of a job object.
func LimitJob(job windows.Handle, flags uint32) error {
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = flags
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	return err
}

// Enter puts a process into a job object. One that was started with CREATE_SUSPENDED begins then.
func Enter(job windows.Handle, pid int, suspended bool) error {
	const access = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE | windows.PROCESS_SUSPEND_RESUME
	process, err := windows.OpenProcess(access, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	if err := windows.AssignProcessToJobObject(job, process); err != nil {
		return err
	}
	if suspended {
		if status, _, _ := resume.Call(uintptr(process)); status != 0 {
			return windows.NTStatus(status)
		}
	}
	return nil
}

// resume is what debuggers use: os/exec gives no handle of the thread that ResumeThread wants.
var resume = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")
