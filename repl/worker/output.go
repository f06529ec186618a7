package worker

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// output reads one of the worker's output pipes. It takes out the marks and, from standard error, the crash report of
// the Go runtime.
type output struct {
	mark string // what a mark begins with; a number and a zero byte end it
	emit func(text string)
	// what the Go runtime writes as the process dies; nil for standard output, where it writes nothing
	report *report
	pipe   outputPipe

	turn    sync.Mutex // held while something is read and passed on
	buf     []byte
	pending []byte // read, but not passed on: see pass
	held    []byte // text that may be the beginning of a crash report; guarded by turn, as is the rest
	holds   int    // how many times text was held
	over    bool   // the process is gone: nothing is held any more

	mu     sync.Mutex
	seen   uint64 // the last mark
	passed uint64 // the last mark after which reading may go on
	moved  *sync.Cond
	ended  bool
}

// How long to wait for a mark that a process may have lost. A busy machine takes its time.
const markPatience = 5 * time.Second

// newOutput reads from the reading end of a pipe of pipeFromWorker.
func newOutput(r *os.File, mark string, report *report, emit func(string)) *output {
	o := &output{mark: mark, emit: emit, report: report, pipe: newOutputPipe(r), buf: make([]byte, 32<<10)}
	o.moved = sync.NewCond(&o.mu)
	return o
}

// read passes on what is written, until it ends, and closes the pipe.
func (o *output) read() {
	o.pipe.await(func(fd uintptr) (ended bool) {
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
	o.pipe.Close()
}

// take passes on what is in the pipe, as far as there is room for it, and returns how much that was; ended when nothing
// more comes.
func (o *output) take(fd uintptr) (n int, ended bool) {
	o.turn.Lock()
	defer o.turn.Unlock()
	if n, ended = o.pipe.readNow(fd, o.buf); n > 0 {
		o.pending = o.pass(append(o.pending, o.buf[:n]...), false)
	}
	return n, ended
}

// maxPipe is more than what a pipe holds.
const maxPipe = 1 << 20

// drain passes on what was written before the call. It reports whether some of that is held because it may be a crash
// report: then only a mark can tell.
func (o *output) drain() (doubt bool) {
	n := 1
	o.pipe.use(func(fd uintptr) { // not called when the output has ended, and all is passed on
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
	return len(o.held) > 0
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
		o.release() // a process that marks its output is not dying
		o.mu.Lock()
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

// text emits text, or holds it while it may be a crash report. o.turn is held.
func (o *output) text(b []byte) {
	if o.report != nil && !o.over {
		b = o.hold(b)
	}
	if len(b) > 0 {
		o.emit(string(b))
	}
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
