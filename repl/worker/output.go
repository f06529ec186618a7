package worker

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"
)

// output reads one of the worker's output pipes. It takes out the marks, and keeps the text with which the Go runtime
// says that the process ends.
type output struct {
	mark string // what a mark begins with; a number and a zero byte end it
	emit func(text string)
	pipe syscall.RawConn // it does not block
	file *os.File

	turn    sync.Mutex // held while something is read and passed on
	buf     []byte
	pending []byte // read, but not passed on: see pass

	mu     sync.Mutex
	seen   uint64 // the last mark
	passed uint64 // the last mark after which reading may go on
	moved  *sync.Cond
	ended  bool
	crash  []byte // from the line on that looks like a crash
	crashN int
	told   []byte // what looked like a crash since the last mark, and was passed on because the process went on
}

// How much of a crash is kept, and how long a line that only looks like one is held back.
const (
	crashKeep = 256 << 10
	crashHold = 300 * time.Millisecond
)

// How long to wait for a mark that a process may have lost, and for the end of what a process that is gone has written. A busy machine
// takes its time for both.
const (
	markPatience = 5 * time.Second
	endPatience  = 3 * time.Second
)

// newOutput reads from the reading end of a pipe of os.Pipe.
func newOutput(r *os.File, mark string, emit func(string)) *output {
	pipe, _ := r.SyscallConn() // fails without a file only
	o := &output{mark: mark, emit: emit, pipe: pipe, file: r, buf: make([]byte, 32<<10)}
	o.moved = sync.NewCond(&o.mu)
	return o
}

// read passes on what is written, until it ends, and closes the pipe.
func (o *output) read() {
	_ = o.pipe.Read(func(fd uintptr) (ended bool) {
		for n := 1; n > 0; {
			n, ended = o.take(fd)
		}
		return ended
	})
	o.turn.Lock()
	o.pending = o.pass(o.pending, true)
	o.turn.Unlock()
	o.mu.Lock()
	o.ended = true
	o.moved.Broadcast()
	o.mu.Unlock()
	o.file.Close()
}

// take passes on what is in the pipe, as far as there is room for it, and returns how much that was; ended when nothing more comes.
func (o *output) take(fd uintptr) (n int, ended bool) {
	o.turn.Lock()
	defer o.turn.Unlock()
	for {
		n, err := syscall.Read(int(fd), o.buf)
		switch err {
		case nil:
			o.pending = o.pass(append(o.pending, o.buf[:n]...), false)
			return n, n == 0
		case syscall.EINTR:
		default:
			return 0, err != syscall.EAGAIN
		}
	}
}

// maxPipe is more than what a pipe holds.
const maxPipe = 1 << 20

// drain passes on what was written before the call. It reports whether some of that looks like a crash: then only a mark can tell.
func (o *output) drain() (doubt bool) {
	n := 1
	_ = o.pipe.Control(func(fd uintptr) { // fails when the output has ended, and all is passed on
		for sum := 0; n > 0 && sum < maxPipe; sum += n {
			n, _ = o.take(fd)
		}
	})
	o.turn.Lock()
	defer o.turn.Unlock()
	if n == 0 && len(o.pending) > 0 { // half a character; marks are written whole
		o.text(o.pending)
		o.pending = nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.crash)+len(o.told) > 0
}

// pass emits the text in b and notes its marks. It returns what may be the beginning of a mark or of a character.
func (o *output) pass(b []byte, last bool) (rest []byte) {
	for {
		i := bytes.Index(b, []byte(o.mark))
		if i < 0 {
			break
		}
		end := bytes.IndexByte(b[i+len(o.mark):], 0)
		if end < 0 {
			o.text(b[:i])
			if !last {
				return append([]byte(nil), b[i:]...)
			}
			return nil
		}
		o.text(b[:i])
		n, _ := strconv.ParseUint(string(b[i+len(o.mark):i+len(o.mark)+end]), 10, 64)
		o.mu.Lock()
		crashN := o.crashN
		o.mu.Unlock()
		o.release(crashN) // a process that marks its output is not ending
		o.mu.Lock()
		o.told = nil
		o.seen = max(o.seen, n)
		o.moved.Broadcast()
		for o.passed < n {
			o.moved.Wait()
		}
		o.mu.Unlock()
		b = b[i+len(o.mark)+end+1:]
	}
	keep := 0
	if !last {
		for n := min(len(o.mark)-1, len(b)); n > 0; n-- {
			if strings.HasPrefix(o.mark, string(b[len(b)-n:])) {
				keep = n
				break
			}
		}
		if keep == 0 {
			for n := 1; n <= min(utf8.UTFMax-1, len(b)); n++ {
				if c := b[len(b)-n]; utf8.RuneStart(c) {
					if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
						keep = n
					}
					break
				}
			}
		}
	}
	o.text(b[:len(b)-keep])
	return append([]byte(nil), b[len(b)-keep:]...)
}

// crashStarts are the beginnings of what the Go runtime prints before it ends a process.
var crashStarts = []string{"panic: ", "fatal error: ", "runtime: ", "SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "unexpected fault address"}

func (o *output) text(b []byte) {
	if len(b) == 0 {
		return
	}
	o.mu.Lock()
	if len(o.crash) == 0 {
		if i := crashAt(b); i >= 0 {
			o.crash = append(o.crash, b[i:]...)
			b = b[:i]
			o.crashN++
			n := o.crashN
			time.AfterFunc(crashHold, func() { o.release(n) })
		}
	} else {
		if len(o.crash) < crashKeep {
			o.crash = append(o.crash, b...)
		}
		b = nil
	}
	o.mu.Unlock()
	if len(b) > 0 {
		o.emit(strings.ToValidUTF8(string(b), "\uFFFD"))
	}
}

func crashAt(b []byte) int {
	for at := 0; at >= 0 && at < len(b); {
		for _, s := range crashStarts {
			if bytes.HasPrefix(b[at:], []byte(s)) {
				return at
			}
		}
		n := bytes.IndexByte(b[at:], '\n')
		if n < 0 {
			return -1
		}
		at += n + 1
	}
	return -1
}

// release lets go of text that was no crash: the process still lives.
func (o *output) release(n int) {
	o.mu.Lock()
	if o.ended || o.crashN != n || len(o.crash) == 0 {
		o.mu.Unlock()
		return
	}
	b := o.crash
	o.crash = nil
	if len(o.told) == 0 {
		o.told = b
	}
	o.mu.Unlock()
	o.emit(strings.ToValidUTF8(string(b), "\uFFFD"))
}

// wait returns when mark n has come, or the output has ended, or too long has passed for a process that still works.
func (o *output) wait(n uint64) {
	t := time.AfterFunc(markPatience, func() {
		o.mu.Lock()
		o.seen = max(o.seen, n)
		o.moved.Broadcast()
		o.mu.Unlock()
	})
	defer t.Stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.seen < n && !o.ended {
		o.moved.Wait()
	}
}

// goOn lets reading go on after mark n.
func (o *output) goOn(n uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.passed = max(o.passed, n)
	o.moved.Broadcast()
}

// toldText is what looked like a crash, was passed on, and was one if the process has ended as a crash does: a runtime that has a
// gigabyte of stack to write about takes a while.
func (o *output) toldText() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.told)
}

// crashText returns what the runtime said at the end. A program that a cell started may keep the output open, so the end of
// it is not waited for long.
func (o *output) crashText() string {
	t := time.AfterFunc(endPatience, func() {
		o.mu.Lock()
		o.ended = true
		o.moved.Broadcast()
		o.mu.Unlock()
	})
	defer t.Stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	for !o.ended {
		o.moved.Wait()
	}
	return string(o.crash)
}
