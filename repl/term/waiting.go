package term

import (
	"sync/atomic"
	"time"

	"github.com/gorocm/gorocm/repl"
)

// When and how often it is told that a cell still runs.
const (
	waitFirst = time.Second
	waitNext  = 100 * time.Millisecond
	askEvery  = 3 // of them
)

// waiting tells that a cell runs, for how long, and what it waits for, where nothing else is shown.
type waiting struct {
	f      *front
	timer  *time.Timer // nil where nobody looks
	start  time.Time
	shown  int
	busy   atomic.Value // string: what the session says it works on
	asking atomic.Bool
	about  func() string
}

func (f *front) waiting(session repl.Session) *waiting {
	w := &waiting{f: f, start: time.Now(), about: func() string { return session.Info().Busy }}
	if f.editor != nil {
		w.timer = time.NewTimer(waitFirst)
	}
	return w
}

// tick says when to show.
func (w *waiting) tick() <-chan time.Time {
	if w.timer == nil {
		return nil
	}
	return w.timer.C
}

func (w *waiting) show() {
	w.timer.Reset(waitNext)
	if w.shown%askEvery == 0 && w.asking.CompareAndSwap(false, true) {
		go func() {
			w.busy.Store(w.about())
			w.asking.Store(false)
		}()
	}
	w.shown++
	busy, _ := w.busy.Load().(string)
	w.f.draw(func() { w.f.printer.busy(w.shown, time.Since(w.start), busy) })
}

func (w *waiting) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
}
