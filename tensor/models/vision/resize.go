package vision

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor"
)

// Filter is how an image is resampled, by Pillow's numbers, which preprocessor_config.json has.
type Filter int

// The filters of Pillow.
const (
	Nearest  Filter = 0
	Lanczos  Filter = 1
	Bilinear Filter = 2
	Bicubic  Filter = 3
	Box      Filter = 4
	Hamming  Filter = 5
)

// String returns the name of the filter.
func (f Filter) String() string {
	if f < 0 || f > Hamming {
		return fmt.Sprintf("Filter(%d)", int(f))
	}
	return [...]string{"nearest", "lanczos", "bilinear", "bicubic", "box", "hamming"}[f]
}

// kernel is the filter as a function, and how far from 0 it reaches.
func (f Filter) kernel() (weight func(x float64) float64, support float64) {
	switch f {
	case Box:
		return func(x float64) float64 {
			if x > -0.5 && x <= 0.5 {
				return 1
			}
			return 0
		}, 0.5
	case Bilinear:
		return func(x float64) float64 { return max(1-math.Abs(x), 0) }, 1
	case Hamming:
		const a, b = float64(float32(0.54)), float64(float32(0.46)) // Pillow's have 32 bits
		return func(x float64) float64 {
			switch x = math.Abs(x); {
			case x == 0:
				return 1
			case x >= 1:
				return 0
			}
			x *= math.Pi
			return math.Sin(x) / x * (a + b*math.Cos(x))
		}, 1
	case Bicubic:
		const a = -0.5
		return func(x float64) float64 {
			switch x = math.Abs(x); {
			case x < 1:
				return ((a+2)*x-(a+3))*x*x + 1
			case x < 2:
				return (((x-5)*x+8)*x - 4) * a
			}
			return 0
		}, 2
	}
	return func(x float64) float64 { // Lanczos
		if x < -3 || x >= 3 {
			return 0
		}
		return sinc(x) * sinc(x/3)
	}, 3
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	x *= math.Pi
	return math.Sin(x) / x
}

// taps are the elements of a line that a new one is made of, and their weights, as whole numbers of 22 bits.
type taps struct {
	first   int
	weights []int64
}

// Bits of the weights after the point: Pillow has 32 bits for a sum, of which 8 are the result's and two are for
// filters that go beyond.
const weightBits = 32 - 8 - 2

// tapsOf returns the taps of n elements that become size, as Pillow computes them: the filter is as wide as a new
// element, so that all old ones count (antialiasing).
func tapsOf(n, size int, f Filter) []taps {
	weight, support := f.kernel()
	scale := float64(n) / float64(size)
	wide := max(scale, 1)
	support *= wide
	all := make([]taps, size)
	for i := range all {
		center := (float64(i) + 0.5) * scale
		first := max(int(center-support+0.5), 0)
		end := min(int(center+support+0.5), n)
		w := make([]float64, end-first)
		sum := 0.0
		for k := range w {
			w[k] = weight((float64(k+first) - center + 0.5) * (1 / wide))
			sum += w[k]
		}
		all[i] = taps{first, make([]int64, len(w))}
		for k, x := range w {
			if sum != 0 {
				x /= sum
			}
			all[i].weights[k] = int64(x*(1<<weightBits) + math.Copysign(0.5, x))
		}
	}
	return all
}

// of is the new element of a line of bytes, one every step.
func (t *taps) of(line []byte, step int) byte {
	sum := int64(1) << (weightBits - 1)
	for k, w := range t.weights {
		sum += int64(line[(t.first+k)*step]) * w
	}
	return byte(min(max(sum>>weightBits, 0), 255))
}

// picture is an image of bytes, on the host: planes of channels.
type picture struct {
	pix     []byte
	c, h, w int
}

// resized returns the picture with another size, as Image.resize of Pillow 13 computes it: rows and columns one after
// the other, each rounded to bytes. Columns come first where that saves most; older versions always begin with rows.
func (p picture) resized(h, w int, f Filter) picture {
	if f == Nearest {
		return p.nearest(h, w)
	}
	if p.h > h && p.h-h > 2*(p.w-w) {
		checkPixels("resize", h, p.w)
		return p.tall(h, f).broad(w, f)
	}
	checkPixels("resize", p.h, w)
	return p.broad(w, f).tall(h, f)
}

// broad returns the picture with another width.
func (p picture) broad(w int, f Filter) picture {
	if w == p.w {
		return p
	}
	q := picture{make([]byte, p.c*p.h*w), p.c, p.h, w}
	all := tapsOf(p.w, w, f)
	for y := range p.c * p.h {
		row, out := p.pix[y*p.w:(y+1)*p.w], q.pix[y*w:(y+1)*w]
		for x := range all {
			out[x] = all[x].of(row, 1)
		}
	}
	return q
}

// tall returns the picture with another height.
func (p picture) tall(h int, f Filter) picture {
	if h == p.h {
		return p
	}
	q := picture{make([]byte, p.c*h*p.w), p.c, h, p.w}
	all := tapsOf(p.h, h, f)
	for c := range p.c {
		plane := p.pix[c*p.h*p.w : (c+1)*p.h*p.w]
		for y := range all {
			out := q.pix[(c*h+y)*p.w:][:p.w]
			for x := range out {
				out[x] = all[y].of(plane[x:], p.w)
			}
		}
	}
	return q
}

func (p picture) nearest(h, w int) picture {
	q := picture{make([]byte, p.c*h*w), p.c, h, w}
	rows, columns := nearestOf(p.h, h), nearestOf(p.w, w)
	for c := range p.c {
		for y, from := range rows {
			line, out := p.pix[(c*p.h+from)*p.w:], q.pix[(c*h+y)*w:]
			for x, at := range columns {
				out[x] = line[at]
			}
		}
	}
	return q
}

// nearestOf are the elements of n that are nearest to those of size. Steps are added one by one, as Pillow does, whose
// sums are rounded.
func nearestOf(n, size int) []int {
	step := float64(n) / float64(size)
	at, all := step*0.5, make([]int, size)
	for i := range all {
		all[i] = min(int(at), n-1)
		at += step
	}
	return all
}

// cropped returns the middle of the picture; what is beyond it is 0.
func (p picture) cropped(h, w int) picture {
	top, left := cropStart(p.h, h), cropStart(p.w, w)
	q := picture{make([]byte, p.c*h*w), p.c, h, w}
	for c := range p.c {
		for y := range h {
			if from := top + y; from >= 0 && from < p.h {
				x := max(-left, 0)
				if n := min(w, p.w-left); n > x {
					copy(q.pix[(c*h+y)*w+x:][:n-x], p.pix[(c*p.h+from)*p.w+left+x:])
				}
			}
		}
	}
	return q
}

// cropStart is where size elements from the middle of n begin. Where size is larger, transformers puts the odd element
// after them.
func cropStart(n, size int) int {
	if size <= n {
		return (n - size) / 2
	}
	return -((size - n + 1) / 2)
}

// Resize returns an image, U8 of shape [channels height width], with another size, on its device. The result has the
// same bytes as that of Pillow's Image.resize, which computes in whole numbers; nn.Interpolate resizes floats. It
// panics with ErrDType for another type, and with ErrShape for other shapes and for sizes that are not positive or too
// large.
func Resize(image *tensor.Tensor, height, width int, f Filter) *tensor.Tensor {
	if f < 0 || f > Hamming {
		panic(&tensor.Error{Op: "resize", Kind: tensor.ErrValue, Message: fmt.Sprintf("there is no %v", f)})
	}
	p := pictureOf("resize", image)
	checkPixels("resize", height, width)
	p = p.resized(height, width, f)
	return image.Device().FromBytes(tensor.U8, p.pix, p.c, p.h, p.w)
}

// maxPixels bounds the size of an image after resizing.
const maxPixels = 1 << 26

func checkPixels(op string, h, w int) {
	if h < 1 || w < 1 || h > maxPixels || w > maxPixels || h*w > maxPixels {
		panic(&tensor.Error{Op: op, Kind: tensor.ErrShape,
			Message: fmt.Sprintf("an image of %d × %d pixels: want at least one, and at most %d", w, h, maxPixels)})
	}
}

// pictureOf brings an image to the host.
func pictureOf(op string, image *tensor.Tensor) picture {
	dims := image.Dims()
	if len(dims) == 2 {
		dims = append([]int{1}, dims...)
	}
	if len(dims) != 3 || dims[0] != 1 && dims[0] != 3 && dims[0] != 4 || dims[1] == 0 || dims[2] == 0 {
		panic(&tensor.Error{Op: op, Kind: tensor.ErrShape, Shapes: [][]int{image.Dims()},
			Message: fmt.Sprintf("shape %v is not an image: want [channels height width] with 1, 3 or 4 channels",
				image.Dims())})
	}
	if dt := image.DType(); dt != tensor.U8 {
		e := &tensor.Error{Op: op, Kind: tensor.ErrDType,
			Message: fmt.Sprintf("the image is of %v: want u8, as formats.ReadImage gives it", dt)}
		switch {
		case dt.IsFloat():
			e.Notes = append(e.Notes, "x.Mul(255).Round().ToDType(tensor.U8) gives bytes of floats from 0 to 1")
		case dt == tensor.I32:
			e.Notes = append(e.Notes, "x.Div(257).ToDType(tensor.U8) gives bytes of elements up to 65535")
		}
		panic(e)
	}
	return picture{image.ToBytes(), dims[0], dims[1], dims[2]}
}

// rgb returns the picture in red, green and blue: grey three times, and without opacity.
func (p picture) rgb() picture {
	n := p.h * p.w
	switch p.c {
	case 1:
		pix := make([]byte, 0, 3*n)
		for range 3 {
			pix = append(pix, p.pix...)
		}
		return picture{pix, 3, p.h, p.w}
	case 4:
		return picture{p.pix[:3*n], 3, p.h, p.w}
	}
	return p
}
