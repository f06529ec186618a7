package scope

import (
	"slices"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// memory is a storage that counts how often it was given back.
type memory struct {
	backend.Storage
	backend.Marks
	released int
}

func (m *memory) MarkFreed() bool { return m.Marks.MarkFreed() }
func (m *memory) IsFreed() bool   { return m.Marks.IsFreed() }
func (m *memory) MarkKept()       { m.Marks.MarkKept() }
func (m *memory) IsKept() bool    { return m.Marks.IsKept() }
func (m *memory) Release()        { m.released++ }
func (m *memory) Made(n uint64)   { m.Marks.Made(n) }
func (m *memory) Written(uint64)  {}

func (m *memory) Overwritten(func() uint64) bool { return false }

// TestFrames: the innermost frame of a goroutine counts, and none of another.
func TestFrames(t *testing.T) {
	if Current() != nil {
		t.Fatal("there is a frame")
	}
	leave := Enter(func(f *Frame) { f.NoGrad = true })
	var made Made
	inner := Enter(func(f *Frame) { f.Made = &made })
	if f := Current(); f == nil || !f.NoGrad || f.Made != &made {
		t.Errorf("frame %+v", f)
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if Current() != nil || Record(&memory{}, 1) {
				t.Error("a goroutine has the frame of another")
			}
			defer Enter(func(f *Frame) { f.NoGrad = false })()
			if Current().NoGrad {
				t.Error("a frame has what that of another goroutine says")
			}
		})
	}
	wait.Wait()
	Outside(func() {
		if f := Current(); f.NoGrad || f.Made != nil {
			t.Errorf("outside: frame %+v", f)
		}
	})
	if !Record(&memory{}, 2) || len(made.Items) != 1 {
		t.Error("what was made is not recorded")
	}
	inner()
	if f := Current(); f == nil || f.Made != nil {
		t.Errorf("after the inner one: frame %+v", f)
	}
	leave()
	if Current() != nil || active.Load() != 0 {
		t.Error("frames are left")
	}
}

// TestLeave: the result stays, and what was kept; the rest is freed once, or left to the scope around, or to the graph.
func TestLeave(t *testing.T) {
	result, kept, rest := &memory{}, &memory{}, &memory{}
	kept.MarkKept()
	m := Made{Items: []Item{{rest, 1}, {kept, 2}, {result, 3}}}
	if owned := m.Leave(result, true); len(owned) != 2 || owned[0].Store != rest {
		t.Errorf("the graph owns %v", owned)
	}
	var outer Made
	leave := Enter(func(f *Frame) { f.Made = &outer })
	if owned := m.Leave(result, true); owned != nil || len(outer.Items) != 3 {
		t.Errorf("the graph owns %v, the scope around %v", owned, outer.Items)
	}
	leave()
	m.Leave(result, false)
	m.Leave(result, false)
	if result.released != 0 || kept.released != 0 || rest.released != 1 {
		t.Errorf("given back: %d, %d, %d times", result.released, kept.released, rest.released)
	}
}

// TestDraws: a replay gives the same places, and then fresh ones; frames within keep them, too.
func TestDraws(t *testing.T) {
	counter := uint64(0)
	draw := func() uint64 {
		_, c := Next(func() (seed, at uint64) { counter++; return 7, counter })
		return c
	}
	take := func(d *Draws, n int, within func()) (list []uint64) {
		defer Enter(func(f *Frame) { f.Draws = d })()
		for range n {
			list = append(list, draw())
		}
		if within != nil {
			within()
		}
		return list
	}
	draw()
	d := NewDraws()
	var inner *Draws
	first := take(d, 2, func() { inner = NewDraws(); take(inner, 1, nil) })
	if !slices.Equal(first, []uint64{2, 3}) {
		t.Errorf("drawn %v", first)
	}
	if again := take(d.Replay(), 4, nil); !slices.Equal(again, []uint64{2, 3, 4, 5}) {
		t.Errorf("once more %v", again)
	}
	if again := take(inner.Replay(), 1, nil); !slices.Equal(again, []uint64{4}) {
		t.Errorf("of the frame within %v", again)
	}
}
