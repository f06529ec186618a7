package repl

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gorocm/gorocm/repl/internal/checkpoint"
	"github.com/gorocm/gorocm/repl/internal/opened"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/random"
)

// autoEvery is how long after a checkpoint another is written by itself.
const autoEvery = 30 * time.Second

// checkpoints writes those of a session, some by itself. Local.cells guards it.
type checkpoints struct {
	session    *Local
	file       string // absolute, "" when none are written
	last       time.Time
	fresh      bool        // the running cell has written or read the file
	syncing    chan error  // of the file that is brought to the disk, nil for none
	statements []string    // that made what the last %restore could not bring back
	waiting    *time.Timer // for the time to write what cells have changed since, nil for none
}

// afterCell writes a checkpoint after a cell, if that is wanted and due, or later. The file comes to the disk while
// later cells run.
func (a *checkpoints) afterCell() {
	fresh := a.fresh
	a.fresh = false
	if a.file == "" || fresh {
		a.slow(a.notice) // what became of the last one
		return
	}
	if wait := autoEvery - time.Since(a.last); wait > 0 || a.slow(a.notice) {
		if a.waiting == nil && a.file != "" {
			a.waiting = time.AfterFunc(max(wait, time.Second), a.idle)
		}
		return
	}
	a.start(a.notice)
}

// idle writes the checkpoint that is due while no cell runs.
func (a *checkpoints) idle() {
	a.session.cells.Lock()
	defer a.session.cells.Unlock()
	waited := a.waiting != nil
	a.waiting = nil
	tell := func(text string) { fmt.Fprintln(a.session.opt.Stderr, text) }
	switch {
	case !waited || a.file == "":
	case a.slow(tell):
		a.waiting = time.AfterFunc(time.Second, a.idle)
	default:
		a.start(tell)
	}
}

// slow reports whether the last file is still being brought to the disk.
func (a *checkpoints) slow(tell func(string)) bool {
	if a.syncing == nil {
		return false
	}
	select {
	case err := <-a.syncing:
		a.syncing = nil
		a.failed(err, tell)
		return false
	default:
		return true
	}
}

// start writes a checkpoint, which comes to the disk meanwhile.
func (a *checkpoints) start(tell func(string)) {
	if a.file == "" { // the last one has failed
		return
	}
	if a.waiting != nil {
		a.waiting.Stop()
		a.waiting = nil
	}
	_, finish, err := a.write(a.file)
	a.last = time.Now()
	if a.failed(err, tell); err != nil {
		return
	}
	done := make(chan error, 1)
	a.syncing = done
	go func() { done <- finish() }()
}

// flush writes what cells have changed since the last checkpoint, before the session ends.
func (a *checkpoints) flush() {
	if a.syncing != nil {
		<-a.syncing // the last file, or the one before
		a.syncing = nil
	}
	if a.waiting != nil && a.file != "" {
		if _, finish, err := a.write(a.file); err == nil {
			_ = finish() // nobody is there to be told
		}
	}
	a.end()
}

// end has no more checkpoints written.
func (a *checkpoints) end() {
	a.file = ""
	if a.waiting != nil {
		a.waiting.Stop()
		a.waiting = nil
	}
}

func (a *checkpoints) notice(text string) {
	a.session.sink.event(Event{Kind: Notice, Name: "stderr", Text: text})
}

func (a *checkpoints) failed(err error, tell func(string)) {
	if err != nil {
		a.end()
		tell("no checkpoint could be written, and no more are tried: " + err.Error())
	}
}

// resume has the checkpoints written again that a dead worker of the session wrote, once the file is restored. Before
// that it would be replaced by one without the variables.
func (a *checkpoints) resume(path string) {
	s := a.session
	s.mu.Lock()
	earlier := AutoCheckpoint(s.history.Values(), s.life-1)
	s.mu.Unlock()
	if earlier == "" || a.file != "" {
		return
	}
	if absolute(path) == absolute(earlier) {
		a.file, a.last, a.fresh = absolute(path), time.Now(), true
		a.notice("it is written again after cells, at most every " + autoEvery.String() + ", as before")
		return
	}
	a.notice(earlier + " is not written by itself any more; %checkpoint -a FILE does")
}

// moved has the checkpoints go on that the session wrote in another program.
func (a *checkpoints) moved() {
	s := a.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if file := AutoCheckpoint(s.history.Values(), s.life); file != "" {
		a.file, a.last = absolute(file), time.Now()
	}
}

func absolute(path string) string {
	if abs, err := filepath.Abs(expand(path)); err == nil {
		return abs
	}
	return path
}

// AutoCheckpoint is the file that %checkpoint -a wrote in the lives of a session up to one, as it was typed; empty
// where it was off.
func AutoCheckpoint(past []Past, life int) (file string) {
	for _, p := range past {
		if p.Failed || p.Life > life {
			continue
		}
		for line := range strings.Lines(p.Code) {
			name, rest := firstWord(line)
			words := strings.Fields(rest)
			if name != "%checkpoint" {
				continue
			}
			if slices.Equal(words, []string{"off"}) {
				file = ""
			}
			if i := slices.Index(words, "-a"); i >= 0 {
				if file = strings.Join(slices.Delete(words, i, i+1), " "); file == "" {
					file = checkpointFile
				}
			}
		}
	}
	return file
}

// generators are where the generators of random numbers are, of the devices that the session has opened.
func (a *checkpoints) generators() (list []checkpoint.Generator) {
	for _, d := range append([]*tensor.Device{tensor.CPU()}, opened.Devices()...) {
		if slices.Contains(a.session.earlier, d) && d != tensor.CPU() ||
			slices.ContainsFunc(list, func(g checkpoint.Generator) bool { return g.Device == d.Location() }) {
			continue
		}
		seed, counter := random.Default(d).State()
		list = append(list, checkpoint.Generator{Device: d.Location(), Seed: seed, Counter: counter})
	}
	return list
}
