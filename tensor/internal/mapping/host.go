package mapping

import (
	"fmt"
	"os"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/internal/element"
	"github.com/gorocm/gorocm/internal/interrupt"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/team"
)

// work is what an element costs, in elements of package team.
const work = 4

// onHost computes the function on the host. out has room for the elements.
func (m *Mapping) onHost(out []byte, shape []int, ins []backend.Operand) {
	w := newWalk(m, out, shape, ins)
	n := backend.Product(shape)
	switch c := m.f.Code; {
	case c != nil && c.Loop != nil:
		m.compiled(w, n, c)
	case c != nil:
		if note := noteOnce(c); note != "" {
			fmt.Fprintln(os.Stderr, note)
		}
		w.each(0, n, m.reflected())
	default:
		m.direct(w, n)
	}
}

// noteOnce says for a function, the first time, why it is slow.
func noteOnce(c *element.Code) string {
	if c.NoLoop == nil || !c.FirstNote() {
		return ""
	}
	return fmt.Sprintf("note: tensor.Map interprets the function at %s for each element, which takes a hundred times "+
		"as long as machine code: %s (%s)", c.Place, c.NoLoop.What, c.NoLoop.Place)
}

// compiled runs machine code, on several cores. If it panics, all of it is computed once more, on this goroutine, so
// that the panic is that of the first element, and the goroutine's own.
func (m *Mapping) compiled(w *walk, n int, c *element.Code) {
	if n < team.Grain/work {
		w.each(0, n, c.Loop)
		return
	}
	var stop atomic.Bool
	defer interrupt.Watch(func() { stop.Store(true) })()
	self := interrupt.Goroutine()
	team.Run(n, work, func(lo, hi int) {
		stopped := stop.Load
		if interrupt.Goroutine() == self {
			stopped = nil
		}
		w.each(lo, hi, func(b *element.Block) {
			if !stop.Load() && !c.Try(b, stopped) {
				stop.Store(true)
			}
		})
	})
	if stop.Load() {
		w.each(0, n, c.Loop)
	}
}

// reflected calls the function by package reflect.
func (m *Mapping) reflected() func(b *element.Block) {
	f := m.f.Func
	t := f.Type()
	args := make([]reflect.Value, t.NumIn())
	return func(b *element.Block) {
		for i := range int(b.N) {
			for k := range args {
				at := unsafe.Add(b.In[k], i*int(b.Step[k])*m.in[k].Size())
				args[k] = reflect.New(t.In(k)).Elem() // the function may keep it
				args[k].Set(reflect.NewAt(t.In(k), at).Elem())
			}
			at := unsafe.Add(b.Out, i*m.out.Size())
			reflect.NewAt(t.Out(0), at).Elem().Set(f.Call(args)[0])
		}
	}
}

// walk is the way through the elements of the inputs.
type walk struct {
	m     *Mapping
	out   unsafe.Pointer
	in    []unsafe.Pointer
	dims  backend.Coalesced
	dense bool // chunks of the inputs are copied, because rows are short
}

// chunk is how many elements a block has at most; a row of fewer than short elements is not worth a block of its own.
const (
	chunk = 4096
	short = 256
)

func newWalk(m *Mapping, out []byte, shape []int, ins []backend.Operand) *walk {
	w := &walk{m: m, out: unsafe.Pointer(unsafe.SliceData(out))}
	var strides [][]int
	for _, o := range ins {
		raw := o.Store.(backend.HostMemory).HostBytes()
		w.in = append(w.in, unsafe.Pointer(&raw[o.Layout.Offset*o.DType.Size()]))
		strides = append(strides, o.Layout.Strides)
	}
	w.dims = backend.Coalesce(shape, strides...)
	last := len(w.dims.Dims) - 1
	w.dense = last > 0 && w.dims.Dims[last] < short
	return w
}

// each calls f with blocks of the elements from lo to hi, in order.
func (w *walk) each(lo, hi int, f func(b *element.Block)) {
	b := &element.Block{}
	copy(b.Captured[:], w.m.f.Captured)
	var buffers [][]uint64
	if w.dense {
		for _, dt := range w.m.in {
			buffers = append(buffers, make([]uint64, (min(chunk, hi-lo)*dt.Size()+7)/8))
		}
	}
	offsets := make([]int, len(w.in))
	last := len(w.dims.Dims) - 1
	for at := lo; at < hi; at += int(b.N) {
		b.N = int64(min(chunk, hi-at))
		b.Out = unsafe.Add(w.out, at*w.m.out.Size())
		if w.dense {
			w.gather(buffers, at, int(b.N), offsets)
			for k := range buffers {
				b.In[k], b.Step[k] = unsafe.Pointer(&buffers[k][0]), 1
			}
		} else {
			column := w.place(at, offsets)
			b.N = min(b.N, int64(w.dims.Dims[last]-column))
			for k, p := range w.in {
				b.In[k] = unsafe.Add(p, offsets[k]*w.m.in[k].Size())
				b.Step[k] = int64(w.dims.Strides[k][last])
			}
		}
		f(b)
	}
}

// place finds the offsets of an element in the inputs, and which of its row it is.
func (w *walk) place(flat int, offsets []int) (column int) {
	clear(offsets)
	for d := len(w.dims.Dims) - 1; d >= 0; d-- {
		i := flat % w.dims.Dims[d]
		if flat /= w.dims.Dims[d]; d == len(w.dims.Dims)-1 {
			column = i
		}
		for k := range offsets {
			offsets[k] += i * w.dims.Strides[k][d]
		}
	}
	return column
}

// gather copies n elements of each input, from a flat index on.
func (w *walk) gather(to [][]uint64, at, n int, offsets []int) {
	last := len(w.dims.Dims) - 1
	for done := 0; done < n; {
		count := min(n-done, w.dims.Dims[last]-w.place(at+done, offsets))
		for k, p := range w.in {
			size, step := w.m.in[k].Size(), w.dims.Strides[k][last]
			from := unsafe.Add(p, offsets[k]*size)
			dst := unsafe.Add(unsafe.Pointer(&to[k][0]), done*size)
			switch size {
			case 1:
				spread[uint8](dst, from, count, step)
			case 2:
				spread[uint16](dst, from, count, step)
			case 4:
				spread[uint32](dst, from, count, step)
			default:
				spread[uint64](dst, from, count, step)
			}
		}
		done += count
	}
}

func spread[T any](to, from unsafe.Pointer, n, step int) {
	out, in := unsafe.Slice((*T)(to), n), unsafe.Slice((*T)(from), (n-1)*step+1)
	for i := range out {
		out[i] = in[i*step]
	}
}
