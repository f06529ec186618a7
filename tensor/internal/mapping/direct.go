package mapping

import (
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/internal/element"
	"github.com/gorocm/gorocm/tensor/internal/team"
)

// direct calls a compiled function, on several cores. If it panics, all of it is computed once more, on this goroutine.
func (m *Mapping) direct(w *walk, n int) {
	f := m.f.Func.Interface()
	call := loopOf(f)
	if call == nil {
		call = m.reflected()
	}
	var failed atomic.Bool
	team.Run(n, work, func(lo, hi int) {
		defer func() {
			if recover() != nil {
				failed.Store(true)
			}
		}()
		if !failed.Load() {
			w.each(lo, hi, call)
		}
	})
	if failed.Load() {
		w.each(0, n, call)
	}
}

// loopOf is the loop of a function of one type of numbers, to that or to bool; nil for any other.
func loopOf(f any) func(*element.Block) {
	for _, try := range []func(any) func(*element.Block){loop[float32], loop[float64], loop[int32], loop[int64],
		loop[int], loop[uint8]} {
		if l := try(f); l != nil {
			return l
		}
	}
	return nil
}

func loop[T any](f any) func(*element.Block) {
	switch f := f.(type) {
	case func(T) T:
		return one(f)
	case func(T) bool:
		return one(f)
	case func(T, T) T:
		return two(f)
	case func(T, T) bool:
		return two(f)
	case func(T, T, T) T:
		return three(f)
	}
	return nil
}

// input is an input of a block.
type input[T any] struct {
	at   []T
	step int
}

func inputOf[T any](b *element.Block, k int) input[T] {
	step := int(b.Step[k])
	return input[T]{unsafe.Slice((*T)(b.In[k]), (int(b.N)-1)*step+1), step}
}

func outOf[R any](b *element.Block) []R { return unsafe.Slice((*R)(b.Out), b.N) }

func one[T, R any](f func(T) R) func(*element.Block) {
	return func(b *element.Block) {
		x := inputOf[T](b, 0)
		for i, out := 0, outOf[R](b); i < len(out); i++ {
			out[i] = f(x.at[i*x.step])
		}
	}
}

func two[T, R any](f func(x, y T) R) func(*element.Block) {
	return func(b *element.Block) {
		x, y := inputOf[T](b, 0), inputOf[T](b, 1)
		for i, out := 0, outOf[R](b); i < len(out); i++ {
			out[i] = f(x.at[i*x.step], y.at[i*y.step])
		}
	}
}

func three[T, R any](f func(x, y, z T) R) func(*element.Block) {
	return func(b *element.Block) {
		x, y, z := inputOf[T](b, 0), inputOf[T](b, 1), inputOf[T](b, 2)
		for i, out := 0, outOf[R](b); i < len(out); i++ {
			out[i] = f(x.at[i*x.step], y.at[i*y.step], z.at[i*z.step])
		}
	}
}
