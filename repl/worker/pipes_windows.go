package worker

import (
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// The front end's ends of the pipes, and the end that a worker reads requests from, are opened for overlapped I/O:
// reads have deadlines then, end when the file is closed, and do not keep others from asking what is in the pipe. Only
// named pipes can be opened so. The other ends are for programs and for the Go runtime, which know nothing of that.

// pipeSize is how much of what was written to a pipe can wait to be read.
const pipeSize = 64 << 10

// pipeToWorker returns a pipe that the front end writes to, pipeFromWorker one that it reads from.
func pipeToWorker() (r, w *os.File, err error) {
	w, r, err = pipe(windows.PIPE_ACCESS_OUTBOUND, windows.GENERIC_READ, windows.FILE_FLAG_OVERLAPPED)
	return r, w, err
}

func pipeFromWorker() (r, w *os.File, err error) {
	return pipe(windows.PIPE_ACCESS_INBOUND, windows.GENERIC_WRITE, 0)
}

// pipe makes a named pipe with one instance, both ends of which are open: nobody else can open it any more.
func pipe(direction, access, attributes uint32) (ours, theirs *os.File, err error) {
	name := `\\.\pipe\gorocm-` + rand.Text()
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, nil, err
	}
	server, err := windows.CreateNamedPipe(path,
		direction|windows.FILE_FLAG_OVERLAPPED|windows.FILE_FLAG_FIRST_PIPE_INSTANCE,
		windows.PIPE_TYPE_BYTE|windows.PIPE_READMODE_BYTE|windows.PIPE_WAIT|windows.PIPE_REJECT_REMOTE_CLIENTS,
		1, pipeSize, pipeSize, 0, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("a pipe: %w", err)
	}
	client, err := windows.CreateFile(path, access, 0, nil, windows.OPEN_EXISTING, attributes, 0)
	if err != nil {
		_ = windows.CloseHandle(server)
		return nil, nil, fmt.Errorf("a pipe: %w", err)
	}
	return os.NewFile(uintptr(server), name), os.NewFile(uintptr(client), name), nil
}

// handlesVariable has the handles that a worker gets beside its standard files.
const handlesVariable = "GOROCM_WORKER_HANDLES"

// handOver gives files to a worker to be started.
func handOver(cmd *exec.Cmd, files ...*os.File) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	var numbers []string
	for _, f := range files {
		raw, err := f.SyscallConn()
		if err != nil {
			return err
		}
		err = raw.Control(func(h uintptr) {
			const inherit = windows.HANDLE_FLAG_INHERIT
			_ = windows.SetHandleInformation(windows.Handle(h), inherit, inherit)
			cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles,
				syscall.Handle(h))
			numbers = append(numbers, strconv.FormatUint(uint64(h), 10))
		})
		if err != nil {
			return err
		}
	}
	cmd.Env = append(cmd.Env, handlesVariable+"="+strings.Join(numbers, ","))
	return nil
}

// handedOver returns the files that this worker was given.
func handedOver() (requests, answers, crash *os.File, err error) {
	var files [3]*os.File
	numbers := strings.Split(os.Getenv(handlesVariable), ",")
	if len(numbers) != len(files) {
		return nil, nil, nil, fmt.Errorf("%s does not name three handles: this command is started by gorocm itself",
			handlesVariable)
	}
	_ = os.Unsetenv(handlesVariable) // not for what cells start
	for i, text := range numbers {
		h, err := strconv.ParseUint(text, 10, 64)
		if err == nil { // nor are the handles
			err = windows.SetHandleInformation(windows.Handle(h), windows.HANDLE_FLAG_INHERIT, 0)
		}
		if err != nil {
			return nil, nil, nil, fmt.Errorf("%s: %w: this command is started by gorocm itself", handlesVariable, err)
		}
		files[i] = os.NewFile(uintptr(h), []string{"requests", "answers", "crash report"}[i])
	}
	return files[0], files[1], files[2], nil
}

// outputPipe is the front end's end of a pipe for output.
type outputPipe struct{ *os.File }

func newOutputPipe(r *os.File) outputPipe { return outputPipe{r} }

// await calls f now, and then whenever there may be something to read, until f says that the output has ended.
func (p outputPipe) await(f func(fd uintptr) (ended bool)) {
	p.use(func(fd uintptr) {
		for !f(fd) {
			if _, err := p.Read(nil); err != nil { // waits until there is something, and takes nothing
				f(fd) // what came before the end
				return
			}
		}
	})
}

// use calls f with the handle, unless the pipe is closed.
func (p outputPipe) use(f func(fd uintptr)) {
	if raw, err := p.SyscallConn(); err == nil {
		_ = raw.Control(f)
	}
}

// readNow reads what is in the pipe, without waiting; ended when nothing more comes. Nobody else reads meanwhile.
func (p outputPipe) readNow(fd uintptr, buf []byte) (n int, ended bool) {
	var available uint32
	if ok, _, _ := peek.Call(fd, 0, 0, 0, uintptr(unsafe.Pointer(&available)), 0); ok == 0 {
		return 0, true
	}
	if available == 0 {
		return 0, false
	}
	n, err := p.Read(buf[:min(len(buf), int(available))])
	return n, err != nil && n == 0
}

var peek = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

// identity tells a file from all others; false when it is closed. Nothing can put another file in the place of an open
// one here.
func identity(f *os.File) (id [2]uint64, open bool) {
	raw, err := f.SyscallConn()
	if err != nil {
		return id, false
	}
	err = raw.Control(func(fd uintptr) { id[0] = uint64(fd) })
	return id, err == nil
}
