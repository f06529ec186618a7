package host

import (
	"runtime"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// Products of float32 matrices by the tile function of package simd. Both operands are first packed: panel s of A
// has, for every k, rows s·TileRows to (s+1)·TileRows - 1 of column k, and a panel of B has columns of row k. Rows
// and columns beyond the end are zeros. A is not packed when few tiles need each of its rows, nor B when its rows are
// dense and few panels of A need them.

const (
	kBlock      = 256 // products that are added while a tile is in registers
	unitPanelsA = 8   // at most so many panels of A are multiplied by unitPanelsB panels of B in one unit of work
	unitPanelsB = 4
	looseRows   = 32       // up to so many panels of A, B is not packed
	maxPacked   = 16 << 20 // packed elements of one operand at a time
	fewRows     = 4        // up to so many rows of A are multiplied without packing
	fewTiles    = 8        // up to so many tiles in a row, A is not packed
)

// packSource is an operand before packing: rows of A, or columns of B, with k elements each.
type packSource struct {
	data               []float32
	rows, k            int
	rowStride, kStride int
	batchStride        int
}

// hasTiles reports whether multiplyTiles can be used.
func hasTiles() bool { return simd.Fast.Tile != nil }

// hasWideTiles reports whether tiles are those of AVX-512.
func hasWideTiles() bool { return simd.Fast.TileColumns >= 32 }

func multiplyTiles(x, y backend.Operand, p kernels.MatMul) backend.Storage {
	h, out := uninitElems[float32](int(p.Batch*p.CBat), 4)
	a := packSource{elems[float32](x), int(p.M), int(p.K), int(p.ARow), int(p.ACol), int(p.ABat)}
	b := packSource{elems[float32](y), int(p.N), int(p.K), int(p.BCol), int(p.BRow), int(p.BBat)}
	if a.rows <= fewRows {
		multiplyRows(out, a, b, int(p.Batch), int(p.CRow), 1, int(p.CBat))
		return h
	}
	if b.rows <= fewRows {
		multiplyRows(out, b, a, int(p.Batch), 1, int(p.CRow), int(p.CBat))
		return h
	}
	width := simd.Fast.TileColumns
	if (a.rows+simd.TileRows-1)/simd.TileRows <= unitPanelsA {
		right := &panels{source: b, width: width, rows: b.rows, k: b.k}
		left := a.packLeft(int(p.Batch), right.panelCount())
		left.multiply(right, out, int(p.Batch), int(p.CRow), int(p.CBat))
		left.free()
		return h
	}
	wide := max(1, maxPacked/(b.k*width)) * width
	high := max(1, maxPacked/(a.k*simd.TileRows)) * simd.TileRows
	group := max(1, min(int(p.Batch), maxPacked/(b.k*min(b.rows, wide)), maxPacked/(a.k*min(a.rows, high))))
	for first := 0; first < int(p.Batch); first += group {
		n := min(group, int(p.Batch)-first)
		for j := 0; j < b.rows; j += wide {
			right := b.rowsFrom(first, j, min(wide, b.rows-j)).packRight(n, width, a.rows)
			for i := 0; i < a.rows; i += high {
				left := a.rowsFrom(first, i, min(high, a.rows-i)).packLeft(n, right.panelCount())
				left.multiply(right, out[first*int(p.CBat)+i*int(p.CRow)+j:], n, int(p.CRow), int(p.CBat))
				left.free()
			}
			right.free()
		}
	}
	return h
}

func (f packSource) rowsFrom(batch, first, count int) packSource {
	f.data = f.data[batch*f.batchStride+first*f.rowStride:]
	f.rows = count
	return f
}

// narrowK keeps k elements of each row, from the first one on.
func (f packSource) narrowK(k, depth int) packSource {
	f.data, f.k = f.data[k*f.kStride:], depth
	return f
}

// panels are packed copies of n operands, or of the one that they share, or the operands themselves. If data is nil,
// units of work pack the panels of B that they need.
type panels struct {
	store              *Storage // owns data
	data               []float32
	source             packSource
	width, rows, k     int
	batchStride        int
	rowStride, kStride int // strides of the elements of a panel
	panelStride        int // from panel to panel
}

// packLeft returns n operands as the left side of products that are so many tiles wide.
func (f packSource) packLeft(n, wide int) *panels {
	const page = 4096 / 4 // rows this far apart would evict each other from the cache
	if wide > fewTiles || f.rows%simd.TileRows != 0 || f.kStride != 1 || f.rowStride%page == 0 {
		return f.pack(n, simd.TileRows)
	}
	return &panels{data: f.data, width: simd.TileRows, rows: f.rows, k: f.k, batchStride: f.batchStride,
		rowStride: f.rowStride, kStride: 1, panelStride: simd.TileRows * f.rowStride}
}

// packRight returns n operands as the right side of products with so many rows.
func (f packSource) packRight(n, width, rows int) *panels {
	const page = 4096 / 4
	if rows > looseRows*simd.TileRows || f.rowStride != 1 || f.kStride%page == 0 || f.k > 2*kBlock {
		return f.pack(n, width)
	}
	return &panels{data: f.data, source: f, width: width, rows: f.rows, k: f.k, batchStride: f.batchStride,
		rowStride: 1, kStride: f.kStride, panelStride: width}
}

// free returns packed copies to the pool.
func (s *panels) free() {
	if s.store != nil {
		s.store.free()
	}
}

func (s *panels) panelCount() int { return (s.rows + s.width - 1) / s.width }

func (f packSource) pack(n, width int) *panels {
	s := &panels{width: width, rows: f.rows, k: f.k, rowStride: 1, kStride: width, panelStride: width * f.k}
	s.batchStride = s.panelCount() * width * f.k
	if f.batchStride == 0 {
		s.batchStride, n = 0, 1
	}
	each := s.panelCount()
	s.store, s.data = uninitElems[float32](n*each*width*f.k, 4)
	Parallel(n*each, width*f.k, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			first := i % each * width
			one := f.rowsFrom(i/each, first, min(width, f.rows-first))
			one.packPanel(s.data[i*width*f.k:(i+1)*width*f.k], width)
		}
	})
	return s
}

// packPanel packs one panel of at most width rows.
func (f packSource) packPanel(out []float32, width int) {
	if f.rows < width {
		clear(out)
	}
	switch {
	case f.kStride == 1:
		row := 0
		for ; row+8 <= f.rows; row += 8 {
			simd.Fast.Transpose(out[row:], f.data[row*f.rowStride:], width, f.rowStride, f.k)
		}
		for ; row < f.rows; row++ {
			for k, v := range f.data[row*f.rowStride:][:f.k] {
				out[k*width+row] = v
			}
		}
	case f.rowStride == 1:
		for k := range f.k {
			copy(out[k*width:(k+1)*width], f.data[k*f.kStride:][:f.rows])
		}
	default:
		for k := range f.k {
			for row := range f.rows {
				out[k*width+row] = f.data[row*f.rowStride+k*f.kStride]
			}
		}
	}
}

// multiply sets n matrices to the products of panels. bat is the stride from matrix to matrix of out, stride that
// from row to row.
func (s *panels) multiply(right *panels, out []float32, n, stride, bat int) {
	high, wide := unitPanels(n, s.panelCount(), right.panelCount(), right.data != nil)
	down, across := (s.panelCount()+high-1)/high, (right.panelCount()+wide-1)/wide
	packed, loose := make([]int32, min(kBlock, s.k)), make([]int32, min(kBlock, s.k))
	for k := range packed {
		packed[k], loose[k] = int32(k*right.width), int32(k*right.kStride)
	}
	work := high * wide * s.width * right.width * s.k / 16
	Parallel(n*down*across, work, func(lo, hi int) {
		edges := s.width * right.width
		edge, buffer := scratchFloats(edges + right.width*min(kBlock, s.k))
		defer scratch.Put(buffer)
		edge, own := edge[:edges], edge[edges:]
		for i := lo; i < hi; i++ {
			one, top, left := i/(down*across), i/across%down*high, i%across*wide
			c := out[one*bat:]
			for k := 0; k < s.k; k += kBlock {
				depth := min(kBlock, s.k-k)
				for l := left; l < min(left+wide, right.panelCount()); l++ {
					b, at := right.panel(one, l, k, depth, own), packed[:depth]
					if right.isLoose(l) {
						at = loose[:depth]
					}
					for t := top; t < min(top+high, s.panelCount()); t++ {
						a := s.data[one*s.batchStride+t*s.panelStride+k*s.kStride:]
						rows, cols := min(s.width, s.rows-t*s.width), min(right.width, right.rows-l*right.width)
						s.tile(c[t*s.width*stride+l*right.width:], a, b, at, stride, rows, cols, k > 0, edge)
					}
				}
			}
		}
	})
}

// unitPanels returns how many of the panels of A and of B a unit of work has, for n products: fewer where that leaves
// cores without units. split says whether units may share panels of B at no cost.
func unitPanels(n, left, right int, split bool) (high, wide int) {
	high, wide = unitPanelsA, unitPanelsB
	cores := runtime.GOMAXPROCS(0)
	for n*((left+high-1)/high)*((right+wide-1)/wide) < 4*cores {
		switch {
		case split && high > wide:
			high /= 2
		case wide > 1:
			wide /= 2
		default:
			return high, wide
		}
	}
	return high, wide
}

// isLoose reports whether panel l of B is read where it is: not the last one if tiles would read beyond its columns.
func (s *panels) isLoose(l int) bool {
	return s.data != nil && s.store == nil && (l+1)*s.width <= s.rows
}

// panel returns rows k to k+depth-1 of panel l of matrix one of B, packed in own if the panels have not been.
func (s *panels) panel(one, l, k, depth int, own []float32) []float32 {
	if s.isLoose(l) || s.store != nil {
		return s.data[one*s.batchStride+l*s.panelStride+k*s.kStride:]
	}
	part := s.source.rowsFrom(one, l*s.width, min(s.width, s.rows-l*s.width)).narrowK(k, depth)
	part.packPanel(own[:s.width*depth], s.width)
	return own
}

// tile calls the tile function. Tiles at the edges of a matrix, which are smaller, are computed in edge.
func (s *panels) tile(c, a, b []float32, at []int32, stride, high, wide int, add bool, edge []float32) {
	columns := simd.Fast.TileColumns
	if high == simd.TileRows && wide == columns {
		simd.Fast.Tile(c, a, b, at, stride, s.rowStride, s.kStride, add)
		return
	}
	if add {
		for r := range high {
			copy(edge[r*columns:], c[r*stride:][:wide])
		}
	}
	simd.Fast.Tile(edge, a, b, at, columns, s.rowStride, s.kStride, add)
	for r := range high {
		copy(c[r*stride:][:wide], edge[r*columns:])
	}
}

// multiplyRows multiplies few vectors by matrices. Element i, j of a product is at i·down + j·right.
func multiplyRows(out []float32, vectors, m packSource, n, down, right, bat int) {
	var dense []float32 // vectors whose elements were not dense
	if vectors.kStride != 1 {
		dense = make([]float32, n*vectors.rows*m.k)
		for i := range n * vectors.rows {
			from := vectors.data[i/vectors.rows*vectors.batchStride+i%vectors.rows*vectors.rowStride:]
			for k := range m.k {
				dense[i*m.k+k] = from[k*vectors.kStride]
			}
		}
	}
	const line = 64 // elements; a few cache lines
	cores := runtime.GOMAXPROCS(0)
	block := max(128, min(1024, (m.rows+cores*line-1)/(cores*line)*line))
	blocks := (m.rows + block - 1) / block
	Parallel(n*blocks, vectors.rows*min(m.rows, block)*m.k/4, func(lo, hi int) {
		sums, buffer := scratchFloats(min(block, m.rows))
		defer scratch.Put(buffer)
		for i := lo; i < hi; i++ {
			first := i % blocks * block
			part := m.rowsFrom(i/blocks, first, min(block, m.rows-first))
			for v := range vectors.rows {
				x := vectors.data[i/blocks*vectors.batchStride+v*vectors.rowStride:]
				if dense != nil {
					x = dense[(i/blocks*vectors.rows+v)*m.k:]
				}
				part.dotAll(sums[:part.rows], x[:m.k])
				to := out[i/blocks*bat+v*down+first*right:]
				for j, s := range sums[:part.rows] {
					to[j*right] = s
				}
			}
		}
	})
}

// dotAll sets sums to the products of x with the rows of f.
func (f packSource) dotAll(sums, x []float32) {
	switch {
	case f.kStride == 1:
		for j := range sums {
			sums[j] = simd.Fast.Dot(x, f.data[j*f.rowStride:])
		}
	case f.rowStride == 1:
		clear(sums)
		k := 0
		for ; k+4 <= len(x); k += 4 {
			simd.Fast.AddScaled(sums, f.data[k*f.kStride:], f.kStride, (*[4]float32)(x[k:]))
		}
		for ; k < len(x); k++ {
			for j, v := range f.data[k*f.kStride:][:len(sums)] {
				sums[j] += x[k] * v
			}
		}
	default:
		for j := range sums {
			sum := float32(0)
			for k, v := range x {
				sum += v * f.data[j*f.rowStride+k*f.kStride]
			}
			sums[j] = sum
		}
	}
}
