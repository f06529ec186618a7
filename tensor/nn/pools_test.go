package nn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// poolCase is a pool with options for each dim.
type poolCase struct {
	x      grid
	window []int
	o      nn.PoolOptions
}

func drawPool(r *rand.Rand, n int) poolCase {
	c := poolCase{o: nn.PoolOptions{CeilMode: r.IntN(2) == 0, ExcludePadding: r.IntN(2) == 0}}
	xs, dilated, bare := []int{1 + r.IntN(2), 2}, r.IntN(3) == 0, r.IntN(3) == 0
	for range n {
		size, dilation := 1+r.IntN(4), 1
		if dilated {
			dilation = 1 + r.IntN(2)
		}
		pad := size / 2
		if bare {
			pad = 0
		}
		c.window, c.o.Stride = append(c.window, size), append(c.o.Stride, 1+r.IntN(3))
		c.o.Padding = append(c.o.Padding, r.IntN(pad+1), r.IntN(pad+1))
		c.o.Dilation = append(c.o.Dilation, dilation)
		xs = append(xs, 7+r.IntN(3))
	}
	c.x = drawn(r, xs...)
	return c
}

// outputs is how many windows a dim has: the formula of PyTorch's documentation.
func (c poolCase) outputs(d int) int {
	n, before, after := c.x.shape[2+d], c.o.Padding[2*d], c.o.Padding[2*d+1]
	steps := float64(n+before+after-c.o.Dilation[d]*(c.window[d]-1)-1) / float64(c.o.Stride[d])
	if !c.o.CeilMode {
		return int(math.Floor(steps)) + 1
	}
	out := int(math.Ceil(steps)) + 1
	if (out-1)*c.o.Stride[d] >= n+before {
		out--
	}
	return out
}

// loops are the definitions of MaxPool with its indices, and of AvgPool.
func (c poolCase) loops() (maxima, indices, means grid) {
	n := len(c.window)
	shape := slices.Clone(c.x.shape[:2])
	for d := range n {
		shape = append(shape, c.outputs(d))
	}
	maxima, indices, means = newGrid(shape...), newGrid(shape...), newGrid(shape...)
	spatial := grid{shape: c.x.shape[2:]}
	each(shape, func(at []int) {
		best, index, sum, inside, counted := math.Inf(-1), 0, 0.0, 0, 0
		each(c.window, func(tap []int) {
			from, isPadding := slices.Clone(at), false
			for d := range n {
				from[2+d] = at[2+d]*c.o.Stride[d] - c.o.Padding[2*d] + tap[d]*c.o.Dilation[d]
				isPadding = isPadding || from[2+d] >= c.x.shape[2+d]+c.o.Padding[2*d+1]
			}
			if !isPadding {
				counted++
			}
			if i, ok := c.x.offset(from); ok {
				inside, sum = inside+1, sum+c.x.values[i]
				if c.x.values[i] > best {
					best = c.x.values[i]
					index, _ = spatial.offset(from[2:])
				}
			}
		})
		if c.o.ExcludePadding {
			counted = inside
		}
		maxima.add(best, at...)
		indices.add(float64(index), at...)
		means.add(sum/float64(counted), at...)
	})
	return maxima, indices, means
}

func TestPools(t *testing.T) {
	for _, dev := range devices(t) {
		for n := 1; n <= dims(dev); n++ {
			r := rand.New(rand.NewPCG(5, uint64(n)))
			for i := range draws(dev) {
				c := drawPool(r, n)
				maxima, indices, means := c.loops()
				what := fmt.Sprintf("%s %d-D %d: x %v, window %v, %+v", dev.Location(), n, i, c.x.shape, c.window, c.o)
				for _, dt := range []tensor.DType{tensor.F64, tensor.F32, tensor.F16} {
					x := c.x.tensor(dt, dev)
					same(t, "max "+what, nn.MaxPool(x, c.window, c.o), maxima, 0)
					same(t, "mean "+what, nn.AvgPool(x, c.window, c.o), means, 4)
					values, ids := nn.MaxPoolIndices(x, c.window, c.o)
					same(t, "values "+what, values, maxima, 0)
					same(t, "indices "+what, ids.ToDType(tensor.F64), indices, 0)
				}
				for _, dt := range []tensor.DType{tensor.I8, tensor.I16, tensor.I32, tensor.I64} {
					x := c.x.tensor(dt, dev)
					same(t, "max of integers "+what, nn.MaxPool(x, c.window, c.o).ToDType(tensor.F64), maxima, 0)
					same(t, "mean of integers "+what, nn.AvgPool(x, c.window, c.o), means, 4)
				}
			}
		}
	}
}

func TestPoolSlopes(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		for n := 1; n <= dims(dev); n++ {
			r := rand.New(rand.NewPCG(6, uint64(n)))
			for i := range few(dev, 4) {
				c := drawPool(r, n)
				for j, at := range r.Perm(len(c.x.values)) { // no two are equal
					c.x.values[j] = float64(at) / 16
				}
				what := fmt.Sprintf("%s %d-D %d: window %v, %+v", dev.Location(), n, i, c.window, c.o)
				x := c.x.tensor(tensor.F64, dev)
				slopes(t, "max "+what, x, func(x *tensor.Tensor) *tensor.Tensor { return nn.MaxPool(x, c.window, c.o) })
				slopes(t, "mean "+what, x, func(x *tensor.Tensor) *tensor.Tensor { return nn.AvgPool(x, c.window, c.o) })
			}
		}
	}
}

// TestMaxPoolTies: the gradient goes to the first of equal elements, whatever computes the pool, and to no padding.
func TestMaxPoolTies(t *testing.T) {
	for _, dev := range devices(t) {
		for _, o := range []nn.PoolOptions{{}, {Padding: []int{1}}, {Dilation: []int{2}, Padding: []int{1}}} {
			x := tensor.NewVar(dev.Ones(tensor.F32, 1, 1, 4, 4, 4))
			y, ids := nn.MaxPoolIndices(x, []int{2, 2, 2}, o)
			pool := nn.MaxPool(x, []int{2, 2, 2}, o)
			want := dev.Zeros(tensor.F32, 64).
				ScatterAdd(ids.FlattenAll(), dev.Ones(tensor.F32, y.ElemCount()), 0).Float64s()
			for _, y := range []*tensor.Tensor{y, pool} {
				if got := y.Sum().Backward().Get(x).Float64s(); !slices.Equal(got, want) {
					t.Errorf("%s %+v: %v, want %v", dev.Location(), o, got, want)
				}
			}
		}
	}
}

// TestMaxPoolInfinite: what is below all other numbers is no padding, and NaN propagates.
func TestMaxPoolInfinite(t *testing.T) {
	for _, dev := range devices(t) {
		low := dev.Full(tensor.F32, math.Inf(-1), 1, 1, 4)
		_, ids := nn.MaxPoolIndices(low, []int{2}, nn.PoolOptions{Padding: []int{1}})
		if got := ids.Float64s(); !slices.Equal(got, []float64{0, 1, 3}) {
			t.Errorf("%s: indices %v", dev.Location(), got)
		}
		x := tensor.Of(1, math.NaN(), 3, 4).ToDevice(dev).Reshape(1, 1, 4)
		for _, y := range []*tensor.Tensor{nn.MaxPool(x, []int{2}, nn.PoolOptions{}),
			nn.AdaptiveMaxPool(x, 2), nn.AvgPool(x, []int{2}, nn.PoolOptions{Padding: []int{0}})} {
			if got := y.Float64s(); got[0] == got[0] || got[1] != got[1] {
				t.Errorf("%s: %v, want a NaN first", dev.Location(), got)
			}
		}
		small := tensor.Of(-448, -300, -320, -448).ToDevice(dev).ToDType(tensor.F8E4M3).Reshape(1, 1, 4)
		y := nn.MaxPool(small, []int{3}, nn.PoolOptions{Stride: []int{2}, Padding: []int{1}})
		if got := y.Float64s(); y.DType() != tensor.F8E4M3 || got[0] != small.Max().ToScalar() {
			t.Errorf("%s: %v", dev.Location(), y)
		}
	}
}

// TestMaxPoolIndices: windows of any size. The first NaN is the maximum.
func TestMaxPoolIndices(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 0))
	for _, dev := range devices(t) {
		for _, size := range []int{2, 16, 17, 30} {
			c := poolCase{drawn(r, 2, 2, 40), []int{size}, nn.PoolOptions{Stride: []int{3}, Padding: []int{1, 1},
				Dilation: []int{1}}}
			maxima, indices, _ := c.loops()
			values, ids := nn.MaxPoolIndices(c.x.tensor(tensor.F32, dev), c.window, c.o)
			same(t, fmt.Sprint(dev.Location(), " values of ", size), values, maxima, 0)
			same(t, fmt.Sprint(dev.Location(), " indices of ", size), ids.ToDType(tensor.F64), indices, 0)

			c.x.values[4], c.x.values[9] = math.NaN(), math.NaN()
			x := c.x.tensor(tensor.F32, dev).Narrow(0, 0, 1).Narrow(1, 0, 1)
			values, ids = nn.MaxPoolIndices(x, []int{size}, nn.PoolOptions{Stride: []int{10}, Padding: []int{1, 0}})
			if at := ids.Float64s()[0]; size > 5 && (at != 4 || !math.IsNaN(values.Float64s()[0])) {
				t.Errorf("%s: NaN at %v in windows of %d, want 4", dev.Location(), at, size)
			}
		}
		bits := tensor.Of(0, 0, 0, 1).ToDevice(dev).Gt(0).Reshape(1, 1, 4)
		values, ids := nn.MaxPoolIndices(bits, []int{2}, nn.PoolOptions{})
		if got := append(values.Float64s(), ids.Float64s()...); !slices.Equal(got, []float64{0, 1, 0, 3}) {
			t.Errorf("%s: of bool, %v", dev.Location(), got)
		}
	}
}

// TestMaxUnpool is the example of PyTorch's documentation of MaxUnpool1d.
func TestMaxUnpool(t *testing.T) {
	for _, dev := range devices(t) {
		x := tensor.Of(1, 2, 3, 4, 5, 6, 7, 8, 9).ToDevice(dev).Reshape(1, 1, 9)
		y, ids := nn.MaxPoolIndices(x, []int{2}, nn.PoolOptions{})
		if got := nn.MaxUnpool(y, ids, 9).Float64s(); !slices.Equal(got, []float64{0, 2, 0, 4, 0, 6, 0, 8, 0}) {
			t.Errorf("%s: %v", dev.Location(), got)
		}
	}
}

func TestAdaptivePools(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		for n := 1; n <= dims(dev); n++ {
			r := rand.New(rand.NewPCG(7, uint64(n)))
			for i := range few(dev, 8) {
				xs, sizes := []int{2, 2}, []int(nil)
				for range n {
					xs, sizes = append(xs, 3+r.IntN(6)), append(sizes, 1+r.IntN(8))
				}
				x := drawn(r, xs...)
				shape := append([]int{2, 2}, sizes...)
				maxima, means, indices := newGrid(shape...), newGrid(shape...), newGrid(shape...)
				each(shape, func(at []int) {
					best, sum, count, index := math.Inf(-1), 0.0, 0.0, 0
					each(xs, func(from []int) {
						if from[0] != at[0] || from[1] != at[1] {
							return
						}
						for d, o := range sizes {
							n := float64(xs[2+d])
							first, end := math.Floor(float64(at[2+d])*n/float64(o)), math.Ceil(float64(at[2+d]+1)*n/float64(o))
							if f := float64(from[2+d]); f < first || f >= end {
								return
							}
						}
						v := x.at(from...)
						sum, count = sum+v, count+1
						if v > best {
							best = v
							index, _ = grid{shape: xs[2:]}.offset(from[2:])
						}
					})
					maxima.add(best, at...)
					means.add(sum/count, at...)
					indices.add(float64(index), at...)
				})
				what := fmt.Sprintf("%s %d-D %d: %v to %v", dev.Location(), n, i, xs, sizes)
				for _, dt := range []tensor.DType{tensor.F64, tensor.F32, tensor.F16} {
					xt := x.tensor(dt, dev)
					same(t, what, nn.AdaptiveMaxPool(xt, sizes...), maxima, 0)
					same(t, what, nn.AdaptiveAvgPool(xt, sizes...), means, 4)
					_, ids := nn.AdaptiveMaxPoolIndices(xt, sizes...)
					same(t, what, ids.ToDType(tensor.F64), indices, 0)
				}
				if i < 2 {
					for j, at := range r.Perm(len(x.values)) { // no two are equal
						x.values[j] = float64(at) / 64
					}
					xt := x.tensor(tensor.F64, dev)
					slopes(t, what, xt, func(x *tensor.Tensor) *tensor.Tensor { return nn.AdaptiveMaxPool(x, sizes...) })
					slopes(t, what, xt, func(x *tensor.Tensor) *tensor.Tensor { return nn.AdaptiveAvgPool(x, sizes...) })
				}
			}
		}
	}
}
