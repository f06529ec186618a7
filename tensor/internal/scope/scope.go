package scope

import (
	"sync"
	"sync/atomic"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Frame is what a goroutine is in the middle of. The innermost frame counts.
type Frame struct {
	NoGrad bool  // operations record no gradients
	Made   *Made // what was made since the frame was entered; nil if nobody wants to know
	Draws  *Draws
	Passed uint64 // the number of the node whose gradient is computed, 0 for none
	// Autocast is the type in which products are computed, nil for that of their operands: see Cast
	Autocast *kernels.DType
	outer    *Frame
}

var (
	active atomic.Int64 // frames of all goroutines
	frames sync.Map     // *Frame by goroutine
)

// Current returns the innermost frame of the calling goroutine, or nil.
func Current() *Frame {
	if active.Load() == 0 {
		return nil
	}
	f, _ := frames.Load(goroutine())
	frame, _ := f.(*Frame)
	return frame
}

// Passed is the number of the node of the gradient graph whose gradient the goroutine computes, 0 for none.
func Passed() uint64 {
	if f := Current(); f != nil {
		return f.Passed
	}
	return 0
}

// Records reports whether operations of the calling goroutine are recorded for gradients.
func Records() bool {
	f := Current()
	return f == nil || !f.NoGrad
}

// Enter makes a frame the innermost one of the calling goroutine until leave is called, by the same goroutine.
func Enter(change func(f *Frame)) (leave func()) {
	id := goroutine()
	f := &Frame{}
	if outer, ok := frames.Load(id); ok {
		*f = *outer.(*Frame)
		f.outer = outer.(*Frame)
	}
	change(f)
	active.Add(1)
	frames.Store(id, f)
	return func() {
		if f.outer != nil {
			frames.Store(id, f.outer)
		} else {
			frames.Delete(id)
		}
		active.Add(-1)
	}
}

// Outside calls f without frames, for what outlives them, such as a cache.
func Outside(f func()) {
	if Current() != nil {
		defer Enter(func(f *Frame) { *f = Frame{outer: f.outer} })()
	}
	f()
}

// Around calls f in the frame around the innermost one.
func Around(f func()) {
	if inner := Current(); inner != nil {
		defer Enter(func(f *Frame) {
			*f = Frame{outer: inner}
			if around := inner.outer; around != nil {
				f.NoGrad, f.Made, f.Draws, f.Autocast = around.NoGrad, around.Made, around.Draws, around.Autocast
			}
		})()
	}
	f()
}

// Item is memory that was made, and the number of the tensor that had it first. Numbers grow.
type Item struct {
	Store  backend.Storage
	Number uint64
}

// Made is the memory that was made in a frame, in the order of its numbers.
type Made struct{ Items []Item }

// Record adds memory to the innermost frame, and reports whether that wants to know.
func Record(s backend.Storage, number uint64) bool {
	f := Current()
	if f == nil || f.Made == nil {
		return false
	}
	f.Made.Items = append(f.Made.Items, Item{s, number})
	return true
}

// Leave is called when the frame of m was left. All memory but that of the result is freed, or, with inGraph, belongs
// to the scope around or, if there is none, to the gradient graph of the result: that is what it returns.
func (m *Made) Leave(result backend.Storage, inGraph bool) (owned []Item) {
	for _, item := range m.Items {
		switch {
		case item.Store == result:
			Record(item.Store, item.Number)
		case !inGraph:
			Drop(item.Store)
		case !Record(item.Store, item.Number):
			owned = append(owned, item)
		}
	}
	return owned
}

// Drop frees what nothing can reach any more, unless it was marked as kept. Deferred results that are made of it are
// not computed for that.
func Drop(s backend.Storage) {
	if s.IsKept() {
		return
	}
	if d, ok := s.(backend.Dropper); ok {
		d.Drop()
	} else if s.MarkFreed() {
		s.Release()
	}
}

// Draws are the random numbers that a frame has drawn, to draw the same once more.
type Draws struct {
	of     []draw
	replay bool
	outer  *Draws // of the frame around
}

type draw struct{ seed, counter uint64 }

// Next returns the place of random numbers in the frame of the calling goroutine: that of fresh, which it keeps, or the
// one that it has kept, if they are drawn once more.
func Next(fresh func() (seed, counter uint64)) (seed, counter uint64) {
	if f := Current(); f != nil {
		return f.Draws.next(fresh)
	}
	return fresh()
}

func (d *Draws) next(fresh func() (seed, counter uint64)) (seed, counter uint64) {
	switch {
	case d == nil:
		return fresh()
	case !d.replay:
		seed, counter = d.outer.next(fresh)
		d.of = append(d.of, draw{seed, counter})
	case len(d.of) > 0:
		seed, counter = d.of[0].seed, d.of[0].counter
		d.of = d.of[1:]
	default:
		return fresh()
	}
	return seed, counter
}

// NewDraws returns draws to be kept, of a frame within the innermost one.
func NewDraws() *Draws {
	d := &Draws{}
	if f := Current(); f != nil {
		d.outer = f.Draws
	}
	return d
}

// Replay returns draws that give the same numbers once more, and then fresh ones.
func (d *Draws) Replay() *Draws { return &Draws{of: d.of, replay: true} }

// Goroutine tells which goroutine runs, as a number that no other live goroutine has.
func Goroutine() uintptr { return goroutine() }
