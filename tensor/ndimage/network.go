package ndimage

import (
	"math/bits"

	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// networkWindow is the largest window that is ranked by a sorting network.
const networkWindow = 49

// comparator puts the lesser of the elements of two wires on a and the greater one on b: either may be left out.
type comparator struct {
	a, b         int
	least, great bool
}

// network returns the comparators that find the element of a rank of n: those of Batcher's sorting network that it
// depends on (Sorting networks and their applications, 1968).
func network(n, rank int) []comparator {
	all := []comparator{}
	size := 1 << bits.Len(uint(n-1)) // what is beyond n is infinite, and stays where it is
	for p := 1; p < size; p *= 2 {
		for k := p; k >= 1; k /= 2 {
			for j := k % p; j+k < size; j += 2 * k {
				for i := range min(k, size-j-k) {
					if a, b := i+j, i+j+k; a/(2*p) == b/(2*p) && b < n {
						all = append(all, comparator{a, b, true, true})
					}
				}
			}
		}
	}
	needed := make([]bool, n)
	needed[rank] = true
	kept := len(all)
	for i := len(all) - 1; i >= 0; i-- {
		c := all[i]
		c.least, c.great = needed[c.a], needed[c.b]
		if c.least || c.great {
			needed[c.a], needed[c.b] = true, true
			kept--
			all[kept] = c
		}
	}
	return all[kept:]
}

const networkBlock = 256

// sorter finds the elements of a rank of adjacent windows. It belongs to one goroutine.
type sorter[T any] struct {
	steps        []comparator
	rank         int
	offsets      []int
	least, great func(out, x, y []T)
	wires        [][]T // parts of the image, or of buffers
	buffers      [][]T // of wires, and a spare one
}

// newSorter returns nil where there are no vector loops for a type, and for large windows.
func newSorter[T any](offsets []int, rank int) *sorter[T] {
	s := &sorter[T]{rank: rank, offsets: offsets}
	for _, f := range []any{simd.Fast.Minimum, simd.Fast.Doubles.Minimum} {
		if f, ok := f.(func(out, x, y []T)); ok {
			s.least = f
		}
	}
	for _, f := range []any{simd.Fast.Maximum, simd.Fast.Doubles.Maximum} {
		if f, ok := f.(func(out, x, y []T)); ok {
			s.great = f
		}
	}
	if s.least == nil || len(offsets) > networkWindow {
		return nil
	}
	s.steps, s.wires = network(len(offsets), rank), make([][]T, len(offsets))
	room := make([]T, networkBlock*(len(offsets)+1))
	for i := range len(offsets) + 1 {
		s.buffers = append(s.buffers, room[i*networkBlock:(i+1)*networkBlock])
	}
	return s
}

// block sets to, whose length is a multiple of simd.Whole, to the elements for windows from at on.
func (s *sorter[T]) block(to, from []T, at int) {
	n, spare := len(to), len(s.offsets)
	for i, o := range s.offsets {
		s.wires[i] = from[at+o:][:n]
	}
	for _, c := range s.steps {
		x, y := s.wires[c.a], s.wires[c.b]
		if c.least {
			s.least(s.buffers[spare][:n], x, y)
			s.wires[c.a] = s.buffers[spare][:n]
		}
		if c.great {
			s.great(s.buffers[c.b][:n], x, y)
			s.wires[c.b] = s.buffers[c.b][:n]
		}
		if c.least {
			s.buffers[spare], s.buffers[c.a] = s.buffers[c.a], s.buffers[spare]
		}
	}
	copy(to, s.wires[s.rank])
}

// line sets to to the elements for a line of windows from at on. It reports whether the line is long enough for that.
func (s *sorter[T]) line(to, from []T, at int) bool {
	if s == nil || len(to) < simd.Whole {
		return false
	}
	i := 0
	for ; len(to)-i >= simd.Whole; i += networkBlock {
		n := min(networkBlock, len(to)-i) &^ (simd.Whole - 1)
		s.block(to[i:i+n], from, at+i)
	}
	if rest := len(to) % simd.Whole; rest > 0 {
		s.block(to[len(to)-simd.Whole:], from, at+len(to)-simd.Whole)
	}
	return true
}
