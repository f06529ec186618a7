package worker

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gorocm/gorocm/repl"
)

// process is one worker process.
type process struct {
	cmd    *exec.Cmd
	out    *frameWriter
	pipe   *os.File // of out; closing it ends the worker
	in     *os.File
	stdout *output
	stderr *output

	mu      sync.Mutex
	next    uint64
	waiting map[uint64]chan frame
	events  func(repl.Event) // of the running cell, or the last one
	sinks   []sink           // of the last cells
	evMu    sync.Mutex
	asking  asking

	done   chan struct{} // closed when the process is gone and everything it said has been passed on
	status error         // of the process, once done is closed
}

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
		err = cmd.Start()
		close(done)
	}
	<-done
	return err
}

// start starts a worker, which is told of what the session has been.
func start(opt Options, h hello) (*process, error) {
	if len(opt.Command) == 0 {
		return nil, errors.New("worker: no command")
	}
	var nonce [12]byte
	rand.Read(nonce[:]) // never fails
	mark := "\x00\x1egorocm:" + hex.EncodeToString(nonce[:]) + ":"
	var ends [8]*os.File
	for i := 0; i < len(ends); i += 2 {
		r, w, err := os.Pipe()
		if err != nil {
			for _, f := range ends[:i] {
				f.Close()
			}
			return nil, fmt.Errorf("worker: %w", err)
		}
		ends[i], ends[i+1] = r, w
	}
	requestR, requestW, answerR, answerW, outR, outW, errR, errW := ends[0], ends[1], ends[2], ends[3], ends[4], ends[5], ends[6], ends[7]
	cmd := exec.Command(opt.Command[0], opt.Command[1:]...)
	cmd.Env, cmd.Dir = opt.Env, opt.Dir
	cmd.Stdout, cmd.Stderr = outW, errW
	if opt.Stdin != nil {
		cmd.Stdin = opt.Stdin
	}
	cmd.ExtraFiles = []*os.File{requestR, answerW}
	cmd.SysProcAttr = childAttributes()
	err := startCommand(cmd)
	for _, f := range []*os.File{requestR, answerW, outW, errW} {
		f.Close()
	}
	if err != nil {
		for _, f := range []*os.File{requestW, answerR, outR, errR} {
			f.Close()
		}
		return nil, fmt.Errorf("worker: %w", err)
	}
	p := &process{cmd: cmd, out: &frameWriter{w: requestW}, pipe: requestW, in: answerR, waiting: map[uint64]chan frame{}, events: func(repl.Event) {}, done: make(chan struct{})}
	p.stdout = newOutput(outR, mark, func(text string) { p.emit(repl.Event{Kind: repl.Stream, Name: "stdout", Text: text}) })
	p.stderr = newOutput(errR, mark, func(text string) { p.emit(repl.Event{Kind: repl.Stream, Name: "stderr", Text: text}) })
	go p.stdout.read()
	go p.stderr.read()
	go p.receive()
	h.Version, h.Modules, h.Mark, h.Input = opt.Version, opt.Modules, mark, opt.Stdin == nil
	if err := p.out.send(kindHello, 0, h); err != nil {
		p.kill()
		return nil, err
	}
	return p, nil
}

// emit tells an event of the running cell, or of the last one.
func (p *process) emit(e repl.Event) { p.emitTo(0, e) }

// emitTo tells an event of a cell, whose request has that id. One that is long gone stands back for the running one.
func (p *process) emitTo(cell uint64, e repl.Event) {
	p.evMu.Lock()
	defer p.evMu.Unlock()
	to := p.events
	for _, s := range p.sinks {
		if cell != 0 && s.cell == cell {
			to = s.events
		}
	}
	to(e)
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
	if len(p.sinks) == keptSinks {
		p.sinks = append(p.sinks[:0], p.sinks[1:]...)
	}
	p.sinks = append(p.sinks, sink{cell, events})
	if !silent {
		p.events = events
	}
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
		case kindInput:
			p.question(f)
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
	p.pipe.Close()
	p.in.Close()
	p.cmd.Process.Kill() // it may have closed its answers and gone on
	p.status = p.cmd.Wait()
	p.stdout.crashText() // the output has ended
	p.stderr.crashText()
	close(p.done)
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, ch := range p.waiting {
		delete(p.waiting, id)
		close(ch)
	}
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

// crashStatus is the exit status of a process that the Go runtime ends.
const crashStatus = 2

// crashLines is how much of what the runtime said is told as the reason.
const crashLines = 6

// killed reports whether a process was ended by SIGKILL.
func killed(e *exec.ExitError) bool {
	ws, ok := e.Sys().(syscall.WaitStatus)
	return ok && ws.Signaled() && ws.Signal() == syscall.SIGKILL
}

// reason says why the process ended, and the exit code when it ended by itself without a word.
func (p *process) reason() (text string, notes []string, exit *int) {
	said := p.stderr.crashText()
	var ee *exec.ExitError
	code := 0
	switch {
	case p.status == nil:
		text = "exit status 0"
	case errors.As(p.status, &ee):
		text, code = ee.Error(), ee.ExitCode()
	default:
		text, code = p.status.Error(), -1
	}
	if said == "" && code == crashStatus {
		said = p.stderr.toldText()
	}
	lines := strings.Split(strings.TrimSpace(said), "\n")
	if said == "" {
		if code >= 0 {
			return text, nil, &code
		}
		if ee != nil && killed(ee) {
			notes = append(notes, "the kernel ends a process like this when the machine, or the container, has no memory left")
		}
		return text, notes, nil
	}
	for i, l := range lines {
		if i == crashLines || strings.HasPrefix(l, "goroutine ") {
			break
		}
		if l = strings.TrimSpace(l); l != "" {
			notes = append(notes, l)
		}
	}
	if len(notes) > 0 {
		text, notes = notes[0], append(notes[1:], text)
	}
	return text, notes, nil
}
