package tensor

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
	"github.com/gorocm/gorocm/tensor/internal/shapes"
)

// orderLibrary is a library on the emulated GPU. It computes on the host, with operands in the order that it is told
// they lie in.
type orderLibrary struct {
	t        *testing.T
	refuses  bool  // the channels last
	fails    error // if set, what comes of the channels last
	refused  map[rocm.Conv]bool
	computed []string
}

func (l *orderLibrary) HasDNN() bool                     { return true }
func (l *orderLibrary) Pool(*rocm.Pooling) (bool, error) { return false, nil }
func (l *orderLibrary) MayConvolve(c *rocm.Conv) bool    { return !l.refused[placeless(c)] }
func (l *orderLibrary) Convolve(c *rocm.Conv) (bool, error) {
	order := "first"
	if c.ChannelsLast {
		order = "last"
	}
	l.computed = append(l.computed, order)
	if c.ChannelsLast && l.fails != nil {
		return false, l.fails
	}
	if c.ChannelsLast && l.refuses {
		l.refused[placeless(c)] = true
		return false, nil
	}
	dt, err := ParseDType(c.Elem)
	if err != nil {
		return false, err
	}
	// how elements lie, and the dims that put them into row-major order
	ordered := func(a, b, x, y int) (shape, back []int) {
		if c.ChannelsLast {
			return []int{a, x, y, b}, firstDims
		}
		return []int{a, b, x, y}, []int{0, 1, 2, 3}
	}
	get := func(p rocm.Place, sizes ...int) *Tensor {
		shape, back := ordered(sizes[0], sizes[1], sizes[2], sizes[3])
		raw := make([]byte, backend.Product(shape)*dt.Size())
		if c.ChannelsLast && p.Offset%gpu.ChannelsLastAlignment != 0 {
			l.t.Errorf("an operand lies at byte %d", p.Offset)
		}
		if err := p.Buffer.Download(raw, p.Offset); err != nil {
			l.t.Fatal(err)
		}
		return CPU().FromBytes(dt, raw, shape...).Permute(back...)
	}
	set := func(p rocm.Place, x *Tensor) {
		if c.ChannelsLast {
			x = x.Permute(lastDims...)
		}
		raw, err := x.read("test")
		if err == nil {
			err = p.Buffer.Upload(p.Offset, raw)
		}
		if err != nil {
			l.t.Fatal(err)
		}
	}
	x := func() *Tensor { return get(c.X, c.Images, c.Channels, c.H, c.W) }
	w := func() *Tensor { return get(c.Weights, c.Outs, c.Channels/c.Groups, c.KH, c.KW) }
	y := func() *Tensor { return get(c.Y, c.Images, c.Outs, c.OH, c.OW) }
	py, px := convParams{Padding: c.Pad[0], Stride: c.Step[0], Dilation: c.Dilation[0]},
		convParams{Padding: c.Pad[1], Stride: c.Step[1], Dilation: c.Dilation[1]}
	switch c.Pass {
	case rocm.ConvForward:
		set(c.Y, must(x().convolve("test", 4, w(), c.Groups, py, px)))
	case rocm.ConvData:
		set(c.X, must(y().convolve("test", 4, w(), c.Groups, py.Adjoint(c.H, c.KH, c.OH), px.Adjoint(c.W, c.KW, c.OW))))
	case rocm.ConvWeights:
		set(c.Weights, must(x().kernelGradient("test", y(), []int{c.Outs, c.Channels / c.Groups, c.KH, c.KW}, c.Groups,
			py, px)))
	}
	return true, nil
}

func placeless(c *rocm.Conv) rocm.Conv {
	s := *c
	s.X, s.Weights, s.Y = rocm.Place{}, rocm.Place{}, rocm.Place{}
	return s
}

// onOrderLibrary is a GPU, most likely the emulated one, with that library, which gets images with the channels last
// where they lie so.
func onOrderLibrary(t *testing.T) (dev *Device, l *orderLibrary, launched *[]string) {
	t.Helper()
	dev, err := NewDevice("rocm")
	if err == nil {
		dev, err = dev.NewStream() // whose library is its own
	}
	if err != nil {
		t.Skip(err)
	}
	a := dev.backend.(*gpu.Backend)
	l, launched = &orderLibrary{t: t, refused: map[rocm.Conv]bool{}}, new([]string)
	a.DNN, a.OnLaunch = l, func(kernel string) { *launched = append(*launched, kernel) }
	platform, least := gpu.ChannelsLastOn, gpu.MinLibraryWork
	gpu.ChannelsLastOn, gpu.MinLibraryWork = a.Device().Info().Platform, 0
	t.Cleanup(func() { gpu.ChannelsLastOn, gpu.MinLibraryWork = platform, least })
	return dev, l, launched
}

// toChannelsLast puts the channels last, toChannelsFirst back.
var lastDims, firstDims = []int{0, 2, 3, 1}, []int{0, 3, 1, 2}

// orderCase is a convolution, or a gradient of one.
type orderCase struct {
	name, pass string
	in, other  []int
	run        func(in, other *Tensor) *Tensor
}

func orderCases() []orderCase {
	py, px := convParams{Padding: 1, Stride: 2, Dilation: 1}, convParams{Padding: 1, Stride: 2, Dilation: 2}
	return []orderCase{
		{"conv2d", "forward", []int{2, 8, 7, 6}, []int{16, 8, 3, 2},
			func(in, w *Tensor) *Tensor { return in.Conv2d(w, 1, 2, 1, 1) }},
		{"conv1d", "forward", []int{2, 8, 9}, []int{8, 8, 3},
			func(in, w *Tensor) *Tensor { return in.Conv1d(w, 2, 1, 2, 1) }},
		{"transposed", "data", []int{2, 16, 4, 3}, []int{16, 8, 2, 3},
			func(in, w *Tensor) *Tensor { return in.ConvTranspose2d(w, 1, 1, 2, 1) }},
		{"gradient of images", "data", []int{2, 16, 4, 3}, []int{16, 8, 3, 2}, func(g, w *Tensor) *Tensor {
			return must(g.convolve("conv", 4, w, 1, py.Adjoint(7, 3, 4), px.Adjoint(6, 2, 3)))
		}},
		{"gradient of weights", "weights", []int{2, 8, 7, 6}, []int{2, 16, 4, 3}, func(in, g *Tensor) *Tensor {
			return must(in.kernelGradient("conv", g, []int{16, 8, 3, 2}, 1, py, px))
		}},
	}
}

// channelsAtEnd is the order of dims in which the channels of images, or of lines, come last.
func channelsAtEnd(x *Tensor) []int {
	if x.Rank() == 3 {
		return []int{0, 2, 1}
	}
	return lastDims
}

// TestChannelsLast convolves with operands that lie in either order, and elsewhere than kernels of a library like:
// images are taken as they lie, the other operand is copied where it must be, results lie as the images do, and are
// those of the host.
func TestChannelsLast(t *testing.T) {
	dev, l, launched := onOrderLibrary(t)
	dense := func(x *Tensor) *Tensor { return x.ToDevice(dev) }
	last := func(x *Tensor) *Tensor {
		order := channelsAtEnd(x)
		return x.Permute(order...).Contiguous().ToDevice(dev).Permute(shapes.Inverse(order)...)
	}
	odd := func(x *Tensor) *Tensor { // behind one element
		order := channelsAtEnd(x)
		moved := x.Permute(order...)
		flat := Cat([]*Tensor{CPU().Zeros(x.DType(), 1), moved.FlattenAll()}, 0).ToDevice(dev).Narrow(0, 1,
			x.ElemCount())
		return flat.Reshape(moved.Dims()...).Permute(shapes.Inverse(order)...)
	}
	for _, dt := range []DType{F16, BF16} {
		for _, c := range orderCases() {
			in, other := smallNumbers(c.in, 3, dt), smallNumbers(c.other, 7, dt)
			want := c.run(in, other)
			for _, lie := range []struct {
				name      string
				in, other func(*Tensor) *Tensor
				copies    int
				last      bool
			}{
				{"first", dense, dense, 0, false},
				{"images last", last, dense, 1, true},
				{"other last", dense, last, 1, false},
				{"last", last, last, 0, true},
				{"odd", odd, last, 1, true},
			} {
				t.Run(fmt.Sprintf("%s/%v/%s", c.name, dt, lie.name), func(t *testing.T) {
					x, y := lie.in(in), lie.other(other)
					copies, last := lie.copies, lie.last
					order, work := "first", "convolution "+c.pass
					if last {
						order, work = "last", work+" with channels last"
					}
					if c.pass == "weights" && last { // their gradient lies in row-major order
						copies, last = copies+1, false
					}
					*launched, l.computed = nil, nil
					got := c.run(x, y)
					if n := len(*launched); fmt.Sprint(l.computed) != "["+order+"]" ||
						!slices.Contains(*launched, work+" "+dt.String()) || n != copies+1 ||
						strings.Count(fmt.Sprint(*launched), "copy") != copies {
						t.Errorf("computed with channels %v, launched %v, want %d copies and %s", l.computed, *launched,
							copies, work)
					}
					if got.IsContiguous() == last {
						t.Errorf("the result has the %v", got.Layout())
					}
					if g, w := fmt.Sprint(got.Dims(), got.DType(), got.Float64s()),
						fmt.Sprint(want.Dims(), want.DType(), want.Float64s()); g != w {
						t.Errorf("got %s, want %s", g, w)
					}
				})
			}
		}
	}
}

// TestChannelsLastRefused has a library that does not take the channels last: images are copied so that they come
// first, and no other operand is copied in vain again.
func TestChannelsLastRefused(t *testing.T) {
	dev, l, launched := onOrderLibrary(t)
	for _, c := range orderCases() {
		in, other := smallNumbers(c.in, 3, F16), smallNumbers(c.other, 7, F16)
		want, order := c.run(in, other).Float64s(), channelsAtEnd(in)
		x := in.Permute(order...).Contiguous().ToDevice(dev).Permute(shapes.Inverse(order)...)
		convolved := func(computed string, copies int) {
			t.Helper()
			*launched, l.computed = nil, nil
			got := c.run(x, other.ToDevice(dev))
			if fmt.Sprint(l.computed) != computed || strings.Count(fmt.Sprint(*launched), "copy") != copies ||
				!slices.Equal(got.Float64s(), want) {
				t.Errorf("%s: computed with channels %v, launched %v: %v, want %v", c.name, l.computed, *launched,
					got.Float64s(), want)
			}
		}
		l.fails = rocm.ErrOutOfMemory
		convolved("[last first]", 2)
		l.fails, l.refuses = nil, true
		convolved("[last first]", 2) // memory may be there the next time
		convolved("[first]", 1)
		l.refuses = false
	}
	l.fails, l.refused = errors.New("the GPU is gone"), map[rocm.Conv]bool{}
	c := orderCases()[0]
	x := smallNumbers(c.in, 3, F16).Permute(lastDims...).Contiguous().ToDevice(dev).Permute(firstDims...)
	_, err := Try(func() *Tensor { return c.run(x, smallNumbers(c.other, 7, F16).ToDevice(dev)) })
	if err == nil || !strings.Contains(err.Error(), "the GPU is gone") {
		t.Errorf("the error is %v", err)
	}
}

// TestChannelsLastBackward trains through two convolutions of images that lie with the channels last: results and
// gradients in that order go on into everything else.
func TestChannelsLastBackward(t *testing.T) {
	dev, l, _ := onOrderLibrary(t)
	in := CPU().Randn(F32, 2, 8, 5, 6).ToDType(F16)
	first, second := CPU().Randn(F32, 16, 8, 3, 3).Mul(0.2).ToDType(F16),
		CPU().Randn(F32, 8, 16, 2, 2).Mul(0.2).ToDType(F16)
	bias := CPU().Randn(F32, 1, 16, 1, 1).ToDType(F16)
	gradients := func(on func(*Tensor) *Tensor) (list [][]float64) {
		var vars []*Tensor
		for _, x := range []*Tensor{in.Permute(lastDims...).Contiguous(), first, second, bias} {
			vars = append(vars, NewVar(on(x)))
		}
		y := vars[0].Permute(firstDims...).Conv2d(vars[1], 1, 1, 1,
			1).Add(vars[3]).Relu().Permute(lastDims...).Contiguous().Permute(firstDims...)
		y = y.Conv2d(vars[2], 0, 1, 1, 1)
		grads := y.Mul(y).Flatten(1, 3).Sum(1).Mean().Backward()
		list = append(list, y.Float64s())
		for _, v := range vars {
			list = append(list, grads.Get(v).Float64s())
		}
		return list
	}
	got := gradients(func(x *Tensor) *Tensor { return x.ToDevice(dev) })
	for i, want := range gradients(func(x *Tensor) *Tensor { return x }) {
		largest := 0.0
		for _, w := range want {
			largest = max(largest, w, -w)
		}
		for j, w := range want {
			if diff := got[i][j] - w; !(max(diff, -diff) <= 0.01*largest) {
				t.Fatalf("result %d: element %d is %v, want %v", i, j, got[i][j], w)
			}
		}
	}
	if len(l.computed) != 6 || !slices.Equal(l.computed[:2], []string{"last", "last"}) ||
		!slices.Contains(l.computed[2:], "first") || !slices.Contains(l.computed[2:], "last") {
		t.Errorf("computed with channels %v, want them last forward, and in both orders back", l.computed)
	}
}
