package gpu

import "github.com/gorocm/gorocm/kernels"

var bigTransforms = []bigKernel{
	{"Fourier transforms", "bid", func(b *bigRun) { // of two numbers: their sum and their difference
		const lanes = 32
		first := 2 * lanes * b.block // number of the first complex number
		var x [][2]float32
		for i := range 2 * lanes {
			x = append(x, [2]float32{sevenths[(first+i)%7], 1})
		}
		p, read := out[[2]float32](b, first, len(x))
		f := &kernels.FFT{N: 2, Lanes: lanes, Count: int64(first/2 + lanes), FromStep: 1, ToStep: 1, Radices: 2, Turns: -1,
			Scale: 1}
		for d := range f.Dims {
			f.Dims[d] = 1
		}
		f.Dims[3], f.From[3], f.To[3] = f.Count, 2, 2
		roots := in(b, 0, [2]float32{1, 0}, [2]float32{-1, 0})
		b.launch("fft_c64", in(b, first, x...), p, roots, roots, roots, f)
		equal(b, "fft", read(), first, func(i int) [2]float32 {
			even, odd := sevenths[i/2*2%7], sevenths[(i/2*2+1)%7]
			if i%2 == 0 {
				return [2]float32{even + odd, 2}
			}
			return [2]float32{even - odd, 0}
		})
	}},
	{"weights of Fourier transforms", "bid", func(b *bigRun) {
		var x, weights [][2]float32
		for i := range block {
			x = append(x, [2]float32{sevenths[(b.flat()+i)%7], 0})
			weights = append(weights, [2]float32{0, float32(i)})
		}
		p, read := out[[2]float32](b, b.flat(), block)
		b.launch("fft_weigh_c64", in(b, b.flat(), x...), in(b, 0, weights...), p, b.block+1, block, block, 2.0, 0)
		equal(b, "fft_weigh", read(), b.flat(), func(i int) [2]float32 {
			return [2]float32{0, 2 * sevenths[i%7] * float32(i%block)}
		})
	}},
}
