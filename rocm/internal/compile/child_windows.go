package compile

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

// replyVariable has the handle that a child writes its reply to.
const replyVariable = "GOROCM_COMPILER_REPLY"

// giveReplyFile gives a child the end of a pipe that it writes its reply to.
func giveReplyFile(cmd *exec.Cmd, to *os.File) {
	h := to.Fd()
	const inherit = windows.HANDLE_FLAG_INHERIT
	if windows.SetHandleInformation(windows.Handle(h), inherit, inherit) != nil {
		return // the child will not reply
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: []syscall.Handle{syscall.Handle(h)}}
	cmd.Env = append(os.Environ(), replyVariable+"="+strconv.FormatUint(uint64(h), 10))
}

// replyFile is what this child was given.
func replyFile() *os.File {
	h, _ := strconv.ParseUint(os.Getenv(replyVariable), 10, 64) // writes to no handle fail
	return os.NewFile(uintptr(h), "reply")
}

// killWithParent is nil: a child process continues when its parent is killed, and ends when it has compiled.
func killWithParent() *syscall.SysProcAttr { return nil }

// lowerPriority gives a process the lowest priority of those that share processors.
func lowerPriority(pid int) {
	h, err := windows.OpenProcess(windows.PROCESS_SET_INFORMATION, false, uint32(pid))
	if err != nil {
		return // it has ended
	}
	defer func() { _ = windows.CloseHandle(h) }()
	_ = windows.SetPriorityClass(h, windows.IDLE_PRIORITY_CLASS) // without it, it is in the way of others
}
