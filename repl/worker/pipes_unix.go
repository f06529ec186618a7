//go:build unix

package worker

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// pipeToWorker returns a pipe that the front end writes to, pipeFromWorker one that it reads from.
func pipeToWorker() (r, w *os.File, err error)   { return os.Pipe() }
func pipeFromWorker() (r, w *os.File, err error) { return os.Pipe() }

// firstFD is the descriptor of the first of the files that a worker gets beside its standard files.
const firstFD = 3

// handOver gives files to a worker to be started.
func handOver(cmd *exec.Cmd, files ...*os.File) error {
	cmd.ExtraFiles = files
	return nil
}

// handedOver returns the files that this worker was given: descriptors 3 to 5.
func handedOver() (requests, answers, crash *os.File, err error) {
	for fd := firstFD; fd < firstFD+3; fd++ {
		var st syscall.Stat_t
		if err := syscall.Fstat(fd, &st); err != nil {
			return nil, nil, nil, fmt.Errorf("descriptor %d is not open: this command is started by gorocm itself", fd)
		}
		syscall.CloseOnExec(fd) // not for what cells start
	}
	if err := syscall.SetNonblock(firstFD, true); err != nil { // so that waiting for requests keeps no thread
		return nil, nil, nil, err
	}
	return os.NewFile(firstFD, "requests"), os.NewFile(firstFD+1, "answers"), os.NewFile(firstFD+2, "crash report"), nil
}

// outputPipe is the front end's end of a pipe for output. It does not block.
type outputPipe struct {
	raw  syscall.RawConn
	file *os.File
}

func newOutputPipe(r *os.File) outputPipe {
	raw, _ := r.SyscallConn() // fails without a file only
	return outputPipe{raw, r}
}

// await calls f now, and then whenever there may be something to read, until f says that the output has ended.
func (p outputPipe) await(f func(fd uintptr) (ended bool)) { _ = p.raw.Read(f) }

// use calls f with the descriptor, unless the pipe is closed.
func (p outputPipe) use(f func(fd uintptr)) { _ = p.raw.Control(f) }

// readNow reads what is in the pipe, without waiting; ended when nothing more comes.
func (p outputPipe) readNow(fd uintptr, buf []byte) (n int, ended bool) {
	for {
		n, err := syscall.Read(int(fd), buf)
		switch err {
		case nil:
			return n, n == 0
		case syscall.EINTR:
		default:
			return 0, err != syscall.EAGAIN
		}
	}
}

// Close closes the pipe.
func (p outputPipe) Close() error { return p.file.Close() }

// identity tells a file from all others; false when it is closed.
func identity(f *os.File) (id [2]uint64, open bool) {
	raw, err := f.SyscallConn()
	if err != nil {
		return id, false
	}
	var st unix.Stat_t
	if raw.Control(func(fd uintptr) { err = unix.Fstat(int(fd), &st) }) != nil || err != nil {
		return id, false
	}
	return [2]uint64{uint64(st.Dev), st.Ino}, true
}
