package devicetest

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

func (k kit) pool(t T) {
	for _, dt := range kernels.Numbers {
		for _, c := range []struct {
			shape          []int
			kh, kw, sh, sw int
			transposed     bool
		}{
			{[]int{2, 3, 8, 6}, 2, 3, 2, 3, false}, {[]int{5, 7}, 3, 2, 1, 2, false},
			{[]int{1, 2, 9, 7}, 2, 2, 3, 1, true}, {[]int{1, 1, 3, 3}, 3, 3, 1, 1, false},
		} {
			run(t, fmt.Sprintf("%v/%v", dt, c), func(t T) {
				host, dev := k.input(dt, c.shape, 110, 4, false)
				if c.transposed {
					host, dev = host.T(), dev.T()
				}
				h, w := host.Dim(-2), host.Dim(-1)
				oh, ow := (h-c.kh)/c.sh+1, (w-c.kw)/c.sw+1
				x := host.Float64s()
				var tops, means []float64
				for p := range len(x) / (h * w) {
					for i := range oh * ow {
						top, sum := math.Inf(-1), 0.0
						for j := range c.kh * c.kw {
							v := x[(p*h+i/ow*c.sh+j/c.kw)*w+i%ow*c.sw+j%c.kw]
							top, sum = max(top, v), sum+v
						}
						tops, means = append(tops, top), append(means, sum/float64(c.kh*c.kw))
					}
				}
				shape := append(host.Dims()[:host.Rank()-2], oh, ow)
				got := dev.MaxPool2dWithStride(c.kh, c.kw, c.sh, c.sw)
				expect(t, got, shape, dt)
				if !slices.Equal(got.Float64s(), tops) {
					t.Errorf("max: got %v, want %v", got.Float64s(), tops)
				}
				if dt.IsFloat() {
					got = dev.AvgPool2dWithStride(c.kh, c.kw, c.sh, c.sw)
					expect(t, got, shape, dt)
					slack := ulp(tensor.F32, 16)
					if dt.Size() >= 4 {
						slack = ulp(tensor.F64, 256)
					}
					closeTo(t, got, means, 1, func(int) float64 { return slack },
						func(i int) string { return fmt.Sprint("mean ", i) })
				}
			})
		}
	}
	x := k.dev.New([][]float32{{1, float32(math.NaN())}, {3, 4}})
	if v := x.MaxPool2d(1, 2).Float64s(); v[0] == v[0] || v[1] != 4 {
		t.Errorf("maxima of a NaN and without: %v", v)
	}
	if _, err := tensor.Try(func() *tensor.Tensor { return x.AvgPool2d(3, 1) }); !errors.Is(err, tensor.ErrShape) {
		t.Errorf("windows of 3 in images of 2: got %v, want a shape error", err)
	}
}

func (k kit) upsample(t T) {
	sizes := [][2]int{{7, 9}, {2, 3}, {4, 5}, {1, 1}, {9, 2}}
	for _, dt := range kernels.Numbers {
		for _, to := range sizes {
			run(t, fmt.Sprintf("%v/%v", dt, to), func(t T) {
				host, dev := k.input(dt, []int{2, 5, 4}, 111, 4, false)
				host, dev = host.T(), dev.T() // images of 4 × 5
				var near []float64
				x := host.ToVec3()
				for p := range 2 {
					for i := range to[0] * to[1] {
						near = append(near,
							x[p][min(int(float64(i/to[1])*(4/float64(to[0]))),
								3)][min(int(float64(i%to[1])*(5/float64(to[1]))), 4)])
					}
				}
				got := dev.UpsampleNearest2d(to[0], to[1])
				expect(t, got, []int{2, to[0], to[1]}, dt)
				if !slices.Equal(got.Float64s(), near) {
					t.Errorf("nearest: got %v, want %v", got.Float64s(), near)
				}
				if got, want := dev.UpsampleNearest1d(to[1]),
					dev.UpsampleNearest2d(4, to[1]); !slices.Equal(got.Float64s(), want.Float64s()) {
					t.Errorf("along one dim: got %v, want %v", got, want)
				}
				if dt.IsInt() {
					return
				}
				for _, aligned := range []bool{false, true} {
					got := dev.UpsampleBilinear2d(to[0], to[1], aligned)
					expect(t, got, []int{2, to[0], to[1]}, dt)
					want, sizes := bilinear(x, to[0], to[1], aligned)
					eps := ulp(tensor.F32, 1)
					if dt == tensor.F64 {
						eps = ulp(dt, 1)
					}
					closeTo(t, got, want, 1, func(i int) float64 { return 4 * eps * sizes[i] },
						func(i int) string { return fmt.Sprintf("bilinear %v %d", aligned, i) })
				}
			})
		}
	}
}

// bilinear is the definition: the weight of an element falls linearly with its distance from the position, which is
// clamped to the image.
func bilinear(images [][][]float64, oh, ow int, aligned bool) (want, sizes []float64) {
	place := func(i, n, out int) float64 {
		switch {
		case !aligned:
			return min(max((float64(i)+0.5)*float64(n)/float64(out)-0.5, 0), float64(n-1))
		case out == 1:
			return 0
		}
		return float64(i) * float64(n-1) / float64(out-1)
	}
	for _, image := range images {
		for i := range oh * ow {
			y, x := place(i/ow, len(image), oh), place(i%ow, len(image[0]), ow)
			sum, size := 0.0, 0.0
			for r, line := range image {
				for c, v := range line {
					if weight := max(0, 1-math.Abs(y-float64(r))) * max(0, 1-math.Abs(x-float64(c))); weight > 0 {
						sum += weight * v
						size = max(size, math.Abs(v))
					}
				}
			}
			want, sizes = append(want, sum), append(sizes, size)
		}
	}
	return want, sizes
}
