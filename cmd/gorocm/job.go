package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/gorocm/gorocm/repl/term"
)

// stopPatience is how long processes may take to end once another one has failed. After a signal they have longer: a
// script may save its model then. Slurm, too, kills processes 30 s after SIGTERM.
const stopPatience, signalPatience = 5 * time.Second, 30 * time.Second

// job is processes that run together: when one fails, all end.
type job struct {
	out, errOut io.Writer
	patience    time.Duration
	writing     sync.Mutex // held while lines of a process are written
	processes   []*jobProcess
}

// jobProcess is a process of a job.
type jobProcess struct {
	rank    int
	cmd     *exec.Cmd
	streams [2]*rankLines
	ended   bool
}

// add adds a process, which run starts.
func (j *job) add(rank int, cmd *exec.Cmd) {
	p := &jobProcess{rank: rank, cmd: cmd}
	for i, out := range []io.Writer{j.out, j.errOut} {
		p.streams[i] = &rankLines{out: out, writing: &j.writing, prefix: fmt.Sprintf("[%d] ", rank)}
	}
	cmd.Stdout, cmd.Stderr = p.streams[0], p.streams[1]
	cmd.WaitDelay = time.Second // programs that it has left may hold its output
	cmd.SysProcAttr = jobAttributes()
	j.processes = append(j.processes, p)
}

// run starts the processes and waits for them. It returns the status of the first that failed: 128+n of one that signal
// n has ended.
func (j *job) run() (status int, err error) {
	runtime.LockOSThread() // the kernel kills the processes when the thread that started them ends
	defer runtime.UnlockOSThread()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, term.EndSignals()...)
	defer signal.Stop(signals)
	ends := make(chan *jobProcess)
	running := 0
	for _, p := range j.processes {
		if err = p.cmd.Start(); err != nil {
			break
		}
		running++
		go func() {
			_ = p.cmd.Wait() // the state tells
			for _, s := range p.streams {
				s.flush()
			}
			ends <- p
		}()
	}
	if err != nil {
		j.signal(syscall.SIGKILL)
	}
	var late <-chan time.Time
	for running > 0 {
		select {
		case p := <-ends:
			running--
			p.ended = true
			n := statusOf(p.cmd.ProcessState)
			if status == 0 {
				status = n
			}
			if n == 0 || late != nil || err != nil {
				continue
			}
			j.say("rank %d failed: %v", p.rank, p.cmd.ProcessState)
			late = time.After(j.patience)
			j.signal(syscall.SIGTERM)
		case s := <-signals:
			if number, ok := s.(syscall.Signal); ok {
				j.signal(number)
			}
			if late == nil {
				late = time.After(signalPatience)
			}
		case <-late:
			for _, p := range j.processes {
				if !p.ended {
					j.say("rank %d did not end when it was asked to: killed", p.rank)
				}
			}
			j.signal(syscall.SIGKILL)
		}
	}
	return status, err
}

// signal sends a signal to the processes that run.
func (j *job) signal(s syscall.Signal) {
	for _, p := range j.processes {
		if p.cmd.Process != nil && !p.ended {
			_ = p.cmd.Process.Signal(s) // it may have ended
		}
	}
}

// say writes a line of the job itself.
func (j *job) say(format string, args ...any) {
	j.writing.Lock()
	defer j.writing.Unlock()
	fmt.Fprintf(j.errOut, "gorocm: "+format+"\n", args...)
}

// statusOf is the exit status of a process as shells tell it.
func statusOf(state *os.ProcessState) int {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return state.ExitCode()
}

// longestLine is how much of a line is kept: a longer one is written in parts.
const longestLine = 1 << 20

// rankLines writes whole lines of a process's output, each behind a prefix.
type rankLines struct {
	out     io.Writer
	writing *sync.Mutex // of the job
	prefix  string
	rest    []byte // the beginning of a line
}

// Write never fails, so that a process does not end because of a full disk: out remembers it.
func (l *rankLines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	var text []byte
	for {
		end := bytes.IndexByte(l.rest, '\n') + 1
		if end == 0 && len(l.rest) >= longestLine {
			l.rest = append(l.rest[:longestLine:longestLine], append([]byte("\n"), l.rest[longestLine:]...)...)
			end = longestLine + 1
		}
		if end == 0 {
			break
		}
		text = append(append(text, l.prefix...), l.rest[:end]...)
		l.rest = l.rest[end:]
	}
	l.rest = append([]byte(nil), l.rest...)
	if len(text) > 0 {
		l.writing.Lock()
		defer l.writing.Unlock()
		_, _ = l.out.Write(text)
	}
	return len(p), nil
}

// flush writes a last line that has no end.
func (l *rankLines) flush() {
	if len(l.rest) > 0 {
		_, _ = l.Write([]byte("\n"))
	}
}
