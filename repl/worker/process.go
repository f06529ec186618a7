package worker

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorocm/gorocm/internal/meminfo"
	"github.com/gorocm/gorocm/internal/self"
	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/internal/programs"
)

// process is one worker process.
type process struct {
	cmd    *exec.Cmd
	out    *frameWriter
	pipe   *os.File // of out; closing it ends the worker
	in     lastWords
	stdout *output
	stderr *output
	report *report

	mu      sync.Mutex
	begun   uint64 // the last request of a cell that the worker has begun with
	ready   bool   // the worker has a session
	exit    *int   // the worker ends because a cell called os.Exit, with this code
	next    uint64
	waiting map[uint64]chan frame
	stop    chan struct{} // closed while the process is stopped
	expects func(program string)
	events  func(repl.Event) // of the running cell, or the last one; nil before the first
	early   []repl.Event     // from before the first cell
	sinks   []sink           // of the last cells
	pinned  []sink           // of cells of subshells that run
	evMu    sync.Mutex
	asking  asking

	ended chan struct{} // closed when the process is gone, which status is set before
	done  chan struct{} // closed when it is gone and everything it said has been passed on
	// Of the process, once done is closed:
	status error
	said   string      // the crash report of the Go runtime
	cut    atomic.Bool // it had to be killed, because it had closed its answers and went on
}

// cutPatience is how long a process may take to end once nothing more can come from it.
const cutPatience = time.Second

// starter starts processes on one thread that lives as long as this process: the kernel sends a worker its parent-death
// signal when the thread that started it ends.
var starter = sync.OnceValue(func() chan func() {
	jobs := make(chan func())
	go func() {
		runtime.LockOSThread()
		for job := range jobs {
			job()
		}
	}()
	return jobs
})

func startCommand(cmd *exec.Cmd) (err error) {
	done := make(chan struct{})
	starter() <- func() {
		if err = cmd.Start(); err == nil {
			adopt(cmd.Process.Pid)
		}
		close(done)
	}
	<-done
	return err
}

// start starts a worker, which is told of what the session has been. Expects is called with a program that the session
// may soon go on in, and with "" when there is no such program any longer.
func start(opt Options, h hello, expects func(program string)) (*process, error) {
	if len(opt.Command) == 0 {
		return nil, errors.New("worker: no command")
	}
	var nonce [12]byte
	rand.Read(nonce[:]) // never fails
	mark := "\x00\x1egorocm:" + hex.EncodeToString(nonce[:]) + ":"
	var ends [10]*os.File
	for i := 0; i < len(ends); i += 2 {
		newPipe := pipeFromWorker
		if i == 0 {
			newPipe = pipeToWorker
		}
		r, w, err := newPipe()
		if err != nil {
			for _, f := range ends[:i] {
				f.Close()
			}
			return nil, fmt.Errorf("worker: %w", err)
		}
		ends[i], ends[i+1] = r, w
	}
	requestR, requestW, answerR, answerW, outR, outW, errR, errW, crashR, crashW := ends[0], ends[1], ends[2], ends[3],
		ends[4], ends[5], ends[6], ends[7], ends[8], ends[9]
	cmd := exec.Command(opt.Command[0], opt.Command[1:]...)
	if self.Is(opt.Command[0]) {
		if file, err := self.File(); err == nil {
			cmd.Path = file
		}
	}
	session := rand.Text()
	cmd.Env, cmd.Dir = append(environment(opt), programs.Variable+"="+session+".0"), opt.Dir
	cmd.Stdout, cmd.Stderr = outW, errW
	if opt.Stdin != nil {
		cmd.Stdin = opt.Stdin
	}
	cmd.SysProcAttr = childAttributes()
	err := handOver(cmd, requestR, answerW, crashW)
	if err == nil {
		err = startCommand(cmd)
	}
	for _, f := range []*os.File{requestR, answerW, outW, errW, crashW} {
		f.Close()
	}
	if err != nil {
		for _, f := range []*os.File{requestW, answerR, outR, errR, crashR} {
			f.Close()
		}
		return nil, fmt.Errorf("worker: %w", err)
	}
	forked := sync.OnceFunc(func() { programs.EndForks(session) })
	p := &process{cmd: cmd, out: &frameWriter{w: requestW}, pipe: requestW, in: lastWords{answerR, forked},
		report: newReport(lastWords{crashR, forked}), waiting: map[uint64]chan frame{}, stop: make(chan struct{}),
		ended: make(chan struct{}), done: make(chan struct{}), expects: expects}
	p.stdout = newOutput(outR, mark, nil, p.stream("stdout", opt.Bytes))
	p.stderr = newOutput(errR, mark, p.report, p.stream("stderr", opt.Bytes))
	go p.stdout.read()
	go p.stderr.read()
	go p.receive()
	go p.watchStops()
	go func() {
		p.status = cmd.Wait()
		close(p.ended)
		answerR.SetReadDeadline(time.Now())
		crashR.SetReadDeadline(time.Now())
	}()
	h.Version, h.Modules, h.Mark, h.Input = opt.Version, opt.Modules, mark, opt.Stdin == nil
	if err := p.out.send(kindHello, 0, h); err != nil {
		p.kill()
		return nil, fmt.Errorf("worker: %s", p.inShort()+p.earlyText())
	}
	return p, nil
}

// earlyText is what a process that is gone has written before it ran any cell.
func (p *process) earlyText() (text string) {
	p.evMu.Lock()
	defer p.evMu.Unlock()
	for _, e := range p.early {
		text += "\n" + strings.TrimSuffix(e.Text, "\n")
	}
	return text
}

// environment is that of workers.
func environment(opt Options) []string {
	env := opt.Env
	if env == nil {
		env = os.Environ()
	}
	return slices.Concat(meminfo.Environment(), env) // the user's own comes last and counts
}

// stream emits the text of a stream, as it is or with U+FFFD for what is no UTF-8.
func (p *process) stream(name string, asIs bool) func(text string) {
	return func(text string) {
		if !asIs {
			text = strings.ToValidUTF8(text, "\uFFFD")
		}
		p.emit(repl.Event{Kind: repl.Stream, Name: name, Text: text})
	}
}

// emit tells an event of the running cell, or of the last one.
func (p *process) emit(e repl.Event) { p.emitTo(0, e) }

// emitTo tells an event of a cell, whose request has that id. One that is long gone stands back for the running one.
func (p *process) emitTo(cell uint64, e repl.Event) {
	p.evMu.Lock()
	defer p.evMu.Unlock()
	to := p.events
	for _, list := range [][]sink{p.sinks, p.pinned} {
		for _, s := range list {
			if cell != 0 && s.cell == cell {
				to = s.events
			}
		}
	}
	switch {
	case to != nil:
		to(e)
	case len(p.early) < keptSinks:
		p.early = append(p.early, e)
	}
}

// sink is where events of a cell go.
type sink struct {
	cell   uint64
	events func(repl.Event)
}

// keptSinks is for how many cells output of goroutines that they have left behind can still come.
const keptSinks = 64

// direct sends events to another sink, that of a cell whose request will have the id.
func (p *process) direct(cell uint64, events func(repl.Event), silent bool) {
	p.evMu.Lock()
	defer p.evMu.Unlock()
	p.keepSink(sink{cell, events})
	if silent {
		return
	}
	p.events = events
	for _, e := range p.early {
		events(e)
	}
	p.early = nil
}

// receive takes the worker's frames until it ends.
func (p *process) receive() {
	r := bufio.NewReaderSize(p.in, 64<<10)
	for {
		f, err := readFrame(r)
		if err != nil {
			break
		}
		switch f.Kind {
		case kindMark:
			var m markBody
			if !decode(f.Body, &m) {
				continue
			}
			for i, o := range []*output{p.stdout, p.stderr} {
				if !m.Skip[i] {
					o.wait(f.ID)
				}
			}
			if m.Event != nil {
				p.emitTo(m.Cell, *m.Event)
			}
			p.stdout.goOn(f.ID)
			p.stderr.goOn(f.ID)
		case kindReady:
			p.mu.Lock()
			p.ready = true
			p.mu.Unlock()
		case kindBegun:
			p.mu.Lock()
			p.begun = f.ID
			p.mu.Unlock()
		case kindExit:
			var e exitBody
			if decode(f.Body, &e) {
				p.mu.Lock()
				p.exit = &e.Code
				p.mu.Unlock()
			}
		case kindInput:
			p.question(f)
		case kindExpects:
			var program string
			if decode(f.Body, &program) {
				p.expects(program)
			}
		case kindAnswer:
			p.mu.Lock()
			ch := p.waiting[f.ID]
			delete(p.waiting, f.ID)
			p.mu.Unlock()
			if ch != nil {
				ch <- f
			}
		}
	}
	p.stdout.goOn(math.MaxUint64)
	p.stderr.goOn(math.MaxUint64)
	p.wait()
	p.pipe.Close()
	p.in.Close()
	<-p.report.done
	p.stdout.drain() // programs that cells have started may hold the other end for as long as they like
	p.stderr.drain()
	p.said = p.stderr.conclude(p.exited() == nil && p.cmd.ProcessState != nil && p.cmd.ProcessState.ExitCode() == 2)
	close(p.done)
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, ch := range p.waiting {
		delete(p.waiting, id)
		close(ch)
	}
}

// wait waits for the process, which has closed its answers: as a rule because it ends.
func (p *process) wait() {
	late := time.AfterFunc(cutPatience, func() {
		p.cut.Store(true)
		p.cmd.Process.Kill()
	})
	<-p.ended
	late.Stop()
}

// lastWords is a pipe whose reads have a deadline once the process that writes to it has ended. Then what it wrote is
// read, and there is no wait for others that have the other end: a cell can fork the process.
type lastWords struct {
	*os.File
	forked func() // called when there are such others
}

func (w lastWords) Read(b []byte) (int, error) {
	n, err := w.File.Read(b)
	if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	w.SetReadDeadline(time.Now().Add(100 * time.Millisecond)) // without one in the future nothing is read at all
	if n, err = w.File.Read(b); errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
		w.forked()
	}
	return n, err
}

// settle passes on what the worker has written before now.
func (p *process) settle() {
	out, err := p.stdout.drain(), p.stderr.drain()
	if !out && !err {
		return
	}
	// The worker may be ending. One that is not can still write a mark, behind what looks like it.
	if settled, err := p.request(kindSettle, nil); err == nil {
		select {
		case <-settled:
		case <-time.After(markPatience):
		}
	}
}

// request sends a request and returns the channel of its answer, which is closed without one when the worker ends.
func (p *process) request(kind kind, body any) (<-chan frame, error) {
	return p.requestAs(p.id(), kind, body)
}

// id is that of a request to come.
func (p *process) id() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next++
	return p.next
}

func (p *process) requestAs(id uint64, kind kind, body any) (<-chan frame, error) {
	ch := make(chan frame, 1)
	p.mu.Lock()
	p.waiting[id] = ch
	p.mu.Unlock()
	if err := p.out.send(kind, id, body); err != nil {
		p.mu.Lock()
		delete(p.waiting, id)
		p.mu.Unlock()
		return nil, err
	}
	select {
	case <-p.done: // receive may have closed the channels before this one was there
		p.mu.Lock()
		if p.waiting[id] != nil {
			delete(p.waiting, id)
			close(ch)
		}
		p.mu.Unlock()
	default:
	}
	return ch, nil
}

func (p *process) alive() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.done
}

// crashLines is how much of what the runtime said is told as the reason.
const crashLines = 6

// outOfTime reports whether a process that is gone has used that much. The kernel compares the limit with ticks, which
// differ from the time that it tells, by 4 % in a run: a fifth is allowed.
func (p *process) outOfTime() bool {
	limit, s := timeLimit(), p.cmd.ProcessState
	return limit > 0 && s != nil && s.UserTime()+s.SystemTime() > limit-limit/5
}

// began reports whether the worker has begun with the cell of a request.
func (p *process) began(id uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.begun >= id
}

// exited returns the code with which a cell has called os.Exit; nil when the worker has not said that one did.
func (p *process) exited() *int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit
}

// reason says why a process that is gone has crashed: in the words of the Go runtime, if it had the time for any.
func (p *process) reason() (text string, notes []string) {
	text = "exit status 0"
	if p.status != nil {
		text = p.status.Error()
	}
	if lines := reportLines(p.said); len(lines) > 0 {
		if notes = append(lines[1:], text); len(p.report.text) == 0 {
			notes = append(notes,
				"descriptors that are the session's own were closed: a cell closes those that it has opened")
		}
		return lines[0], notes
	}
	switch {
	case p.said != "":
		notes = []string{"it was a fatal error of the Go runtime, but not the line that names it: the worker's standard error was closed or redirected"}
	case p.cut.Load() && killed(p.status, true):
		notes = []string{"the worker had closed its connection to the front end, and was killed"}
	case killed(p.status, false) && p.outOfTime():
		notes = []string{"it had used the processor time that its limit allows: " + timeLimit().String() + " (ulimit -t)"}
	case killed(p.status, false):
		notes = []string{"the kernel ends a process like this when the machine, or the container, has no memory left"}
	case !p.isReady():
		notes = []string{"the worker ended before its session had begun"}
	case p.cmd.ProcessState != nil && endedItself(p.cmd.ProcessState):
		notes = []string{"the process ended without a call of os.Exit, as the function exit of a C library ends it"}
	}
	return text, notes
}

// inShort is reason in one line.
func (p *process) inShort() string {
	text, notes := p.reason()
	return strings.Join(append([]string{text}, notes[:min(len(notes), 1)]...), "; ")
}

// reportLines are the lines of a crash report before the stacks.
func reportLines(report string) (lines []string) {
	for l := range strings.Lines(report) {
		if len(lines) == crashLines || strings.HasPrefix(l, "goroutine ") || strings.HasPrefix(l, "runtime stack:") {
			break
		}
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

func (p *process) isReady() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ready
}
