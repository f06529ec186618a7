package tensor

import (
	"slices"
	"sync"
)

func (b hostBackend) gather(ids, in operand, dim int, _ badID) (storage, error) {
	index, ids, err := b.index(ids)
	if err != nil {
		return nil, err
	}
	out := unclearedHost(ids.layout.ElemCount() * in.dtype.Size())
	switch in.dtype.Size() {
	case 1:
		return out, gatherElems[uint8](index, ids, in, out, dim)
	case 2:
		return out, gatherElems[uint16](index, ids, in, out, dim)
	case 4:
		return out, gatherElems[uint32](index, ids, in, out, dim)
	}
	return out, gatherElems[uint64](index, ids, in, out, dim)
}

// index returns ids as integers, and the operand with the layout that they have there: ids that a view repeats are converted once.
func (b hostBackend) index(ids operand) ([]int64, operand, error) {
	if ids.dtype == I64 {
		return elems[int64](ids), ids, nil
	}
	once := ids
	once.layout.shape = slices.Clone(ids.layout.shape)
	for d, stride := range ids.layout.strides {
		if stride == 0 {
			once.layout.shape[d] = 1
		}
	}
	s, err := b.cast(once, I64)
	if err != nil {
		return nil, ids, err
	}
	dense := denseLayout(once.layout.shape)
	for d, n := range once.layout.shape {
		if n == 1 {
			dense.strides[d] = 0
		}
	}
	ids.layout = Layout{ids.layout.shape, dense.strides, 0}
	return hostView[int64](s.(*hostStorage).data), ids, nil
}

func gatherElems[B any](index []int64, ids, in operand, to *hostStorage, dim int) error {
	src, out := elems[B](in), hostView[B](to.data)
	strides := slices.Clone(in.layout.strides)
	size, step := int64(in.layout.shape[dim]), strides[dim]
	strides[dim] = 0
	m := merge(ids.layout.shape, ids.layout.strides, strides)
	last := len(m.dims) - 1
	idStep, along := m.strides[0][last], m.strides[1][last]
	var first faults
	parallel(m.count(), 1, func(lo, hi int) {
		m.each(lo, hi, func(r run) {
			to := out[r.at:][:r.n]
			for i := range to {
				id := index[r.off[0]+i*idStep]
				if id < 0 || id >= size {
					first.add(r.at + i)
					continue
				}
				to[i] = src[r.off[1]+i*along+int(id)*step]
			}
		})
	})
	return first.err()
}

func (b hostBackend) scatter(ids, src, out operand, dim int, add bool, _ badID) error {
	index, ids, err := b.index(ids)
	if err != nil {
		return err
	}
	if !add {
		switch src.dtype.Size() {
		case 1:
			return scatterElems(index, ids, src, out, dim, replace[uint8])
		case 2:
			return scatterElems(index, ids, src, out, dim, replace[uint16])
		case 4:
			return scatterElems(index, ids, src, out, dim, replace[uint32])
		}
		return scatterElems(index, ids, src, out, dim, replace[uint64])
	}
	switch src.dtype {
	case U8:
		return scatterElems(index, ids, src, out, dim, addTo[uint8]())
	case U32:
		return scatterElems(index, ids, src, out, dim, addTo[uint32]())
	case I16:
		return scatterElems(index, ids, src, out, dim, addTo[int16]())
	case I32:
		return scatterElems(index, ids, src, out, dim, addTo[int32]())
	case I64:
		return scatterElems(index, ids, src, out, dim, addTo[int64]())
	case F32:
		return scatterElems(index, ids, src, out, dim, addTo[float32]())
	}
	return scatterElems(index, ids, src, out, dim, addTo[float64]())
}

// replace and addTo are ways of changing elements by others.

func replace[T any](to, x []T) { copy(to, x) }

func addTo[T element]() func(to, x []T) {
	add := binaryRow[T](binaryOps["add"], 0)
	return func(to, x []T) {
		if len(to) == 1 {
			to[0] += x[0]
			return
		}
		add(to, to, x)
	}
}

func without(l Layout, d int) []int { return slices.Delete(slices.Clone(l.strides), d, d+1) }

// scatterElems walks the dim for each line of the others, so that elements come in the order of ids. Lines next to each other that
// have the same ids are walked together.
func scatterElems[T any](index []int64, ids, src, out operand, dim int, put func(to, x []T)) error {
	from, to := elems[T](src), elems[T](out)
	count, size := ids.layout.shape[dim], int64(out.layout.shape[dim])
	idStep, fromStep, toStep := ids.layout.strides[dim], src.layout.strides[dim], out.layout.strides[dim]
	m := merge(slices.Delete(slices.Clone(ids.layout.shape), dim, dim+1), without(ids.layout, dim), without(src.layout, dim), without(out.layout, dim))
	last := len(m.dims) - 1
	idNext, fromNext, toNext := m.strides[0][last], m.strides[1][last], m.strides[2][last]
	together := idNext == 0 && fromNext == 1 && toNext == 1
	var first faults
	parallel(m.count(), count, func(lo, hi int) {
		m.each(lo, hi, func(r run) {
			lines, wide := r.n, 1
			if together {
				lines, wide = 1, r.n
			}
			for i := range lines {
				a, b, c := r.off[0]+i*idNext, r.off[1]+i*fromNext, r.off[2]+i*toNext
				for k := range count {
					id := index[a+k*idStep]
					if id < 0 || id >= size {
						line, right := r.at+i, product(ids.layout.shape[dim+1:])
						first.add((line/right*count+k)*right + line%right)
						continue
					}
					put(to[c+int(id)*toStep:][:wide], from[b+k*fromStep:][:wide])
				}
			}
		})
	})
	return first.err()
}

// faults keeps the first position of those that goroutines add.
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
		return &indexFault{f.position}
	}
	return nil
}
