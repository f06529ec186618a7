package devicetest

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

func (k kit) norm(t T) {
	for _, dt := range kernels.Floats {
		for _, c := range []struct {
			shape      []int
			transposed bool
			mean       float64
		}{{[]int{7, 5}, false, 0}, {[]int{2, 3, 129}, false, 0}, {[]int{3, 1031}, false, 0}, {[]int{33, 4}, true, 0},
			{[]int{5, 300}, false, 1000}, {[]int{9, 520}, false, 3}, {[]int{2, 6000}, false, 3},
			{[]int{1, 8192}, false, 0}, {[]int{1, 16384}, false, 0}, {[]int{1, 16392}, false, 0},
			{[]int{4, 1}, false, 0}, {[]int{0, 3}, false, 0}} {
			run(t, fmt.Sprintf("%v/%v", dt, c), func(t T) {
				const eps = 1e-5
				host, _ := k.input(dt, c.shape, 120, 2, false)
				host = host.Affine(1, c.mean)
				dev := host.ToDevice(k.dev)
				if c.transposed {
					host, dev = host.T(), dev.T()
				}
				cols := host.Dim(-1)
				alpha, devAlpha := k.input(dt, []int{cols}, 121, 1, false)
				beta, devBeta := k.input(dt, []int{cols}, 122, 1, false)
				x, a, b := host.Float64s(), alpha.Float64s(), beta.Float64s()
				unit := ulp(tensor.F32, 1)
				if dt == tensor.F64 {
					unit = ulp(dt, 1)
				}
				var rms, layer, rmsSlack, layerSlack []float64
				for r := range len(x) / cols {
					row := x[r*cols : (r+1)*cols]
					squares := exactSum(mapped(row, func(v float64) float64 { return v * v }))
					mean := exactSum(row) / float64(cols)
					variance := exactSum(mapped(row, func(v float64) float64 { return (v - mean) * (v - mean) })) /
						float64(cols)
					root, deviation := math.Sqrt(squares/float64(cols)+eps), math.Sqrt(variance+eps)
					for i, v := range row {
						rms = append(rms, v/root*a[i])
						rmsSlack = append(rmsSlack, 16*unit*math.Abs(v/root*a[i]))
						y := (v - mean) / deviation * a[i]
						layer = append(layer, y+b[i])
						// A mean that is off by its last digit moves every element of the row.
						layerSlack = append(layerSlack,
							16*unit*(math.Abs(y)+math.Abs(b[i])+math.Abs(mean/deviation*a[i])))
					}
				}
				got := dev.RmsNorm(devAlpha, eps)
				expect(t, got, host.Dims(), dt)
				closeTo(t, got, rms, 1, func(i int) float64 { return rmsSlack[i] },
					func(i int) string { return fmt.Sprint("rms norm ", i) })
				got = dev.LayerNorm(devAlpha, devBeta, eps)
				expect(t, got, host.Dims(), dt)
				closeTo(t, got, layer, 1, func(i int) float64 { return layerSlack[i] },
					func(i int) string { return fmt.Sprint("layer norm ", i) })
			})
		}
	}
	x := k.dev.Ones(tensor.F32, 2, 3)
	if _, err := tensor.Try(func() *tensor.Tensor {
		return x.RmsNorm(k.dev.Ones(tensor.F32, 2),
			0)
	}); !errors.Is(err, tensor.ErrShape) {
		t.Errorf("alpha of 2 for rows of 3: got %v, want a shape error", err)
	}
}

// addNorm: a sum and its norm have the bits of the single operations, in any layout.
func (k kit) addNorm(t T) {
	for _, dt := range kernels.Floats {
		for _, shape := range [][]int{{3, 64}, {1, 2048}, {2, 2, 520}, {2, 4104}, {1, 8200}, {1, 16392}, {3, 5}, {0, 8},
			{8}} {
			run(t, fmt.Sprintf("%v/%v", dt, shape), func(t T) {
				_, x := k.input(dt, shape, 123, 2, false)
				_, y := k.input(dt, shape, 124, 2, false)
				_, alpha := k.input(dt, shape[len(shape)-1:], 125, 1, false)
				longer := tensor.Cat([]*tensor.Tensor{y, y}, -1)
				forms := map[string]*tensor.Tensor{"dense": y, "strided": longer.Narrow(-1, 0, y.Dim(-1))}
				if n := y.ElemCount(); n > 0 {
					forms["odd"] = longer.FlattenAll().Narrow(0, 1, n).Reshape(shape...)
				}
				for name, y := range forms {
					sum, normed := x.AddRmsNorm(y, alpha, 1e-5)
					wantSum := x.Add(y)
					same(t, name+" sum", sum, wantSum)
					same(t, name+" norm", normed, wantSum.RmsNorm(alpha, 1e-5))
				}
			})
		}
	}
	x := k.dev.Ones(tensor.F32, 2, 8)
	for name, f := range map[string]func() (a, b *tensor.Tensor){
		"another shape":  func() (a, b *tensor.Tensor) { return x.AddRmsNorm(x.Narrow(0, 0, 1), x.Get(0), 0) },
		"a short alpha":  func() (a, b *tensor.Tensor) { return x.AddRmsNorm(x, x.Get(0).Narrow(0, 0, 4), 0) },
		"nothing to add": func() (a, b *tensor.Tensor) { return x.AddRmsNorm(nil, x.Get(0), 0) },
		"no alpha":       func() (a, b *tensor.Tensor) { return x.AddRmsNorm(x, nil, 0) },
	} {
		if _, err := tensor.Try(func() *tensor.Tensor { a, _ := f(); return a }); !errors.Is(err, tensor.ErrShape) {
			t.Errorf("%s: got %v, want a shape error", name, err)
		}
	}
}

// same reports shapes, types or elements that differ; all NaN are one.
func same(t T, what string, got, want *tensor.Tensor) {
	expect(t, got, want.Dims(), want.DType())
	equal := func(g, w float64) bool { return g == w || math.IsNaN(g) && math.IsNaN(w) }
	if g, w := got.Float64s(), want.Float64s(); !slices.EqualFunc(g, w, equal) {
		t.Errorf("%s: got %v, want %v", what, g, w)
	}
}

// within has write change a copy of x [a b c d], which lies every other element in memory with the second dim last, and
// returns it dense.
func within(x *tensor.Tensor, write func(y *tensor.Tensor)) *tensor.Tensor {
	d := x.Dims()
	y := x.Device().Zeros(x.DType(), d[0], d[2], d[3], 2, d[1]).Narrow(3, 1, 1).Squeeze(3).Permute(0, 3,
		1, 2)
	y.CopySet(x)
	write(y)
	return y.Contiguous()
}

func (k kit) rope(t T) {
	const batch, heads, positions, size = 2, 3, 5, 6
	for _, dt := range kernels.Floats {
		for _, angles := range [][]int{{positions + 2, size / 2}, {batch, positions, size / 2}} {
			cos, devCos := k.input(dt, angles, 131, 1, false)
			sin, devSin := k.input(dt, angles, 132, 1, false)
			c, s := cos.Float64s(), sin.Float64s()
			for name, form := range map[string]struct {
				run         func(x *tensor.Tensor) *tensor.Tensor
				thd, inside bool
			}{
				"Rope":    {func(x *tensor.Tensor) *tensor.Tensor { return x.Rope(devCos, devSin) }, false, false},
				"RopeI":   {func(x *tensor.Tensor) *tensor.Tensor { return x.RopeI(devCos, devSin) }, false, true},
				"RopeThd": {func(x *tensor.Tensor) *tensor.Tensor { return x.RopeThd(devCos, devSin) }, true, false},
				"RopeSet": {func(x *tensor.Tensor) *tensor.Tensor {
					return within(x, func(y *tensor.Tensor) { y.RopeSet(devCos, devSin) })
				}, false, false},
				"RopeISet": {func(x *tensor.Tensor) *tensor.Tensor {
					return within(x, func(y *tensor.Tensor) { y.RopeISet(devCos, devSin) })
				}, false, true},
			} {
				run(t, fmt.Sprintf("%v/%s/%v", dt, name, angles), func(t T) {
					shape := []int{batch, positions, heads, size}
					host, dev := k.input(dt, shape, 130, 1, false)
					if !form.thd {
						host, dev = host.Transpose(1, 2), dev.Transpose(1, 2) // strided
					}
					x := host.Float64s()
					want, sizes := make([]float64, len(x)), make([]float64, len(x))
					for r := range len(x) / size {
						b, position := r/(heads*positions), r%positions
						if form.thd {
							position = r / heads % positions
						}
						for i := range size / 2 {
							at := position*size/2 + i
							if len(angles) == 3 {
								at += b * positions * size / 2
							}
							p, q := r*size+i, r*size+i+size/2
							if form.inside {
								p, q = r*size+2*i, r*size+2*i+1
							}
							want[p], want[q] = x[p]*c[at]-x[q]*s[at], x[p]*s[at]+x[q]*c[at]
							sizes[p] = max(math.Abs(x[p]*c[at]), math.Abs(x[q]*s[at]))
							sizes[q] = max(math.Abs(x[p]*s[at]), math.Abs(x[q]*c[at]))
						}
					}
					unit := ulp(tensor.F32, 1)
					if dt == tensor.F64 {
						unit = ulp(dt, 1)
					}
					got := form.run(dev)
					expect(t, got, host.Dims(), dt)
					closeTo(t, got, want, 1, func(i int) float64 { return 2 * unit * sizes[i] },
						func(i int) string { return fmt.Sprint("element ", i) })
				})
			}
		}
	}
}
