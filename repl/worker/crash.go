package worker

import (
	"bytes"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"
)

// The Go runtime writes its crash report to standard error, where cells and the programs that they start write, too. So
// the worker has it write a copy to a pipe of its own: what comes there is a crash report, and nothing
// else is. The copy lacks the lines that the runtime writes before it begins to die, such as "fatal error: …"; these
// are on standard error only. Therefore text on standard error that may be the beginning of a report is held for a
// moment, and is output unless the pipe says otherwise.

// reportCrashes has the Go runtime copy its crash report to a pipe.
func reportCrashes(pipe *os.File) error {
	defer pipe.Close() // the runtime has a duplicate
	return debug.SetCrashOutput(pipe, debug.CrashOptions{})
}

// reportLimit is how much of a crash report is kept, and how much text is held at most: output must not be dropped.
const reportLimit = 256 << 10

// holdTime is how long text is held. A report that has begun takes less until the runtime dies.
const holdTime = 300 * time.Millisecond

// report is the copy of the worker's crash report.
type report struct {
	begun chan struct{} // closed when the process has begun to die
	done  chan struct{} // closed when it is dead, and text is complete
	text  []byte
}

// newReport reads the front end's end of the pipe.
func newReport(r io.ReadCloser) *report {
	p := &report{begun: make(chan struct{}), done: make(chan struct{})}
	go p.read(r)
	return p
}

func (p *report) read(r io.ReadCloser) {
	defer close(p.done)
	defer r.Close()
	buf := make([]byte, 4096)
	for {
		n, err := r.Read(buf)
		if n > 0 && !p.dying() {
			close(p.begun)
		}
		p.text = append(p.text, buf[:min(n, reportLimit-len(p.text))]...)
		if err != nil {
			return
		}
	}
}

// dying reports whether the process writes a crash report.
func (p *report) dying() bool {
	select {
	case <-p.begun:
		return true
	default:
		return false
	}
}

// crashStarts are the beginnings of what the Go runtime writes before it ends a process.
var crashStarts = []string{"panic: ", "fatal error: ", "fatal: ", "runtime: ", "SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE",
	"SIGILL", "SIGQUIT", "SIGTRAP", "SIGSYS", "unexpected fault address"}

// crashAt is where the first of crashStarts is; -1 without one. Text that the runtime did not write may stand before
// it, in the same line.
func crashAt(b []byte) int {
	at := -1
	for _, s := range crashStarts {
		if i := bytes.Index(b, []byte(s)); i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	return at
}

// hold takes from b what may belong to a crash report, and returns what is output. o.turn is held.
func (o *output) hold(b []byte) []byte {
	if len(o.held) == 0 {
		at := crashAt(b)
		if at < 0 && !o.report.dying() {
			return b
		}
		at = max(at, 0)
		o.held = append(o.held, b[at:]...)
		o.holds++
		n := o.holds
		time.AfterFunc(holdTime, func() {
			o.turn.Lock()
			defer o.turn.Unlock()
			if o.holds == n {
				o.release()
			}
		})
		return b[:at]
	}
	o.held = append(o.held, b...)
	if len(o.held) > reportLimit {
		if !o.report.dying() {
			o.release()
		} else {
			o.held = o.held[:reportLimit]
		}
	}
	return nil
}

// release emits what is held: it was not a crash report, since the process still lives. o.turn is held.
func (o *output) release() {
	if len(o.held) == 0 || o.report.dying() {
		return
	}
	b := o.held
	o.held = nil
	o.emit(string(b))
}

// conclude tells what the Go runtime said as it ended the process, which is gone: its report is complete, and drain has
// passed on all that it wrote. What was held and is not part of the report is emitted.
// fatal says that the process has ended as the runtime ends one.
func (o *output) conclude(fatal bool) (said string) {
	o.turn.Lock()
	defer o.turn.Unlock()
	text, crash := splitReport(o.held, o.report.text)
	if fatal && len(o.report.text) == 0 {
		text, crash = splitUncopied(o.held)
	}
	o.held, o.over = nil, true
	if len(text) > 0 {
		o.emit(string(text))
	}
	return strings.ToValidUTF8(string(crash), "\uFFFD")
}

// splitReport tells where in the text of standard error the crash report begins, of which copy is the runtime's copy.
// Without a copy nothing is a report.
func splitReport(text, copy []byte) (output, crash []byte) {
	if len(copy) == 0 {
		return text, nil
	}
	const enough = 64 // to find the copy's beginning by; what other threads write may stand in what follows
	at := bytes.Index(text, copy[:min(len(copy), enough)])
	if at < 0 {
		return text, copy
	}
	for at > 0 && crashAt(copy) != 0 { // the lines before it that only standard error has
		line := bytes.LastIndexByte(text[:at-1], '\n') + 1
		start := crashAt(text[line:at])
		if start < 0 {
			break
		}
		if at = line + start; start > 0 {
			break
		}
	}
	return text[:at], text[at:]
}

// splitUncopied is splitReport where there is no copy, because a cell has closed the descriptor for it.
func splitUncopied(text []byte) (output, crash []byte) {
	at := crashAt(text)
	if at < 0 || !bytes.Contains(text[at:], []byte("\ngoroutine ")) {
		return text, nil
	}
	return text[:at], text[at:]
}
