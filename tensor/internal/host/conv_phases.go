package host

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// A transposed convolution of stride s inserts s-1 zeros between input elements. Outputs whose indices are equal
// modulo s use the same taps, and are an ordinary convolution with these: a phase.

// phase is the outputs first, first + step, … along one dim.
type phase struct {
	first  int
	taps   []int
	window kernels.Window
}

// phases divides a window into those whose InStep is 1.
func phases(w kernels.Window) []phase {
	step := int(w.InStep)
	list := make([]phase, 0, step)
	for first := range min(step, int(w.Out)) {
		if step == 1 {
			taps := make([]int, w.Taps)
			for k := range taps {
				taps[k] = k
			}
			return []phase{{0, taps, w}}
		}
		p := phase{first: first, window: kernels.Window{In: w.In, Out: (w.Out - int64(first) + int64(step) - 1) /
			int64(step), OutStep: 1, InStep: 1}}
		for k := range int(w.Taps) {
			at := first*int(w.OutStep) + int(w.Offset) + k*int(w.TapStep)
			if at%step != 0 {
				continue
			}
			switch len(p.taps) {
			case 0:
				p.window.Offset = int64(at / step)
			case 1:
				p.window.TapStep = int64(at/step) - p.window.Offset
			}
			p.taps = append(p.taps, k)
		}
		p.window.Taps = int64(len(p.taps))
		list = append(list, p)
	}
	return list
}

// phaseConv is a transposed convolution as the convolutions of its phases. They read the same planes, and write between
// one another's outputs.
type phaseConv struct {
	y, x    []phase
	pl      *planes
	weights []*panels // of phase x of the columns and phase y of the rows: y·len(x) + x; nil if it has no taps
	at      [][]int32 // where the rows of B begin in the planes, for each of weights
	p       kernels.Conv
}

func newPhaseConv(p kernels.Conv) *phaseConv {
	c := &phaseConv{y: phases(p.Y), x: phases(p.X), p: p}
	c.pl = &planes{y: phaseAxis(p.Y, c.y), x: phaseAxis(p.X, c.x)}
	c.pl.each = c.pl.y.length * c.pl.x.length
	return c
}

// phaseAxis maps the taps of all phases along one dim to the same plane.
func phaseAxis(w kernels.Window, list []phase) planeAxis {
	a := planeAxis{phases: 1, base: math.MaxInt}
	last := 0
	for _, f := range list {
		a.window.Out = max(a.window.Out, f.window.Out)
		if len(f.taps) == 0 {
			continue
		}
		begin := int(f.window.Offset)
		end := begin + (len(f.taps)-1)*int(f.window.TapStep)
		if a.base == math.MaxInt {
			last = begin
		}
		a.base, last = min(a.base, begin, end), max(last, begin, end)
	}
	if a.base == math.MaxInt { // no taps at all
		a.base = 0
	}
	a.window.In, a.window.OutStep = w.In, 1
	a.length = int(a.window.Out) + last - a.base
	return a
}

// pack packs the weights [groups outs channels taps] of each phase.
func (c *phaseConv) pack(w []float32, groups, outs, channels int) *Storage {
	count := len(c.y) * len(c.x)
	c.weights, c.at = make([]*panels, count), make([][]int32, count)
	taps := make([][]int, count) // the indices of a phase's taps in a kernel
	width, all := simd.TileRows, int(c.p.Y.Taps*c.p.X.Taps)
	down := (outs + width - 1) / width
	store, data := uninitElems[float32](groups*down*width*channels*all, 4)
	for i := range count {
		y, x := c.y[i/len(c.x)], c.x[i%len(c.x)]
		k := channels * len(y.taps) * len(x.taps)
		if k == 0 {
			continue
		}
		for v, ky := range y.taps {
			for h, kx := range x.taps {
				taps[i] = append(taps[i], ky*int(c.p.X.Taps)+kx)
				from := (int(y.window.Offset)+v*int(y.window.TapStep)-c.pl.y.base)*c.pl.x.length +
					int(x.window.Offset) + h*int(x.window.TapStep) - c.pl.x.base
				c.at[i] = append(c.at[i], int32(from))
			}
		}
		for channel := 1; channel < channels; channel++ {
			for _, from := range c.at[i][:len(taps[i])] {
				c.at[i] = append(c.at[i], from+int32(channel*c.pl.each))
			}
		}
		c.weights[i] = &panels{data: data[:groups*down*width*k], width: width, rows: outs, k: k, rowStride: 1,
			kStride: width, panelStride: width * k, batchStride: down * width * k}
		data = data[groups*down*width*k:]
	}
	Parallel(groups*down, 2*width*channels*all, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			first := i%down*width + i/down*outs
			rows := w[first*channels*all:][:min(width, outs-i%down*width)*channels*all]
			for j, s := range c.weights {
				if s != nil {
					packTaps(s.data[i*s.panelStride:][:s.panelStride], rows, width, channels, all, taps[j])
				}
			}
		}
	})
	return store
}

// packTaps packs some of the taps of rows of weights as a panel.
func packTaps(out, rows []float32, width, channels, all int, taps []int) {
	each := channels * all
	if len(rows) < width*each {
		clear(out)
	}
	for row := 0; row*each < len(rows); row++ {
		from, to := rows[row*each:][:each], out[row:]
		for at := 0; at < each; at += all {
			for _, tap := range taps {
				to[0] = from[at+tap]
				to = to[min(width, len(to)):]
			}
		}
	}
}

// convolvePhases is ConvolveTiles for transposed convolutions.
func (b Backend) convolvePhases(
	in, weights backend.Operand, n, groups, outs, depth int, p kernels.Conv,
) backend.Storage {
	c := newPhaseConv(p)
	perImage := int(p.Channels)
	store := c.pack(elems[float32](weights), groups, outs, perImage/groups)
	places := int(p.Y.Out * p.X.Out)
	h, out := uninitElems[float32](n*groups*outs*places, 4)
	src := elems[float32](in)
	group := min(n, max(1, maxPacked/(perImage*c.pl.each)))
	for first := 0; first < n; first += group {
		count := min(group, n-first)
		c.pl.copyFrom(src[first*perImage*int(p.Y.In*p.X.In):], count*perImage)
		c.run(out[first*groups*outs*places:], count, groups, outs, perImage/groups)
		c.pl.store.free()
	}
	store.free()
	return h
}

// run computes count images: all phases of a row of outputs in one unit of work.
func (c *phaseConv) run(out []float32, count, groups, outs, perGroup int) {
	columns, pl := simd.Fast.TileColumns, c.pl
	panelCount := (outs + simd.TileRows - 1) / simd.TileRows
	high, tiles := unitPanels(count*groups*len(c.y), panelCount, (pl.columns()+columns-1)/columns, true)
	wide := tiles * columns
	down, across := (panelCount+high-1)/high, (pl.columns()+wide-1)/wide
	size := high * simd.TileRows * wide
	work := size * perGroup * int(c.p.Y.Taps*c.p.X.Taps) / len(c.y) / 16
	Parallel(count*groups*down*across*len(c.y), work, func(lo, hi int) {
		buffer, put := scratchFloats(size * len(c.x))
		defer scratch.Put(put)
		for i := lo; i < hi; i++ {
			fy, rest := i%len(c.y), i/len(c.y)
			one, top, first := rest/(down*across), rest/across%down*high, rest%across*wide
			bottom, end := min(top+high, panelCount), min(wide, pl.columns()-first)
			b := pl.data[one*perGroup*pl.each+first:]
			for fx := range c.x {
				s, to := c.weights[fy*len(c.x)+fx], buffer[fx*size:][:size]
				if s == nil {
					clear(to)
					continue
				}
				for k := 0; k < s.k; k += kBlock {
					at := c.at[fy*len(c.x)+fx][k:min(k+kBlock, s.k)]
					for l := 0; l < end; l += columns {
						for t := top; t < bottom; t++ {
							a := s.data[one%groups*s.batchStride+t*s.panelStride+k*s.kStride:]
							simd.Fast.Tile(to[(t-top)*s.width*wide+l:], a, b[l:], at, wide, 1, s.kStride, k > 0)
						}
					}
				}
			}
			for r := top * simd.TileRows; r < min(bottom*simd.TileRows, outs); r++ {
				row := buffer[(r-top*simd.TileRows)*wide:]
				c.spread(out[(one*outs+r)*int(c.p.Y.Out*c.p.X.Out):], row, size, fy, first, end)
			}
		}
	})
}

// spread writes results of one channel, for columns first to first+end-1 of a plane, to rows of phase fy of its image.
// Those of the phases of columns are size elements apart.
func (c *phaseConv) spread(out, row []float32, size, fy, first, end int) {
	width, step, length := int(c.p.X.Out), len(c.x), c.pl.x.length
	for j := 0; j < end; { // up to the end of a row of the plane
		y, x := (first+j)/length, (first+j)%length
		n := min(length-x, end-j)
		if y >= int(c.y[fy].window.Out) {
			return
		}
		line := out[(y*len(c.y)+fy)*width:][:width]
		last := min(x+n, int(c.x[step-1].window.Out))
		if step == 2 && x < last {
			interleave(line[2*x:2*last], row[j:], row[size+j:])
			if x+n > last && 2*last < width {
				line[2*last] = row[j+last-x]
			}
		} else {
			for fx := range c.x {
				from := row[fx*size+j:]
				for i := x; i < min(x+n, int(c.x[fx].window.Out)); i++ {
					line[i*step+fx] = from[i-x]
				}
			}
		}
		j += n
	}
}

// interleave fills out with x[0], y[0], x[1], y[1], …
func interleave(out, x, y []float32) {
	n := len(out) / 2
	x, y = x[:n], y[:n]
	for i := range n {
		out[2*i], out[2*i+1] = x[i], y[i]
	}
}
