package devicetest

import (
	"fmt"
	"math"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
)

// rowGradient is an operation on rows whose gradients GPUs compute by kernels of their own.
type rowGradient struct {
	name     string
	operands int // of the shape of x, and after that vectors as long as its rows
	vectors  int
	run      func(o []*tensor.Tensor) *tensor.Tensor
}

var rowGradients = []rowGradient{
	{"rms norm", 1, 1, func(o []*tensor.Tensor) *tensor.Tensor { return o[0].RmsNorm(o[1], 1e-5) }},
	{"layer norm", 1, 2, func(o []*tensor.Tensor) *tensor.Tensor { return o[0].LayerNorm(o[1], o[2], 1e-5) }},
	{"softmax", 1, 0, func(o []*tensor.Tensor) *tensor.Tensor { return o[0].Softmax(-1) }},
	{"log softmax", 1, 0, func(o []*tensor.Tensor) *tensor.Tensor { return o[0].LogSoftmax(-1) }},
	{"silu mul", 2, 0, func(o []*tensor.Tensor) *tensor.Tensor { return o[0].SiluMul(o[1]) }},
}

// RowGradients compares gradients of operations on rows, of lengths for which kernels differ, with those that are
// composed in F64 on the CPU. Some operands are views, and some no variables.
func RowGradients(t *testing.T, dev *tensor.Device) {
	shapes := [][]int{{1, 1}, {3, 7}, {5, 24}, {2, 3, 100}, {700, 16}, {9, 768}, {2, 4100}, {2, 5000}, {1, 8200},
		{2, 16500}}
	for _, op := range rowGradients {
		for i, shape := range shapes {
			if i%3 != len(op.name)%3 && i > 5 && !thorough.On() {
				continue
			}
			for n, dt := range []tensor.DType{tensor.F64, tensor.F32, tensor.F16, tensor.BF16} {
				eps := map[tensor.DType]float64{
					tensor.F64: 0x1p-50, tensor.F32: 0x1p-23, tensor.F16: 0x1p-11, tensor.BF16: 0x1p-8,
				}[dt]
				for _, variant := range emulatedSample(dev, []int{0, 1, 2}, 3, i+n) {
					name := fmt.Sprintf("%s of %v, %v, variant %d", op.name, shape, dt, variant)
					got := op.gradients(dev, shape, dt, dt, variant)
					want := op.gradients(tensor.CPU(), shape, dt, tensor.F64, variant)
					for k := range want {
						if (got[k] == nil) != (want[k] == nil) {
							t.Fatalf("%s: operand %d has no gradient", name, k)
						}
						terms := 1.0
						if k >= op.operands { // sums over the rows
							terms = float64(count(shape) / shape[len(shape)-1])
						}
						compareSlopes(t, fmt.Sprintf("%s, operand %d", name, k), got[k], want[k], eps*math.Sqrt(terms))
					}
				}
			}
		}
	}
}

// emulatedSample is thorough.Sample on emulated devices, and the whole list on others.
func emulatedSample[T any](dev *tensor.Device, list []T, every, offset int) []T {
	if !dev.Emulated() {
		return list
	}
	return thorough.Sample(list, every, offset)
}

// gradients are those of the operands of an operation on dev, from numbers of type dt, computed in another type.
// Variant 1 has transposed operands, 2 has but one variable.
func (op rowGradient) gradients(dev *tensor.Device, shape []int, dt, in tensor.DType, variant int) [][]float64 {
	draw := func(shape []int, seed float64) *tensor.Tensor {
		x := tensor.CPU().Arange(tensor.F64, float64(count(shape)))
		x = x.Add(1).Mul(0.37 + seed/16).Sin().Mul(2).Add(seed / 8).Reshape(shape...)
		if variant == 1 && len(shape) > 1 {
			x = x.T().Copy().T()
		}
		return x.ToDType(dt).ToDType(in).ToDevice(dev)
	}
	var list []*tensor.Tensor
	for k := range op.operands + op.vectors {
		s := shape
		if k >= op.operands {
			s = shape[len(shape)-1:]
		}
		x := draw(s, float64(k+1))
		if variant != 2 || k == op.operands+op.vectors-1 {
			x = tensor.NewVar(x)
		}
		list = append(list, x)
	}
	y := op.run(list)
	store := y.BackwardWith(draw(shape, -1))
	out := make([][]float64, len(list))
	for k, x := range list {
		if g := store.Get(x); g != nil {
			out[k] = g.FlattenAll().Float64s()
		}
	}
	return out
}

// compareSlopes compares with an error of eps times the largest number, which terms of the sums have.
func compareSlopes(t *testing.T, name string, got, want []float64, eps float64) {
	t.Helper()
	scale := 0.0
	for _, w := range want {
		scale = max(scale, math.Abs(w))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= 8*eps*(scale+1)) {
			t.Fatalf("%s: element %d is %v, want %v", name, i, got[i], w)
		}
	}
}

// SelectGradients compares gradients of selected rows with those of the CPU, in every bit: sums are made in the order
// of the ids.
func SelectGradients(t *testing.T, dev *tensor.Device) {
	gradient := func(dev *tensor.Device, dt, id tensor.DType, rows, cols, count int) *tensor.Tensor {
		table := tensor.NewVar(dev.Zeros(dt, rows, cols))
		ids := tensor.CPU().Arange(tensor.I64, float64(count)).Mul(7).Sqr().Mod(rows).ToDType(id)
		g := tensor.CPU().Arange(tensor.F64, float64(count*cols)).Sin().Reshape(count, cols)
		y := table.IndexSelect(ids.ToDevice(dev), 0)
		return y.BackwardWith(g.ToDType(dt).ToDevice(dev)).Get(table)
	}
	for n, dt := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16} {
		for i, id := range []tensor.DType{tensor.U32, tensor.I64, tensor.U8, tensor.I32} {
			sizes := [][3]int{{11, 8, 300}, {200, 3, 64}, {5, 1040, 9}, {1, 1, 1}}
			for _, s := range emulatedSample(dev, sizes, 4, n+i) {
				rows, cols, count := s[0], s[1]+i, s[2]
				got, want := gradient(dev, dt, id, rows, cols, count), gradient(tensor.CPU(), dt, id, rows, cols, count)
				same(t, fmt.Sprintf("%d rows of %d %v by %d ids of %v", rows, cols, dt, count, id),
					got.ToDevice(tensor.CPU()), want)
			}
		}
	}
}
