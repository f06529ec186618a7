package worker

import (
	"context"
	"runtime/pprof"
	"strconv"
	"time"
	"unsafe"

	"github.com/gorocm/gorocm/repl"
)

// A goroutine inherits the profiler's labels from the one that starts it. So a label tells which cell a goroutine comes
// from, however many are between; a cell that sets labels itself takes that away from its goroutines. What the timers
// of package time call has none.

// owners are the labels of the last cells, with the requests that ran them.
type owners struct {
	list [64]owner
	next int
	// of cells of subshells that run
	pinned []owner
}

type owner struct {
	label unsafe.Pointer // kept, so that no other label gets its place
	cell  uint64
}

//go:linkname profileLabel runtime/pprof.runtime_getProfLabel
func profileLabel() unsafe.Pointer

// own marks the calling goroutine, and those that it will start, as a cell's. s.order is held.
func (o *owners) own(cell uint64) {
	o.list[o.next] = owner{setLabel(cell), cell}
	o.next = (o.next + 1) % len(o.list)
}

// setLabel labels the calling goroutine.
func setLabel(cell uint64) unsafe.Pointer {
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("cell", strconv.FormatUint(cell, 10))))
	return profileLabel()
}

// cell is the one that the calling goroutine comes from; 0 when that cannot be told. s.order is held.
func (o *owners) cell() uint64 {
	label := profileLabel()
	if label == nil {
		return 0
	}
	for _, x := range o.pinned {
		if x.label == label {
			return x.cell
		}
	}
	for _, x := range o.list {
		if x.label == label {
			return x.cell
		}
	}
	return 0
}

// late is output of a cell that has ended, gathered for a moment.
type late struct {
	cell  uint64
	i     int // in marks
	text  []byte
	timer *time.Timer
}

const (
	lateTime = 10 * time.Millisecond
	lateSize = 16 << 10
)

// writeLate takes output of a cell that has ended. It goes to the front end as an event: the pipes are the running
// cell's. s.order is held.
func (s *server) writeLate(cell uint64, i int, p []byte) {
	if s.late.cell != cell || s.late.i != i {
		s.flushLate()
		s.late.cell, s.late.i = cell, i
	}
	if s.late.text = append(s.late.text, p...); len(s.late.text) >= lateSize {
		s.flushLate()
	} else if s.late.timer == nil {
		s.late.timer = time.AfterFunc(lateTime, func() {
			s.order.Lock()
			defer s.order.Unlock()
			s.flushLate()
		})
	}
}

func (s *server) flushLate() {
	if s.late.timer != nil {
		s.late.timer.Stop()
		s.late.timer = nil
	}
	if len(s.late.text) == 0 {
		return
	}
	e := repl.Event{Kind: repl.Stream, Name: [2]string{"stdout", "stderr"}[s.late.i], Text: string(s.late.text)}
	s.late.text = s.late.text[:0]
	s.tellLocked(&e, s.late.cell)
}
