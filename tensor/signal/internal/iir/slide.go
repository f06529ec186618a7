package iir

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// Slide returns y [count n-m+1] with y[t] = Σ_j kernel[j]·x[t+j] in each row of x [count n], on the host: both are
// dense F64, and n is at least m.
func Slide(x, kernel *tensor.Tensor) *tensor.Tensor {
	count, n, k := x.Dim(0), x.Dim(1), kernel.Data().([]float64)
	length := n - len(k) + 1
	out := x.Device().Empty(tensor.F64, count, length)
	from, to := x.Data().([]float64), out.Data().([]float64)
	const block = 2048 // outputs that stay in the cache while the kernel slides
	blocks := (length + block - 1) / block
	host.Parallel(count*blocks, block*(1+len(k)/2), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row, first := i/blocks, i%blocks*block
			size := min(block, length-first)
			slide(to[row*length+first:][:size], from[row*n+first:(row+1)*n], k)
		}
	})
	return out
}

// slide computes len(y) outputs, four elements of the kernel at a time.
func slide(y, x, k []float64) {
	clear(y)
	j := 0
	for ; j+4 <= len(k); j += 4 {
		k0, k1, k2, k3 := k[j], k[j+1], k[j+2], k[j+3]
		part := x[j:][:len(y)+3]
		x0, x1, x2 := part[0], part[1], part[2]
		for t, x3 := range part[3:] {
			y[t] += (k0*x0 + k1*x1) + (k2*x2 + k3*x3)
			x0, x1, x2 = x1, x2, x3
		}
	}
	for ; j < len(k); j++ {
		factor := k[j]
		for t, v := range x[j:][:len(y)] {
			y[t] += factor * v
		}
	}
}

// Polyphase returns y [count steps·up], where y[t·up+q] = Σ_j kernels[q·width+j]·x[t·down+j] in each row of x [count
// n], on the host: x is dense F64 and long enough. Zeros at the ends of kernels are left out.
func Polyphase(x *tensor.Tensor, kernels []float64, up, down, steps int) *tensor.Tensor {
	count, n, width := x.Dim(0), x.Dim(1), len(kernels)/up
	first, last := make([]int, up), make([]int, up)
	for q := range up {
		k := kernels[q*width : (q+1)*width]
		for last[q] = width; last[q] > 0 && k[last[q]-1] == 0; last[q]-- {
		}
		for ; first[q] < last[q] && k[first[q]] == 0; first[q]++ {
		}
	}
	out := x.Device().Empty(tensor.F64, count, steps*up)
	from, to := x.Data().([]float64), out.Data().([]float64)
	host.Parallel(count*steps, up*20, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			in := from[i/steps*n+i%steps*down:]
			for q := range up {
				to[i*up+q] = dot(kernels[q*width+first[q]:q*width+last[q]], in[first[q]:])
			}
		}
	})
	return out
}

func dot(k, x []float64) float64 {
	var even, odd float64
	x = x[:len(k)]
	j := 0
	for ; j+2 <= len(k); j += 2 {
		even += k[j] * x[j]
		odd += k[j+1] * x[j+1]
	}
	if j < len(k) {
		even += k[j] * x[j]
	}
	return even + odd
}
