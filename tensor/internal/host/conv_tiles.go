package host

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// Convolutions of float32 images by the tile function of package simd, without im2col.
//
// Each channel is copied to zero-padded planes that hold every stride-th element of a row and of a column. In such a
// plane the inputs of a tap are the outputs' positions shifted by a constant: they are a row of the matrix B of a
// product, and these rows overlap in memory. Results are computed for whole rows of a plane; columns beyond the width
// of the result are dropped.

// planeAxis maps the taps along one dim to planes.
type planeAxis struct {
	window         kernels.Window
	phases, length int // the number of planes, and elements of each
	base           int // the first element, in strides
}

func newPlaneAxis(w kernels.Window) planeAxis {
	a := planeAxis{window: w}
	last := 0
	for k := range int(w.Taps) {
		phase, shift := a.tap(k)
		if k == 0 {
			a.base, last = shift, shift
		}
		a.base, last = min(a.base, shift), max(last, shift)
		a.phases = max(a.phases, phase+1)
	}
	a.length = int(w.Out) + last - a.base
	return a
}

// tap returns the plane that a tap reads, and the index there of its input for output 0.
func (a planeAxis) tap(k int) (phase, shift int) {
	at, step := int(a.window.Offset)+k*int(a.window.TapStep), int(a.window.OutStep)
	shift = at / step
	if at%step < 0 {
		shift--
	}
	return at - shift*step, shift
}

// planes are the padded planes of the images of a batch.
type planes struct {
	store *Storage // owns data
	data  []float32
	y, x  planeAxis
	each  int // elements of a channel
}

func newPlanes(p kernels.Conv) *planes {
	pl := &planes{y: newPlaneAxis(p.Y), x: newPlaneAxis(p.X)}
	pl.each = pl.y.phases * pl.x.phases * pl.y.length * pl.x.length
	return pl
}

// tap returns the index, in the planes of a channel, of the input of a tap for the first output.
func (p *planes) tap(y, x int) int {
	fx, qx := p.x.tap(x)
	fy, qy := p.y.tap(y)
	return ((fy*p.x.phases+fx)*p.y.length+qy-p.y.base)*p.x.length + qx - p.x.base
}

// columns is the number of columns of the matrix of a channel: outputs in rows as wide as those of a plane.
func (p *planes) columns() int { return int(p.y.window.Out) * p.x.length }

// copyFrom fills planes from images with so many channels in all.
func (p *planes) copyFrom(src []float32, channels int) {
	slack := 2*unitPanelsB*simd.Fast.TileColumns + p.x.length // is read, but not used
	p.store, p.data = uninitElems[float32](channels*p.each+slack, 4)
	clear(p.data[channels*p.each:])
	spans, size := p.spans(), int(p.y.window.In*p.x.window.In)
	each := p.each / p.y.phases
	Parallel(channels*p.y.phases, each, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			c, fy := i/p.y.phases, i%p.y.phases
			p.copyPhase(p.data[i*each:(i+1)*each], src[c*size:(c+1)*size], fy, spans)
		}
	})
}

// spans returns the spans of the phases along rows.
func (p *planes) spans() []span {
	list := make([]span, p.x.phases)
	for fx := range list {
		list[fx] = p.x.span(fx, int(p.x.window.In))
	}
	return list
}

// copyPhase fills the planes of a channel that hold the rows of one phase.
func (p *planes) copyPhase(out, image []float32, fy int, spans []span) {
	h, w := int(p.y.window.In), int(p.x.window.In)
	for _, s := range spans {
		for r := range p.y.length {
			line := out[:p.x.length]
			out = out[p.x.length:]
			if y := (r+p.y.base)*int(p.y.window.OutStep) + fy; y >= 0 && y < h {
				s.copyLine(line, image[y*w:(y+1)*w])
			} else {
				clear(line)
			}
		}
	}
}

// span is the part of a plane's row that holds elements of the image: lo to hi, every step-th element from first on.
// The rest is padding.
type span struct{ lo, hi, first, step int }

// span returns the span of a phase, for rows of w elements.
func (a planeAxis) span(phase, w int) span {
	step := int(a.window.OutStep)
	first := a.base*step + phase // the index in the row of element 0
	lo := min(a.length, max(0, (step-1-first)/step))
	hi := min(a.length, max(lo, (w-first+step-1)/step))
	if first >= w {
		hi = lo
	}
	return span{lo, hi, lo*step + first, step}
}

// copyLine fills a row of a plane.
func (s span) copyLine(out, row []float32) {
	clear(out[:s.lo])
	to := out[s.lo:s.hi]
	if len(to) > 0 {
		row = row[s.first:]
	}
	if s.step == 1 {
		copy(to, row)
	} else {
		for i := range to {
			to[i] = row[i*s.step]
		}
	}
	clear(out[s.hi:])
}

// Convolves reports whether ConvolveTiles can be used. Indices in the planes of an image must fit the table of the
// tile function.
func (Backend) Convolves(p kernels.Conv, dt kernels.DType) bool {
	if dt != kernels.F32 || !hasTiles() {
		return false
	}
	each := newPlanes(p).each
	if isSpread(p) {
		if p.Y.OutStep != 1 || p.X.OutStep != 1 {
			return false
		}
		each = newPhaseConv(p).pl.each
	}
	return float64(p.Channels)*float64(each) < math.MaxInt32
}

// ConvolveTiles convolves n dense images with dense weights [groups out depth].
func (b Backend) ConvolveTiles(
	in, weights backend.Operand, n, groups, outs, depth int, p kernels.Conv,
) backend.Storage {
	results := n * groups * outs * int(p.Y.Out*p.X.Out)
	defer timedProduct("conv2d", in.DType, convFlops(p, results, depth), results*in.DType.Size(), in, weights)()
	if isSpread(p) {
		return b.convolvePhases(in, weights, n, groups, outs, depth, p)
	}
	perImage, places := int(p.Channels), int(p.Y.Out*p.X.Out)
	perGroup := perImage / groups
	h, out := uninitElems[float32](n*groups*outs*places, 4)
	pl := newPlanes(p)
	wide := (pl.columns() + simd.Fast.TileColumns - 1) / simd.Fast.TileColumns
	left := packSource{elems[float32](weights), outs, depth, depth, 1, outs * depth}.packLeft(groups, wide*n)
	at := make([]int32, depth)
	for k := range at {
		at[k] = int32(k/int(p.X.Taps*p.Y.Taps)*pl.each + pl.tap(k/int(p.X.Taps)%int(p.Y.Taps), k%int(p.X.Taps)))
	}
	src := elems[float32](in)
	group := min(n, max(1, maxPacked/(perImage*pl.each)))
	for first := 0; first < n; first += group {
		count := min(group, n-first)
		pl.copyFrom(src[first*perImage*int(p.Y.In*p.X.In):], count*perImage)
		left.convolve(pl, out[first*groups*outs*places:], count, groups, perGroup, at)
		pl.store.free()
	}
	left.free()
	return h
}

// convolve multiplies packed panels of the weights of each group by the planes of count images.
func (s *panels) convolve(pl *planes, out []float32, count, groups, perGroup int, at []int32) {
	columns := simd.Fast.TileColumns
	high, panels := unitPanels(count*groups, s.panelCount(), (pl.columns()+columns-1)/columns, true)
	wide := panels * columns
	down, across := (s.panelCount()+high-1)/high, (pl.columns()+wide-1)/wide
	height, width := int(pl.y.window.Out), int(pl.x.window.Out)
	Parallel(count*groups*down*across, high*s.width*wide*s.k/16, func(lo, hi int) {
		c, buffer := scratchFloats(high * s.width * wide)
		defer scratch.Put(buffer)
		for i := lo; i < hi; i++ {
			one, top, first := i/(down*across), i/across%down*high, i%across*wide
			b := pl.data[one*perGroup*pl.each+first:]
			bottom, end := min(top+high, s.panelCount()), min(wide, pl.columns()-first)
			for k := 0; k < s.k; k += kBlock {
				at := at[k:min(k+kBlock, s.k)]
				for l := 0; l < end; l += columns {
					for t := top; t < bottom; t++ {
						a := s.data[one%groups*s.batchStride+t*s.panelStride+k*s.kStride:]
						simd.Fast.Tile(c[(t-top)*s.width*wide+l:], a, b[l:], at, wide, s.rowStride, s.kStride, k > 0)
					}
				}
			}
			for r := top * s.width; r < min(bottom*s.width, s.rows); r++ {
				row, to := c[(r-top*s.width)*wide:][:end], out[(one*s.rows+r)*height*width:]
				for j := 0; j < end; { // up to the end of a row of the plane
					y, x := (first+j)/pl.x.length, (first+j)%pl.x.length
					if x < width {
						copy(to[y*width+x:(y+1)*width], row[j:])
					}
					j += pl.x.length - x
				}
			}
		}
	})
}
