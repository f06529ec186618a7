package host

import (
	"runtime"
	"sync"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// Products of float64 matrices by the tile function of package simd, where there is no BLAS. A unit of work is a block
// of C; it packs kBlock columns of its rows of A, and kBlock rows of a panel of B at a time, as in matmul_pack.go.

const (
	doublePanelsA = 8 // at most so many panels of A in a unit
	doublePanelsB = 8
)

// doublesTiled reports whether multiplyDoubles is worth its packing.
func doublesTiled(p kernels.MatMul) bool {
	return simd.Fast.Doubles.Tile != nil && min(p.M, p.N) >= simd.TileRows && p.M*p.N*p.K >= minForeign
}

// doubleBlock is the part of C that a unit computes, and its packed operands.
type doubleBlock struct {
	p          kernels.MatMul
	a, b, c    []float64 // from the first element of the matrices on
	row, col   int       // the first of the block
	rows, cols int
	width      int // of a panel of B
	*doubleBuffers
}

// doubleBuffers belong to one goroutine.
type doubleBuffers struct {
	left, right, edge []float64
	at                []int32
}

var doubleScratch = sync.Pool{New: func() any {
	width := simd.Fast.TileColumns / 2
	b := &doubleBuffers{left: make([]float64, doublePanelsA*simd.TileRows*kBlock), right: make([]float64, width*kBlock),
		edge: make([]float64, simd.TileRows*width), at: make([]int32, kBlock)}
	for k := range b.at {
		b.at[k] = int32(k * width)
	}
	return b
}}

func multiplyDoubles(x, y backend.Operand, p kernels.MatMul) *Storage {
	h, out := uninitElems[float64](int(p.Batch*p.CBat), 8)
	a, b := elems[float64](x), elems[float64](y)
	m, n, width := int(p.M), int(p.N), simd.Fast.TileColumns/2
	high, wide := doublePanelsA*simd.TileRows, doublePanelsB*width
	units := func() int { return int(p.Batch) * ((m + high - 1) / high) * ((n + wide - 1) / wide) }
	for cores := runtime.GOMAXPROCS(0); units() < 4*cores && (wide > width || high > simd.TileRows); {
		if wide > width && wide >= high {
			wide /= 2
		} else {
			high /= 2
		}
	}
	down, across := (m+high-1)/high, (n+wide-1)/wide
	Parallel(int(p.Batch)*down*across, high*wide*int(p.K)/8, func(lo, hi int) {
		buffers := doubleScratch.Get().(*doubleBuffers)
		for i := lo; i < hi; i++ {
			one, row, col := int64(i/(down*across)), i/across%down*high, i%across*wide
			block := doubleBlock{p: p, a: a[one*p.ABat:], b: b[one*p.BBat:], c: out[one*p.CBat:], row: row, col: col,
				rows: min(high, m-row), cols: min(wide, n-col), width: width, doubleBuffers: buffers}
			block.multiply()
		}
		doubleScratch.Put(buffers)
	})
	return h
}

func (t *doubleBlock) multiply() {
	for k := 0; k < int(t.p.K); k += kBlock {
		depth := min(kBlock, int(t.p.K)-k)
		t.packLeft(k, depth)
		for col := 0; col < t.cols; col += t.width {
			t.packRight(k, depth, col)
			for row := 0; row < t.rows; row += simd.TileRows {
				t.tile(row, col, depth, k > 0)
			}
		}
	}
}

// packLeft packs columns k to k+depth-1 of the rows of A; zeros follow the last row.
func (t *doubleBlock) packLeft(k, depth int) {
	const high = simd.TileRows
	down, along := int(t.p.ARow), int(t.p.ACol)
	for first := 0; first < t.rows; first += high {
		to := t.left[first*depth:][:high*depth]
		if t.rows-first < high {
			clear(to)
		}
		for r := range min(high, t.rows-first) {
			from := t.a[(t.row+first+r)*down+k*along:]
			for j := range depth {
				to[j*high+r] = from[j*along]
			}
		}
	}
}

// packRight packs rows k to k+depth-1 of a panel of B; zeros follow the last column.
func (t *doubleBlock) packRight(k, depth, col int) {
	down, along := int(t.p.BRow), int(t.p.BCol)
	n := min(t.width, t.cols-col)
	from := t.b[k*down+(t.col+col)*along:]
	if n < t.width {
		clear(t.right[:depth*t.width])
	}
	if along == 1 {
		for j := range depth {
			copy(t.right[j*t.width:][:n], from[j*down:])
		}
		return
	}
	for c := range n {
		for j := range depth {
			t.right[j*t.width+c] = from[j*down+c*along]
		}
	}
}

// tile sets a tile of C, or adds to it. Tiles at the edges of a block are computed in edge.
func (t *doubleBlock) tile(row, col, depth int, add bool) {
	stride := int(t.p.CRow)
	c, a := t.c[(t.row+row)*stride+t.col+col:], t.left[row*depth:]
	high, wide := min(simd.TileRows, t.rows-row), min(t.width, t.cols-col)
	if high == simd.TileRows && wide == t.width {
		simd.Fast.Doubles.Tile(c, a, t.right, t.at[:depth], stride, 1, simd.TileRows, add)
		return
	}
	if add {
		for r := range high {
			copy(t.edge[r*t.width:][:wide], c[r*stride:])
		}
	}
	simd.Fast.Doubles.Tile(t.edge, a, t.right, t.at[:depth], t.width, 1, simd.TileRows, add)
	for r := range high {
		copy(c[r*stride:][:wide], t.edge[r*t.width:])
	}
}
