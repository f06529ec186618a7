package host

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// Products of float32 matrices by the tile function of package simd. Both operands are first copied to strips, in which the
// elements that a tile needs next to each other lie so: strip s of A has, for every k, rows s·TileRows to (s+1)·TileRows - 1
// of column k, and those of B columns of row k. Rows and columns beyond the end are zeros. A is used where it lies when few
// tiles need each of its rows.

const (
	tileDepth = 256 // elements of a sum that are added while a tile is in registers
	tileHigh  = 8   // strips of A whose products with tileWide strips of B are one unit of work
	tileWide  = 4
	stripRoom = 16 << 20 // elements of strips of one operand at a time
	lineRows  = 4        // so few rows of A are multiplied without strips
	fewTiles  = 8        // for so many tiles next to each other A is not copied
)

// face is an operand as its strips see it: count rows of A or columns of B that are across apart, with depth elements along.
type face struct {
	data          []float32
	count, depth  int
	across, along int
	bat           int
}

// tiles reports whether multiplyTiles can be used.
func tiles() bool { return simd.Fast.Tile != nil }

// wideTiles reports whether tiles are those of AVX-512.
func wideTiles() bool { return simd.Fast.TileColumns >= 32 }

func multiplyTiles(x, y backend.Operand, p kernels.MatMul) backend.Storage {
	h, out := uninitElems[float32](int(p.Batch*p.CBat), 4)
	a := face{elems[float32](x), int(p.M), int(p.K), int(p.ARow), int(p.ACol), int(p.ABat)}
	b := face{elems[float32](y), int(p.N), int(p.K), int(p.BCol), int(p.BRow), int(p.BBat)}
	if a.count <= lineRows {
		multiplyRows(out, a, b, int(p.Batch), int(p.CRow), 1, int(p.CBat))
		return h
	}
	if b.count <= lineRows {
		multiplyRows(out, b, a, int(p.Batch), 1, int(p.CRow), int(p.CBat))
		return h
	}
	width := simd.Fast.TileColumns
	if (a.count+simd.TileRows-1)/simd.TileRows <= tileHigh {
		right := &strips{face: b, width: width, count: b.count, depth: b.depth}
		left := a.left(int(p.Batch), right.many())
		left.multiply(right, out, int(p.Batch), int(p.CRow), int(p.CBat))
		left.free()
		return h
	}
	wide := max(1, stripRoom/(b.depth*width)) * width
	high := max(1, stripRoom/(a.depth*simd.TileRows)) * simd.TileRows
	group := max(1, min(int(p.Batch), stripRoom/(b.depth*min(b.count, wide)), stripRoom/(a.depth*min(a.count, high))))
	for first := 0; first < int(p.Batch); first += group {
		n := min(group, int(p.Batch)-first)
		for j := 0; j < b.count; j += wide {
			right := b.part(first, j, min(wide, b.count-j)).strips(n, width)
			for i := 0; i < a.count; i += high {
				left := a.part(first, i, min(high, a.count-i)).left(n, right.many())
				left.multiply(right, out[first*int(p.CBat)+i*int(p.CRow)+j:], n, int(p.CRow), int(p.CBat))
				left.free()
			}
			right.free()
		}
	}
	return h
}

func (f face) part(batch, first, count int) face {
	f.data = f.data[batch*f.bat+first*f.across:]
	f.count = count
	return f
}

// deep is so many elements of a face, from k on.
func (f face) deep(k, depth int) face {
	f.data, f.depth = f.data[k*f.along:], depth
	return f
}

// strips are copies of n faces, or of the one that they all are; or the faces themselves. Those of B that one unit of work needs
// alone are copied there, when data is nil.
type strips struct {
	store               *Storage // keeps data
	data                []float32
	face                face
	width, count, depth int
	bat                 int
	across, along       int // of elements
	each                int // from strip to strip
}

// left returns n faces as the left side of products that are so many tiles wide.
func (f face) left(n, wide int) *strips {
	const page = 4096 / 4 // rows this far apart would push each other out of the cache
	if wide > fewTiles || f.count%simd.TileRows != 0 || f.along != 1 || f.across%page == 0 {
		return f.strips(n, simd.TileRows)
	}
	return &strips{data: f.data, width: simd.TileRows, count: f.count, depth: f.depth, bat: f.bat, across: f.across, along: 1, each: simd.TileRows * f.across}
}

// free gives copies back.
func (s *strips) free() {
	if s.store != nil {
		s.store.free()
	}
}

func (s *strips) many() int { return (s.count + s.width - 1) / s.width }

func (f face) strips(n, width int) *strips {
	s := &strips{width: width, count: f.count, depth: f.depth, across: 1, along: width, each: width * f.depth}
	s.bat = s.many() * width * f.depth
	if f.bat == 0 {
		s.bat, n = 0, 1
	}
	each := s.many()
	s.store, s.data = uninitElems[float32](n*each*width*f.depth, 4)
	Parallel(n*each, width*f.depth, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			first := i % each * width
			one := f.part(i/each, first, min(width, f.count-first))
			one.copyTo(s.data[i*width*f.depth:(i+1)*width*f.depth], width)
		}
	})
	return s
}

// copyTo makes one strip of a face of at most width rows.
func (f face) copyTo(out []float32, width int) {
	if f.count < width {
		clear(out)
	}
	switch {
	case f.along == 1:
		row := 0
		for ; row+8 <= f.count; row += 8 {
			simd.Fast.Transpose(out[row:], f.data[row*f.across:], width, f.across, f.depth)
		}
		for ; row < f.count; row++ {
			for k, v := range f.data[row*f.across:][:f.depth] {
				out[k*width+row] = v
			}
		}
	case f.across == 1:
		for k := range f.depth {
			copy(out[k*width:(k+1)*width], f.data[k*f.along:][:f.count])
		}
	default:
		for k := range f.depth {
			for row := range f.count {
				out[k*width+row] = f.data[row*f.across+k*f.along]
			}
		}
	}
}

// multiply sets n matrices, bat apart and with rows that are stride apart, to the products of strips.
func (s *strips) multiply(right *strips, out []float32, n, stride, bat int) {
	down, across := (s.many()+tileHigh-1)/tileHigh, (right.many()+tileWide-1)/tileWide
	at := make([]int32, min(tileDepth, s.depth))
	for k := range at {
		at[k] = int32(k * right.width)
	}
	work := tileHigh * tileWide * s.width * right.width * s.depth / 16
	Parallel(n*down*across, work, func(lo, hi int) {
		edges := s.width * right.width
		edge, buffer := scratchFloats(edges + right.width*min(tileDepth, s.depth))
		defer scratch.Put(buffer)
		edge, own := edge[:edges], edge[edges:]
		for i := lo; i < hi; i++ {
			one, top, left := i/(down*across), i/across%down*tileHigh, i%across*tileWide
			c := out[one*bat:]
			for k := 0; k < s.depth; k += tileDepth {
				at := at[:min(tileDepth, s.depth-k)]
				for l := left; l < min(left+tileWide, right.many()); l++ {
					b := own
					if right.data != nil {
						b = right.data[one*right.bat+(l*right.depth+k)*right.width:]
					} else {
						part := right.face.part(one, l*right.width, min(right.width, right.count-l*right.width)).deep(k, len(at))
						part.copyTo(b[:right.width*len(at)], right.width)
					}
					for t := top; t < min(top+tileHigh, s.many()); t++ {
						a := s.data[one*s.bat+t*s.each+k*s.along:]
						high, wide := min(s.width, s.count-t*s.width), min(right.width, right.count-l*right.width)
						s.tile(c[t*s.width*stride+l*right.width:], a, b, at, stride, high, wide, k > 0, edge)
					}
				}
			}
		}
	})
}

// tile is the tile function for tiles of any size: those at the edges of a matrix are computed in edge.
func (s *strips) tile(c, a, b []float32, at []int32, stride, high, wide int, add bool, edge []float32) {
	columns := simd.Fast.TileColumns
	if high == simd.TileRows && wide == columns {
		simd.Fast.Tile(c, a, b, at, stride, s.across, s.along, add)
		return
	}
	if add {
		for r := range high {
			copy(edge[r*columns:], c[r*stride:][:wide])
		}
	}
	simd.Fast.Tile(edge, a, b, at, columns, s.across, s.along, add)
	for r := range high {
		copy(c[r*stride:][:wide], edge[r*columns:])
	}
}

// multiplyRows multiplies few vectors by matrices. Element i, j of a product is at i·down + j·right.
func multiplyRows(out []float32, vectors, m face, n, down, right, bat int) {
	var dense []float32 // vectors whose elements do not lie side by side
	if vectors.along != 1 {
		dense = make([]float32, n*vectors.count*m.depth)
		for i := range n * vectors.count {
			from := vectors.data[i/vectors.count*vectors.bat+i%vectors.count*vectors.across:]
			for k := range m.depth {
				dense[i*m.depth+k] = from[k*vectors.along]
			}
		}
	}
	const block = 1024
	blocks := (m.count + block - 1) / block
	Parallel(n*blocks, vectors.count*min(m.count, block)*m.depth/4, func(lo, hi int) {
		sums, buffer := scratchFloats(min(block, m.count))
		defer scratch.Put(buffer)
		for i := lo; i < hi; i++ {
			first := i % blocks * block
			part := m.part(i/blocks, first, min(block, m.count-first))
			for v := range vectors.count {
				x := vectors.data[i/blocks*vectors.bat+v*vectors.across:]
				if dense != nil {
					x = dense[(i/blocks*vectors.count+v)*m.depth:]
				}
				part.dotAll(sums[:part.count], x[:m.depth])
				to := out[i/blocks*bat+v*down+first*right:]
				for j, s := range sums[:part.count] {
					to[j*right] = s
				}
			}
		}
	})
}

// dotAll sets sums to the products of x with the rows of a face.
func (f face) dotAll(sums, x []float32) {
	switch {
	case f.along == 1:
		for j := range sums {
			sums[j] = simd.Fast.Dot(x, f.data[j*f.across:])
		}
	case f.across == 1:
		clear(sums)
		k := 0
		for ; k+4 <= len(x); k += 4 {
			simd.Fast.AddScaled(sums, f.data[k*f.along:], f.along, (*[4]float32)(x[k:]))
		}
		for ; k < len(x); k++ {
			for j, v := range f.data[k*f.along:][:len(sums)] {
				sums[j] += x[k] * v
			}
		}
	default:
		for j := range sums {
			sum := float32(0)
			for k, v := range x {
				sum += v * f.data[j*f.across+k*f.along]
			}
			sums[j] = sum
		}
	}
}
