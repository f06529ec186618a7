package onnx

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
)

var signalOps = []operator{
	{name: "BlackmanWindow", attrs: "output_datatype periodic", in: [2]int{1, 1}, run: window(0.42, 0.5, 0.08)},
	{name: "DFT", since: 17, attrs: "axis inverse onesided", in: [2]int{1, 3}, unfolded: true, run: dft},
	{name: "HammingWindow", attrs: "output_datatype periodic", in: [2]int{1, 1}, run: window(25.0/46, 21.0/46, 0)},
	{name: "HannWindow", attrs: "output_datatype periodic", in: [2]int{1, 1}, run: window(0.5, 0.5, 0)},
	{name: "MelWeightMatrix", attrs: "output_datatype", in: [2]int{5, 5}, run: melWeights},
	{name: "STFT", attrs: "onesided", in: [2]int{2, 4}, unfolded: true, run: stft},
}

// window is a0 - a1·cos(2πn/N) + a2·cos(4πn/N), where N is the size, or one less unless it is periodic.
func window(a0, a1, a2 float64) func(c *call) tensors {
	return func(c *call) tensors {
		n := c.integer(0, 0)
		if n < 1 {
			c.fail("a window of %d is not possible", n)
		}
		dev := c.room(n)
		size := float64(n)
		if c.int("periodic", 1) == 0 {
			size = max(size-1, 1)
		}
		at := dev.Arange(tensor.F64, float64(n)).Mul(2 * math.Pi / size)
		y := at.Cos().Affine(-a1, a0)
		if a2 != 0 {
			y = y.Add(at.Mul(2).Cos().Mul(a2))
		}
		return one(y.ToDType(c.elemAttr("output_datatype", tensor.F32)))
	}
}

// asComplex makes complex numbers of a last dim with real parts, and imaginary ones if there are two.
func (c *call) asComplex(x *tensor.Tensor) *tensor.Tensor {
	if x.DType() != tensor.F64 {
		x = x.ToDType(tensor.F32)
	}
	switch x.Dim(-1) {
	case 1:
		x = x.Squeeze(-1)
		return tensor.Complex(x, x.ZerosLike())
	case 2:
		return x.Contiguous().ViewAsComplex()
	}
	c.fail("the last dim has %d elements: 1 for real numbers, 2 for complex ones", x.Dim(-1))
	return nil
}

// asReal is the way back.
func asReal(x *tensor.Tensor, dt tensor.DType) *tensor.Tensor {
	return x.Contiguous().ViewAsReal().Contiguous().ToDType(dt)
}

// dft transforms one axis, that of an attribute or, from opset 20 on, of an input.
func dft(c *call) tensors {
	x := c.x(0)
	if x.Rank() < 2 {
		c.fail("the input has %d dims, and at least 2 are needed", x.Rank())
	}
	axis := c.int("axis", 1)
	if c.version >= 20 {
		axis = c.integer(2, -2)
	}
	if axis = c.axis(axis, x.Rank()); axis == x.Rank()-1 {
		c.fail("axis %d is that of real and imaginary parts", axis)
	}
	inverse, half := c.int("inverse", 0) != 0, c.int("onesided", 0) != 0
	n := c.integer(1, 0)
	if !c.has(1) {
		if n = x.Dim(axis); inverse && half {
			n = 2 * (n - 1)
		}
	}
	if n < 1 || n > maxElements {
		c.fail("a length of %d is not possible", n)
	}
	dt := x.DType()
	if inverse && half {
		y := fft.IRFFT(c.asComplex(x), n, axis)
		return one(y.Unsqueeze(-1).ToDType(dt))
	}
	y := c.asComplex(c.padDim(x, axis, 0, n-x.Dim(axis), 0))
	if inverse {
		y = fft.IFFT(y, axis)
	} else {
		y = fft.FFT(y, axis)
	}
	if half {
		y = y.Narrow(axis, 0, n/2+1)
	}
	return one(asReal(y, dt))
}

// stft transforms frames [batch samples 1 or 2] to [batch frames frequencies 2].
func stft(c *call) tensors {
	x, step := c.x(0), c.integer(1, 0)
	if x.Rank() == 2 {
		x = x.Unsqueeze(-1)
	}
	var size int
	if c.has(3) {
		size = c.integer(3, 0)
	} else if c.has(2) {
		size = product(c.dims(2))
	}
	if step < 1 || size < 1 || x.Rank() != 3 || size > x.Dim(1) {
		c.fail("frames of %d every %d samples do not fit the shape %s", size, step, shapeText(x.Dims()))
	}
	dt := x.DType()
	frames := c.asComplex(x).Unfold(1, size, step) // [batch frames size]
	if w := c.opt(2); w != nil {
		if w.ElemCount() != size {
			c.fail("a window of %d for frames of %d", w.ElemCount(), size)
		}
		frames = frames.Mul(w.ToDType(frames.DType().Real()))
	}
	y := fft.FFT(frames, -1)
	if c.int("onesided", 1) != 0 {
		y = y.Narrow(-1, 0, size/2+1)
	}
	return one(asReal(y, dt))
}

// melWeights are triangles over the bins of a spectrum, as TensorFlow makes them.
func melWeights(c *call) tensors {
	count, size, rate := c.integer(0, 0), c.integer(1, 0), c.integer(2, 0)
	low, high := c.number(3, 0), c.number(4, 0)
	bins := size/2 + 1
	if count < 1 || size < 1 || rate < 1 || count > 1<<16 || size > 1<<24 || bins*count > maxFolded {
		c.fail("%d mel bands of transforms of %d are not possible", count, size)
	}
	mel := func(hz float64) float64 { return 2595 * math.Log10(1+hz/700) }
	edges := make([]int, count+2)
	step := (mel(high) - mel(low)) / float64(count+2)
	for i := range edges {
		hz := 700 * (math.Pow(10, (float64(i)*step+mel(low))/2595) - 1)
		edges[i] = int(math.Floor(float64(size+1) * hz / float64(rate)))
	}
	out := make([]float64, bins*count)
	for m := range count {
		lo, mid, hi := edges[m], edges[m+1], edges[m+2]
		if mid == lo && mid >= 0 && mid < bins {
			out[mid*count+m] = 1
		}
		for k := max(lo, 0); mid > lo && k <= min(mid, bins-1); k++ {
			out[k*count+m] = float64(k-lo) / float64(mid-lo)
		}
		for k := max(mid, 0); hi > mid && k < min(hi, bins); k++ {
			out[k*count+m] = float64(hi-k) / float64(hi-mid)
		}
	}
	return one(c.room(bins, count).FromSlice(out, bins, count).ToDType(c.elemAttr("output_datatype", tensor.F32)))
}
