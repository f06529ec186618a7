package selftest

import (
	"fmt"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/devicetest"
	"github.com/gorocm/gorocm/tensor/linalg"
)

// checkFactors factors matrices of the sizes that go to each kind of kernel, and to a library, in every type. What
// comes back is multiplied on the host.
func checkFactors(t devicetest.T, d *rocm.Device, dev *tensor.Device) {
	shapes := [][]int{{19, 7, 7}, {5, 32, 32}, {40, 40}, {70, 70}, {300, 300}}
	if d.Emulated() {
		shapes = shapes[:3]
	}
	for _, dt := range []tensor.DType{tensor.F32, tensor.F64, tensor.C64, tensor.C128} {
		for _, shape := range shapes {
			t.(devicetest.Runner).Run(fmt.Sprintf("%v/%v", dt, shape), func(t devicetest.T) {
				checkFactorsOf(t, dt, dev, shape)
			})
		}
	}
	info := d.Solver()
	for kind, words := range info.Refused {
		t.Errorf("%s: %s", kind, words)
	}
}

// checkFactorsOf compares products of the factors with the matrices.
func checkFactorsOf(t devicetest.T, dt tensor.DType, dev *tensor.Device, shape []int) {
	n := shape[len(shape)-1]
	a := tensor.CPU().Randn(dt.Real(), shape...)
	if dt.IsComplex() {
		a = tensor.Complex(a, tensor.CPU().Randn(dt.Real(), shape...))
	}
	p := a.MatMul(adjoint(a)).Add(tensor.CPU().Eye(dt, n)) // positive definite
	onDevice, positive := a.ToDevice(dev), p.ToDevice(dev)
	q, r := linalg.QR(onDevice)
	u, s, vh := linalg.SVD(onDevice)
	w, v := linalg.Eigh(positive)
	l := linalg.Cholesky(positive)
	x := linalg.Solve(positive, onDevice)
	exact := func(x *tensor.Tensor) *tensor.Tensor {
		if dt.IsComplex() {
			return x.ToDevice(tensor.CPU()).ToDType(tensor.C128)
		}
		return x.ToDevice(tensor.CPU()).ToDType(tensor.F64)
	}
	one := exact(tensor.CPU().Eye(dt, n))
	limit := 50 * float64(n) * map[tensor.DType]float64{tensor.F32: 0x1p-24, tensor.F64: 0x1p-53}[dt.Real()]
	for _, c := range []struct {
		what      string
		got, want *tensor.Tensor
		scale     *tensor.Tensor // of the errors, where that is not what is wanted
	}{
		{"Q·R", exact(q).MatMul(exact(r)), exact(a), nil},
		{"Qᴴ·Q", adjoint(exact(q)).MatMul(exact(q)), one.BroadcastAs(shape...), nil},
		{"U·S·Vᴴ", exact(u).Mul(exact(s).Unsqueeze(-2)).MatMul(exact(vh)), exact(a), nil},
		{"V·W·Vᴴ", exact(v).Mul(exact(w).Unsqueeze(-2)).MatMul(adjoint(exact(v))), exact(p), nil},
		{"L·Lᴴ", exact(l).MatMul(adjoint(exact(l))), exact(p), nil},
		{"P·X", exact(p).MatMul(exact(x)), exact(a), exact(p).Norm().Mul(exact(x).Norm())},
	} {
		scale := c.scale
		if scale == nil {
			scale = c.want.Norm()
		}
		if off := c.got.Sub(c.want).Norm().Div(scale).Float64s()[0]; !(off <= limit) {
			t.Errorf("%s is wrong by %.3g, at most %.3g is allowed", c.what, off, limit)
		}
	}
}

func adjoint(x *tensor.Tensor) *tensor.Tensor {
	if x = x.Transpose(-1, -2); x.DType().IsComplex() {
		return x.Conj()
	}
	return x
}
