package nn_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// convCase is a convolution with options for each dim.
type convCase struct {
	x, kernel, bias grid
	o               nn.ConvOptions
	groups          int
}

// conv is the definition of Conv with a padding of zeros.
func (c convCase) conv() grid {
	n := len(c.kernel.shape) - 2
	shape := []int{c.x.shape[0], c.kernel.shape[0]}
	for d := range n {
		extent := c.o.Dilation[d]*(c.kernel.shape[2+d]-1) + 1
		shape = append(shape, (c.x.shape[2+d]+c.o.Padding[2*d]+c.o.Padding[2*d+1]-extent)/c.o.Stride[d]+1)
	}
	y := newGrid(shape...)
	perGroup, outs := c.kernel.shape[1], c.kernel.shape[0]/c.groups
	each(shape, func(at []int) {
		each(c.kernel.shape[1:], func(tap []int) {
			from := []int{at[0], at[1]/outs*perGroup + tap[0]}
			for d := range n {
				from = append(from, at[2+d]*c.o.Stride[d]-c.o.Padding[2*d]+tap[1+d]*c.o.Dilation[d])
			}
			y.add(c.x.at(from...)*c.kernel.at(append([]int{at[1]}, tap...)...), at...)
		})
		y.add(c.bias.at(at[1]), at...)
	})
	return y
}

// transposed is the definition of ConvTranspose.
func (c convCase) transposed() grid {
	n := len(c.kernel.shape) - 2
	shape := []int{c.x.shape[0], c.kernel.shape[1] * c.groups}
	for d := range n {
		extent := c.o.Dilation[d]*(c.kernel.shape[2+d]-1) + 1
		shape = append(shape, (c.x.shape[2+d]-1)*c.o.Stride[d]-c.o.Padding[2*d]-c.o.Padding[2*d+1]+extent+
			c.o.OutputPadding[d])
	}
	y := newGrid(shape...)
	each(c.x.shape, func(at []int) {
		each(c.kernel.shape[1:], func(tap []int) {
			to := []int{at[0], at[1]/(c.x.shape[1]/c.groups)*c.kernel.shape[1] + tap[0]}
			for d := range n {
				to = append(to, at[2+d]*c.o.Stride[d]-c.o.Padding[2*d]+tap[1+d]*c.o.Dilation[d])
			}
			y.add(c.x.at(at...)*c.kernel.at(append([]int{at[1]}, tap...)...), to...)
		})
	})
	each(shape, func(at []int) { y.add(c.bias.at(at[1]), at...) })
	return y
}

// drawConv returns a convolution of n dims, for which equal options of all dims are as likely as different ones.
func drawConv(r *rand.Rand, n int, transposed bool) convCase {
	groups := []int{1, 1, 2}[r.IntN(3)]
	in, out := 2*groups, groups*(1+r.IntN(2))
	c := convCase{groups: groups, o: nn.ConvOptions{Groups: groups}, bias: drawn(r, out)}
	xs, ks := []int{1 + r.IntN(2), in}, []int{out, in / groups}
	if transposed {
		ks = []int{in, out / groups}
	}
	even := r.IntN(2) == 0
	for d := range n {
		stride, before, after, dilation := 1+r.IntN(3), r.IntN(3), r.IntN(3), 1+r.IntN(2)
		if even && d > 0 {
			stride, before, dilation = c.o.Stride[0], c.o.Padding[0], c.o.Dilation[0]
		}
		if even {
			after = before
		}
		c.o.Stride, c.o.Dilation = append(c.o.Stride, stride), append(c.o.Dilation, dilation)
		c.o.Padding = append(c.o.Padding, before, after)
		taps := 1 + r.IntN(3)
		xs, ks = append(xs, 5+r.IntN(3)), append(ks, taps)
		if transposed {
			c.o.OutputPadding = append(c.o.OutputPadding, r.IntN(max(stride, dilation)))
		}
	}
	c.x, c.kernel = drawn(r, xs...), drawn(r, ks...)
	return c
}

func TestConv(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		for n := 1; n <= dims(dev); n++ {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			for i := range draws(dev) {
				for _, dt := range []tensor.DType{tensor.F64, tensor.F32, tensor.F16} {
					c := drawConv(r, n, false)
					got := nn.Conv(c.x.tensor(dt, dev), c.kernel.tensor(dt, dev), c.bias.tensor(dt, dev), c.o)
					same(t, fmt.Sprintf("%s %d-D %d: x %v, kernel %v, %+v", dev.Location(), n, i, c.x.shape, c.kernel.shape,
						c.o), got, c.conv(), 1)
					c = drawConv(r, n, true)
					got = nn.ConvTranspose(c.x.tensor(dt, dev), c.kernel.tensor(dt, dev), c.bias.tensor(dt, dev), c.o)
					same(t, fmt.Sprintf("%s %d-D transposed %d: x %v, kernel %v, %+v", dev.Location(), n, i, c.x.shape,
						c.kernel.shape, c.o), got, c.transposed(), 1)
				}
			}
		}
	}
}

// TestConvSame: the result has the sizes of the input, and a mode pads as Pad does.
func TestConvSame(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	x, kernel := drawn(r, 1, 2, 6, 7), drawn(r, 3, 2, 3, 4)
	for _, dev := range devices(t) {
		for _, mode := range []any{nil, 0, 2.5, tensor.Replicate, tensor.Reflect, tensor.Circular} {
			xt, kt := x.tensor(tensor.F32, dev), kernel.tensor(tensor.F32, dev)
			padding := mode
			if mode == nil {
				padding = 0
			}
			want := xt.Pad(2, 1, 1, padding).Pad(3, 1, 2, padding).Conv2d(kt, 0, 1, 1, 1)
			got := nn.Conv(xt, kt, nil, nn.ConvOptions{Same: true, Mode: mode})
			same(t, fmt.Sprint(dev.Location(), " ", mode), got, grid{want.Dims(), want.Float64s()}, 1)
			same(t, "sizes", got.ZerosLike(), newGrid(1, 3, 6, 7), 0)
		}
	}
}

func TestConvSlopes(t *testing.T) {
	thorough.Slow(t)
	r := rand.New(rand.NewPCG(3, 0))
	for _, dev := range devices(t) {
		for n := 1; n <= dims(dev); n++ {
			for i := range few(dev, 3) {
				c := drawConv(r, n, false)
				x, kernel := c.x.tensor(tensor.F64, dev).Div(8), c.kernel.tensor(tensor.F64, dev).Div(8)
				what := fmt.Sprintf("%s %d-D %d: %+v", dev.Location(), n, i, c.o)
				slopes(t, what, x, func(x *tensor.Tensor) *tensor.Tensor { return nn.Conv(x, kernel, nil, c.o) })
				slopes(t, what, kernel, func(k *tensor.Tensor) *tensor.Tensor { return nn.Conv(x, k, nil, c.o) })
				c = drawConv(r, n, true)
				x, kernel = c.x.tensor(tensor.F64, dev).Div(8), c.kernel.tensor(tensor.F64, dev).Div(8)
				what = fmt.Sprintf("%s %d-D transposed %d: %+v", dev.Location(), n, i, c.o)
				slopes(t, what, x, func(x *tensor.Tensor) *tensor.Tensor { return nn.ConvTranspose(x, kernel, nil, c.o) })
				slopes(t, what, kernel, func(k *tensor.Tensor) *tensor.Tensor { return nn.ConvTranspose(x, k, nil, c.o) })
			}
		}
	}
}

// TestUnfold: a convolution is the product of its kernel with the columns, and Fold is the transpose of Unfold.
func TestUnfold(t *testing.T) {
	for _, dev := range devices(t) {
		for n := 1; n <= dims(dev); n++ {
			r := rand.New(rand.NewPCG(4, uint64(n)))
			for i := range 6 {
				c := drawConv(r, n, false)
				if c.groups > 1 {
					continue
				}
				what := fmt.Sprintf("%s %d-D %d: x %v, kernel %v, %+v", dev.Location(), n, i, c.x.shape, c.kernel.shape, c.o)
				x, window := c.x.tensor(tensor.F32, dev), c.kernel.shape[2:]
				columns := nn.Unfold(x, window, c.o)
				kernel := c.kernel.tensor(tensor.F32, dev).FlattenFrom(1)
				want := c.conv()
				y := kernel.MatMul(columns).Add(c.bias.tensor(tensor.F32, dev).Unsqueeze(1))
				same(t, what, y.Reshape(want.shape...), want, 1)

				g := drawn(r, columns.Dims()...).tensor(tensor.F32, dev)
				folded := nn.Fold(g, c.x.shape[2:], window, c.o)
				if a, b := folded.Mul(x).Sum().ToScalar(), g.Mul(columns).Sum().ToScalar(); a != b {
					t.Errorf("%s: ⟨fold(g), x⟩ is %v, ⟨g, unfold(x)⟩ %v", what, a, b)
				}
			}
		}
	}
}
