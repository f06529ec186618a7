// Package timeline records when operations of the host ran, while something asks for it, and writes what it has, with
// the launches of GPUs, as a file of Chrome's trace event format, which Perfetto (ui.perfetto.dev) and chrome://tracing
// show.
package timeline

import (
	"sync"
	"sync/atomic"
	"time"
)

// Span is when an operation ran; Lane tells apart those that ran at the same time.
type Span struct {
	Name  string
	Start time.Time
	Time  time.Duration
	Lane  int
	Work
}

// Work is what an operation does. What is not known, or of no interest, is 0.
type Work struct {
	Steps int // operations of a fused chain
	Bytes int // of elements that it reads and writes, each counted once
	Flops int // multiplications and additions of products and convolutions
}

// most bounds what is recorded: a longer run is cut off, which Stop reports.
const most = 1 << 20

type recording struct {
	mu    sync.Mutex
	spans []Span
	lanes []bool // those in which an operation is running
	lost  int
}

var running atomic.Pointer[recording]

// Start begins to record, from nothing.
func Start() { running.Store(&recording{}) }

// Stop ends the recording and returns what has ended since Start, and how many spans were too many to keep.
func Stop() (spans []Span, lost int) {
	r := running.Swap(nil)
	if r == nil {
		return nil, 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.spans, r.lost
}

// Active reports whether operations are recorded.
func Active() bool { return running.Load() != nil }

func nothing() {}

// Op begins the span of an operation; the function that it returns ends it.
func Op(name string, w Work) (end func()) {
	r := running.Load()
	if r == nil {
		return nothing
	}
	lane := r.enter()
	start := time.Now()
	return func() {
		took := time.Since(start)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.lanes[lane] = false
		if len(r.spans) == most {
			r.lost++
			return
		}
		r.spans = append(r.spans, Span{name, start, took, lane, w})
	}
}

func (r *recording) enter() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, busy := range r.lanes {
		if !busy {
			r.lanes[i] = true
			return i
		}
	}
	r.lanes = append(r.lanes, true)
	return len(r.lanes) - 1
}
