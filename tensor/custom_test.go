package tensor_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// scaled computes x·by on the host, and with ROCmForward elsewhere.
type scaled struct{ by float64 }

func (scaled) Name() string { return "scaled" }

func (s scaled) CPUForward(x *tensor.Tensor) (*tensor.Tensor, error) {
	out := x.Copy()
	for i, v := range out.Data().([]float32) {
		out.Data().([]float32)[i] = v * float32(s.by)
	}
	return out, nil
}

type scaledGPU struct{ scaled }

func (s scaledGPU) ROCmForward(x *tensor.Tensor) (*tensor.Tensor, error) { return x.Mul(s.by), nil }

func (s scaledGPU) Backward(x, result, grad *tensor.Tensor) (*tensor.Tensor, error) {
	return grad.Mul(s.by), nil
}

// blend computes x·y + z.
type blend struct{}

func (blend) Name() string { return "blend" }

func (blend) CPUForward(x, y, z *tensor.Tensor) (*tensor.Tensor, error) { return x.Mul(y).Add(z), nil }

func (blend) ROCmForward(x, y, z *tensor.Tensor) (*tensor.Tensor, error) {
	return x.Mul(y).Add(z), nil
}

type product struct{}

func (product) Name() string { return "product" }

func (product) CPUForward(x, y *tensor.Tensor) (*tensor.Tensor, error) { return x.Mul(y), nil }

func (product) ROCmForward(x, y *tensor.Tensor) (*tensor.Tensor, error) { return x.Mul(y), nil }

// negated works in place.
type negated struct{}

func (negated) Name() string { return "negated" }

func (negated) CPUForward(x *tensor.Tensor) error {
	x.CopySet(x.Neg())
	return nil
}

func (n negated) ROCmForward(x *tensor.Tensor) error { return n.CPUForward(x) }

type added struct{}

func (added) Name() string { return "added" }

func (added) CPUForward(x, y *tensor.Tensor) error {
	x.CopySet(x.Add(y))
	return nil
}

func (a added) ROCmForward(x, y *tensor.Tensor) error { return a.CPUForward(x, y) }

type addedProduct struct{}

func (addedProduct) Name() string { return "added product" }

func (addedProduct) CPUForward(x, y, z *tensor.Tensor) error {
	x.CopySet(x.Add(y.Mul(z)))
	return nil
}

func (a addedProduct) ROCmForward(x, y, z *tensor.Tensor) error { return a.CPUForward(x, y, z) }

func TestCustomOps(t *testing.T) {
	for _, spec := range []string{"cpu", "rocm"} {
		t.Run(spec, func(t *testing.T) {
			dev := device(t, spec)
			x, y, z := tensor.Of(1, 2).To(dev), tensor.Of(3, 4).To(dev), tensor.Of(5, 6).To(dev)
			for name, c := range map[string]struct {
				got  *tensor.Tensor
				want []float64
			}{
				"one":   {x.ApplyOp1(scaledGPU{scaled{3}}), []float64{3, 6}},
				"two":   {x.ApplyOp2(y, product{}), []float64{3, 8}},
				"three": {x.ApplyOp3(y, z, blend{}), []float64{8, 14}},
			} {
				if got := c.got.ToVec1(); !slices.Equal(got, c.want) || c.got.Device() != dev {
					t.Errorf("%s: %v on %v, want %v", name, got, c.got.Device(), c.want)
				}
			}
			x.InplaceOp1(negated{})
			y.InplaceOp2(z, added{})
			z.Narrow(0, 1, 1).InplaceOp3(x.Narrow(0, 0, 1), y.Narrow(0, 0, 1), addedProduct{})
			for name, c := range map[string]struct {
				got  *tensor.Tensor
				want []float64
			}{"one": {x, []float64{-1, -2}}, "two": {y, []float64{8, 10}}, "three": {z, []float64{5, -2}}} {
				if got := c.got.ToVec1(); !slices.Equal(got, c.want) {
					t.Errorf("%s in place: %v, want %v", name, got, c.want)
				}
			}
		})
	}
}

// failing returns what it holds.
type failing struct {
	out *tensor.Tensor
	err error
}

func (failing) Name() string { return "failing" }

func (f failing) CPUForward(*tensor.Tensor) (*tensor.Tensor, error) { return f.out, f.err }

func TestCustomOpMistakes(t *testing.T) {
	rocm := device(t, "rocm")
	x := tensor.Of(1, 2)
	cause := errors.New("no luck today")
	for name, c := range map[string]struct {
		run  func() *tensor.Tensor
		kind error
		want string
	}{
		"no GPU": {func() *tensor.Tensor { return x.To(rocm).ApplyOp1(scaled{2}) }, tensor.ErrDevice,
			"computes on the CPU only, and its operand is on rocm:0"},
		"two devices": {func() *tensor.Tensor { return x.ApplyOp2(x.To(rocm), product{}) }, tensor.ErrDevice,
			"different devices"},
		"nil operand": {func() *tensor.Tensor { return x.ApplyOp3(x, nil, blend{}) }, tensor.ErrShape,
			"operand 3 is nil"},
		"no result": {func() *tensor.Tensor { return x.ApplyOp1(failing{}) }, tensor.ErrShape,
			"no tensor and no error"},
		"other device": {func() *tensor.Tensor { return x.ApplyOp1(failing{out: x.To(rocm)}) }, tensor.ErrDevice,
			"given tensors on cpu and returned one on rocm:0"},
		"own error": {func() *tensor.Tensor { return x.ApplyOp1(failing{err: cause}) }, cause,
			"failing: no luck today"},
		"repeating view": {func() *tensor.Tensor { x.BroadcastAs(3, 2).InplaceOp1(negated{}); return nil },
			tensor.ErrShape, "repeat"},
	} {
		_, err := tensor.Try(c.run)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q of kind %v", name, err, c.want, c.kind)
		}
	}
}

func TestData(t *testing.T) {
	x := tensor.Arange(6).Reshape(2, 3)
	row := x.Narrow(0, 1, 1).Data().([]float32)
	if !slices.Equal(row, []float32{3, 4, 5}) {
		t.Errorf("the second row is %v", row)
	}
	row[0] = 7
	if got := x.FlattenAll().ToVec1(); got[3] != 7 {
		t.Errorf("what was written is not in the tensor: %v", got)
	}
	for dt, want := range map[tensor.DType]any{
		tensor.U8: []uint8{1}, tensor.U32: []uint32{1}, tensor.I16: []int16{1}, tensor.I32: []int32{1},
		tensor.I64: []int64{1}, tensor.F64: []float64{1},
		tensor.BF16: []uint16{0x3f80}, tensor.F16: []uint16{0x3c00}, tensor.F8E4M3: []uint8{0x38},
	} {
		got := tensor.CPU().Ones(dt, 1).Data()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %v, want %v", dt, got, want)
		}
	}
	for kind, wrong := range map[error]*tensor.Tensor{tensor.ErrDevice: tensor.Of(1).To(device(t, "rocm")),
		tensor.ErrShape: x.T()} {
		if _, err := tensor.Try(func() *tensor.Tensor { wrong.Data(); return nil }); !errors.Is(err, kind) {
			t.Errorf("got %v, want a %v error", err, kind)
		}
	}
}
