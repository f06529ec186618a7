package host

import (
	"runtime"
	"slices"
	"sync"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

func (b Backend) Gather(ids, in backend.Operand, dim int, _ backend.IndexErrorFunc) (backend.Storage, error) {
	defer timed("gather", in.DType, 2*sizeFor(ids, in.DType), ids)()
	index, ids, err := b.index(ids)
	if err != nil {
		return nil, err
	}
	out := NewUninitialized(ids.Layout.ElemCount() * in.DType.Size())
	switch in.DType.Size() {
	case 1:
		return out, gatherElems[uint8](index, ids, in, out, dim)
	case 2:
		return out, gatherElems[uint16](index, ids, in, out, dim)
	case 4:
		return out, gatherElems[uint32](index, ids, in, out, dim)
	}
	return out, gatherElems[uint64](index, ids, in, out, dim)
}

// index returns ids as integers, and the operand with their layout there: ids that a view repeats are converted once.
func (b Backend) index(ids backend.Operand) ([]int64, backend.Operand, error) {
	if ids.DType == kernels.I64 {
		return elems[int64](ids), ids, nil
	}
	once := ids
	once.Layout.Shape = slices.Clone(ids.Layout.Shape)
	for d, stride := range ids.Layout.Strides {
		if stride == 0 {
			once.Layout.Shape[d] = 1
		}
	}
	s, err := b.Cast(once, kernels.I64)
	if err != nil {
		return nil, ids, err
	}
	dense := backend.Dense(once.Layout.Shape)
	for d, n := range once.Layout.Shape {
		if n == 1 {
			dense.Strides[d] = 0
		}
	}
	ids.Layout = backend.Layout{Shape: ids.Layout.Shape, Strides: dense.Strides, Offset: 0}
	return View[int64](s.(*Storage).Data), ids, nil
}

func gatherElems[B any](index []int64, ids, in backend.Operand, to *Storage, dim int) error {
	src, out := elems[B](in), View[B](to.Data)
	strides := slices.Clone(in.Layout.Strides)
	size, step := int64(in.Layout.Shape[dim]), strides[dim]
	strides[dim] = 0
	m := backend.Coalesce(ids.Layout.Shape, ids.Layout.Strides, strides)
	last := len(m.Dims) - 1
	idStep, along := m.Strides[0][last], m.Strides[1][last]
	inLine := idStep == 1 && along == 0 && step == 1 // each run reads one line
	var first faults
	Parallel(m.ElemCount(), 1, func(lo, hi int) {
		m.EachRun(lo, hi, func(r backend.Run) {
			to := out[r.Index:][:r.Len]
			if inLine && pickInLine(to, index[r.Offsets[0]:], src[r.Offsets[1]:][:size]) {
				return
			}
			for i := range to {
				id := index[r.Offsets[0]+i*idStep]
				if id < 0 || id >= size {
					first.add(r.Index + i)
					continue
				}
				to[i] = src[r.Offsets[1]+i*along+int(id)*step]
			}
		})
	})
	return first.err()
}

// pickInLine sets out to the elements of line at ids. It returns false, with some of out not set, when an id is out
// of range.
func pickInLine[B any](out []B, ids []int64, line []B) bool {
	for i, id := range ids[:len(out)] {
		if uint64(id) >= uint64(len(line)) {
			return false
		}
		out[i] = line[id]
	}
	return true
}

func (b Backend) Scatter(ids, src, out backend.Operand, dim int, join string, _ backend.IndexErrorFunc) error {
	defer timed("scatter_"+join, src.DType, sizeFor(src, src.DType), ids, src)()
	index, ids, err := b.index(ids)
	if err != nil {
		return err
	}
	switch join {
	case "", backend.Permute:
		return scatterBits(index, ids, src, out, dim)
	case "add":
		return scatterSums(index, ids, src, out, dim)
	}
	switch src.DType {
	case kernels.I64:
		return scatterElems(index, ids, src, out, dim, joining[int64](join))
	case kernels.U64:
		return scatterElems(index, ids, src, out, dim, joining[uint64](join))
	case kernels.F32:
		return scatterElems(index, ids, src, out, dim, joining[float32](join))
	}
	return scatterElems(index, ids, src, out, dim, joining[float64](join))
}

func scatterBits(index []int64, ids, src, out backend.Operand, dim int) error {
	switch src.DType.Size() {
	case 1:
		return scatterElems(index, ids, src, out, dim, replacing[uint8]())
	case 2:
		return scatterElems(index, ids, src, out, dim, replacing[uint16]())
	case 4:
		return scatterElems(index, ids, src, out, dim, replacing[uint32]())
	}
	return scatterElems(index, ids, src, out, dim, replacing[uint64]())
}

func scatterSums(index []int64, ids, src, out backend.Operand, dim int) error {
	switch src.DType {
	case kernels.U8:
		return scatterElems(index, ids, src, out, dim, adding[uint8]())
	case kernels.U32:
		return scatterElems(index, ids, src, out, dim, adding[uint32]())
	case kernels.I16:
		return scatterElems(index, ids, src, out, dim, adding[int16]())
	case kernels.I8:
		return scatterElems(index, ids, src, out, dim, adding[int8]())
	case kernels.U16:
		return scatterElems(index, ids, src, out, dim, adding[uint16]())
	case kernels.U64:
		return scatterElems(index, ids, src, out, dim, adding[uint64]())
	case kernels.I32:
		return scatterElems(index, ids, src, out, dim, adding[int32]())
	case kernels.I64:
		return scatterElems(index, ids, src, out, dim, adding[int64]())
	case kernels.F32:
		return scatterElems(index, ids, src, out, dim, adding[float32]())
	}
	return scatterElems(index, ids, src, out, dim, adding[float64]())
}

// writer changes elements of a result by those of a source: adjacent ones, or those at ids, one by one. When an id is
// out of range, line returns its index.
type writer[T any] struct {
	row  func(to, x []T)
	line func(to, from []T, w walk) (bad int)
}

// walk describes count ids along a dim and the elements for them. Strides are in elements.
type walk struct {
	index                           []int64
	count, idStep, fromStep, toStep int
	size                            int64 // the bound of ids
}

func replacing[T any]() writer[T] {
	return writer[T]{
		func(to, x []T) { copy(to, x) },
		func(to, from []T, w walk) int {
			for k := range w.count {
				id := w.index[k*w.idStep]
				if id < 0 || id >= w.size {
					return k
				}
				to[int(id)*w.toStep] = from[k*w.fromStep]
			}
			return -1
		},
	}
}

func adding[T element]() writer[T] {
	add := binaryRow[T](backend.BinaryOps["add"], 0)
	return writer[T]{
		func(to, x []T) { add(to, to, x) },
		func(to, from []T, w walk) int {
			if w.idStep == 1 && w.fromStep == 1 && w.toStep == 1 {
				return addInLine(to[:w.size], w.index[:w.count], from)
			}
			for k := range w.count {
				id := w.index[k*w.idStep]
				if id < 0 || id >= w.size {
					return k
				}
				to[int(id)*w.toStep] += from[k*w.fromStep]
			}
			return -1
		},
	}
}

// joining has one of the binary operations that scatters take.
func joining[T element](name string) writer[T] {
	row := binaryRow[T](backend.BinaryOps[name], 0)
	return writer[T]{
		func(to, x []T) { row(to, to, x) },
		func(to, from []T, w walk) int {
			for k := range w.count {
				id := w.index[k*w.idStep]
				if id < 0 || id >= w.size {
					return k
				}
				at := int(id) * w.toStep
				row(to[at:at+1], to[at:at+1], from[k*w.fromStep:k*w.fromStep+1])
			}
			return -1
		},
	}
}

// addInLine adds elements to those of line at ids, in order. It returns the index of an id that is out of range, else
// -1.
func addInLine[T element](line []T, ids []int64, from []T) int {
	from = from[:len(ids)]
	for k, id := range ids {
		if uint64(id) >= uint64(len(line)) {
			return k
		}
		line[id] += from[k]
	}
	return -1
}

// leastStripe is the fewest adjacent elements that are added to another row at once.
const leastStripe = 64

// scatterElems goes along the dim for each line of the other dims, in the order of ids. Adjacent lines with the same
// ids are done together.
func scatterElems[T any](index []int64, ids, src, out backend.Operand, dim int, put writer[T]) error {
	from, to := elems[T](src), elems[T](out)
	w := walk{count: ids.Layout.Shape[dim], idStep: ids.Layout.Strides[dim], fromStep: src.Layout.Strides[dim],
		toStep: out.Layout.Strides[dim],
		size:   int64(out.Layout.Shape[dim])}
	m := backend.Coalesce(slices.Delete(slices.Clone(ids.Layout.Shape), dim, dim+1),
		backend.StridesWithout(ids.Layout, dim), backend.StridesWithout(src.Layout, dim),
		backend.StridesWithout(out.Layout, dim))
	last := len(m.Dims) - 1
	idNext, fromNext, toNext := m.Strides[0][last], m.Strides[1][last], m.Strides[2][last]
	together := idNext == 0 && fromNext == 1 && toNext == 1
	lines, unit := m.ElemCount(), 1
	if together { // wide parts, because each part reads all ids
		unit = max(leastStripe, lines/(2*runtime.GOMAXPROCS(0)))
	}
	var first faults
	Parallel((lines+unit-1)/unit, unit*w.count, func(lo, hi int) {
		w := w
		m.EachRun(lo*unit, min(hi*unit, lines), func(r backend.Run) {
			bad := func(i, k int) {
				line, right := r.Index+i, backend.Product(ids.Layout.Shape[dim+1:])
				first.add((line/right*w.count+k)*right + line%right)
			}
			if together {
				for k := range w.count {
					id := index[r.Offsets[0]+k*w.idStep]
					if id < 0 || id >= w.size {
						bad(0, k)
						return
					}
					put.row(to[r.Offsets[2]+int(id)*w.toStep:][:r.Len], from[r.Offsets[1]+k*w.fromStep:][:r.Len])
				}
				return
			}
			for i := range r.Len {
				w.index = index[r.Offsets[0]+i*idNext:]
				if k := put.line(to[r.Offsets[2]+i*toNext:], from[r.Offsets[1]+i*fromNext:], w); k >= 0 {
					bad(i, k)
				}
			}
		})
	})
	return first.err()
}

// faults keeps the lowest of the positions that goroutines add.
type faults struct {
	mu       sync.Mutex
	found    bool
	position int
}

func (f *faults) add(position int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.found || position < f.position {
		f.found, f.position = true, position
	}
}

func (f *faults) err() error {
	if f.found {
		return &backend.IndexFault{Position: f.position}
	}
	return nil
}
