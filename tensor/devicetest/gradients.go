package devicetest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// unlinked are operations whose results do not depend on the elements of their operands, or are step functions of
// them.
var unlinked = []string{"Eq", "Ne", "Lt", "Le", "Gt", "Ge", "Cmp", "And", "Or", "Xor", "Not",
	"IsNaN", "IsInf", "IsFinite", "IsClose",
	"ArgMax", "ArgMaxKeepDim", "ArgMax, of all", "ArgMin", "ArgMinKeepDim", "ArgMin, of all", "ArgSort",
	"ArgSortLastDim", "ZerosLike", "OnesLike",
	"FullLike", "RandLike", "RandnLike",
	"WhereCond, of the condition", "MaskedSelect, of the mask", "MaskedFill, of the mask", "Nonzero",
	"Any", "AnyKeepDim", "Any, of all", "All", "AllKeepDim", "All, of all", "CountNonzero", "CountNonzeroKeepDim",
	"SearchSorted", "Bucketize", "IsIn", "Unique",
	"SetI", "AddI", "Put", // which write
	"Trigamma", "NextAfter", // which have no rules
	"ToDType", // through types that round: differences show the steps
}

// gradientCases are typeCases, and further arguments that have gradient rules of their own.
func gradientCases() []typeCase {
	list := slices.DeleteFunc(slices.Clone(typeCases), func(c typeCase) bool {
		created := strings.HasPrefix(c.name, "dev.")
		return created || c.why == whole || strings.HasSuffix(c.name, "Set") || slices.Contains(unlinked, c.name)
	})
	add := func(name string, run func(o operands) *tensor.Tensor) {
		list = append(list, typeCase{name: name, run: run})
	}
	add("an operand that is used twice",
		func(o operands) *tensor.Tensor { x := o.x(2, 3); return x.Mul(x.Exp()).Add(x) })
	add("broadcasting both", func(o operands) *tensor.Tensor { return o.x(2, 1).Mul(o.y(3)).Div(o.x(1, 1)) })
	add("a number on the right", func(o operands) *tensor.Tensor { return o.x(2, 3).Div(3).Pow(1.5).Maximum(0.3) })
	add("Clamp with tensors", func(o operands) *tensor.Tensor { return o.x(2, 3).Clamp(o.y(3).Mul(0.3), 1.7) })
	add("Powf of 3", func(o operands) *tensor.Tensor { return o.x(2, 3).Sub(1.1).Powf(3) })
	add("Elu, Relu and Abs below 0", func(o operands) *tensor.Tensor {
		x := o.x(2, 3).Sub(1.2)
		return x.Elu(0.7).Add(x.Relu()).Mul(x.Abs())
	})
	add("Lerp with a tensor and beyond the middle", func(o operands) *tensor.Tensor {
		return o.x(2, 3).Lerp(o.y(3), o.x(2, 3).Mul(0.2)).Add(o.y(3).Lerp(o.x(2, 3), 0.75))
	})
	add("Bessel functions and Sinc near 0", func(o operands) *tensor.Tensor {
		x := o.x(2, 3).Mul(1e-3)
		return x.Sinc().Add(x.I0()).Add(x.I1()).Mul(1000)
	})
	add("Lgamma and Digamma below 0", func(o operands) *tensor.Tensor {
		x := o.x(2, 3).Mul(-0.2)
		return x.Lgamma().Add(x.Digamma())
	})
	add("Fmax, Fmin, Mod and Fmod of either sign", func(o operands) *tensor.Tensor {
		x, y := o.x(2, 3).Sub(1.7), o.y(3).Sub(0.9)
		return x.Fmax(y).Add(x.Fmin(y)).Add(x.Mod(y)).Add(x.Fmod(y)).Add(x.Hypot(y)).Add(x.Atan2(y)).Add(x.Copysign(y))
	})
	add("Sum over dims", func(o operands) *tensor.Tensor { return o.x(2, 3, 2).Sum(0, 2).Sqr() })
	add("Mean of a transposed tensor", func(o operands) *tensor.Tensor {
		return o.x(2, 3, 2).Transpose(0, 2).MeanKeepDim(1).Sqr()
	})
	add("Max of equal elements", func(o operands) *tensor.Tensor {
		x := o.x(3)
		return tensor.Cat([]*tensor.Tensor{x, x}, 0).Max()
	})
	add("Maximum of equal elements", func(o operands) *tensor.Tensor {
		x := o.x(3)
		return x.Maximum(x).Add(x.Minimum(x.Copy()))
	})
	add("Prod over dims", func(o operands) *tensor.Tensor { return o.x(2, 3, 2).Prod(0, 2) })
	add("Prod with zeros", func(o operands) *tensor.Tensor {
		x := o.x(3, 3)
		return x.Mul(o.ids([]int{3, 3}, 1, 1, 1, 1, 0, 1, 0, 1, 0).ToDType(o.dt)).Prod(1)
	})
	add("CumProd with zeros", func(o operands) *tensor.Tensor {
		x := o.x(3, 4)
		return x.Mul(o.ids([]int{3, 4}, 1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 0, 1).ToDType(o.dt)).CumProd(1)
	})
	add("CumMax of the first dim", func(o operands) *tensor.Tensor { return first(o.y(4, 3).CumMax(0)).Sqr() })
	add("LogCumSumExp of the first dim, of either sign", func(o operands) *tensor.Tensor {
		return o.x(4, 2).Sub(2).LogCumSumExp(0).Sub(1).Sqr()
	})
	for _, p := range []float64{0.5, 1, 2, 4, math.Inf(1), math.Inf(-1)} {
		add(fmt.Sprintf("NormP of %v", p), func(o operands) *tensor.Tensor { return o.x(3, 2).Sub(1.1).NormP(p, 0) })
	}
	add("Var and Std over dims", func(o operands) *tensor.Tensor {
		return o.x(2, 3, 2).VarWith(0, 0, 2).Add(o.y(2, 3, 2).Std(2, 0))
	})
	add("Median and Quantile of all", func(o operands) *tensor.Tensor {
		x := o.x(2, 3)
		return x.Median().Add(x.Quantile(0.7)).Add(x.NanQuantile(0.2))
	})
	nans := func(o operands) *tensor.Tensor {
		return o.ids([]int{2, 3}, 0, 1, 0, 0, 0, 0).WhereCond(math.NaN(), o.x(2, 3))
	}
	for _, method := range []string{"NanSum", "NanMean", "NanMax", "NanMin", "NanVar", "NanMedian"} {
		add(method+" with NaN", func(o operands) *tensor.Tensor { return call(nans(o), method, 1) })
	}
	add("Diff twice of the first dim", func(o operands) *tensor.Tensor { return o.x(4, 2).Diff(2, 0).Sqr() })
	add("LogSumExp over dims", func(o operands) *tensor.Tensor { return o.x(2, 3, 2).LogSumExp(0, 2) })
	add("Softmax of the first dim", func(o operands) *tensor.Tensor { return o.x(3, 2).Softmax(0) })
	add("LogSoftmax of the first dim", func(o operands) *tensor.Tensor { return o.x(3, 2).LogSoftmax(0) })
	add("CumSum of the first dim", func(o operands) *tensor.Tensor { return o.x(3, 2).CumSum(0).Sqr() })

	add("MatMul of vectors and matrices",
		func(o operands) *tensor.Tensor { return o.x(3).MatMul(o.y(3, 2)).MatMul(o.x(2)) })
	add("MatMul of batches", func(o operands) *tensor.Tensor { return o.x(2, 1, 2, 3).MatMul(o.y(3, 3, 2)) })
	add("MatMul of a batch and a matrix", func(o operands) *tensor.Tensor { return o.x(2, 2, 3).MatMul(o.y(3, 2)) })
	add("MatMul of a matrix and a batch", func(o operands) *tensor.Tensor { return o.x(2, 3).MatMul(o.y(2, 3, 2)) })
	add("MatMul of transposed matrices", func(o operands) *tensor.Tensor { return o.x(3, 2).T().MatMul(o.y(2, 3).T()) })
	add("MatMul of a vector and a batch", func(o operands) *tensor.Tensor { return o.x(3).MatMul(o.y(2, 3, 2)) })

	add("IndexSelect with repetitions, dim 1",
		func(o operands) *tensor.Tensor { return o.x(2, 3).IndexSelect(o.ids([]int{4}, 1, 1, 0, 1), 1).Sqr() })
	add("Gather with repetitions", func(o operands) *tensor.Tensor {
		return o.x(2, 3).Gather(o.ids([]int{2, 2}, 1, 1, 2, 2), 1).Sqr()
	})
	add("IndexAdd of dim 1", func(o operands) *tensor.Tensor {
		return o.x(2, 3).IndexAdd(o.ids([]int{2}, 2, 2), o.y(2, 2), 1).Sqr()
	})
	for _, reduce := range []string{"sum", "mean", "prod", "amax", "amin"} {
		for _, self := range []bool{true, false} {
			add(fmt.Sprintf("ScatterReduce to %s, %v", reduce, self), func(o operands) *tensor.Tensor {
				y := o.y(2, 4).Mul(o.ids([]int{2, 4}, 1, 0, 1, 1, 0, 1, 0, 1).ToDType(o.dt))
				ids := o.ids([]int{2, 4}, 0, 0, 2, 2, 1, 1, 1, 0)
				return o.x(2, 3).Sub(1.5).ScatterReduce(ids, y, 1, reduce, self).Sqr()
			})
		}
	}
	add("I with steps", func(o operands) *tensor.Tensor { return o.x(5, 3).I(tensor.All.By(2), -1).Sqr() })
	add("Unfold with overlaps", func(o operands) *tensor.Tensor { return o.x(2, 7, 2).Unfold(1, 3, 2).Sqr() })
	add("SliceAssign with steps", func(o operands) *tensor.Tensor {
		return o.x(4, 2).SliceAssign([]tensor.Range{tensor.All.By(2), tensor.R(0, 1)}, o.y(2, 1)).Sqr()
	})
	add("Split and Cat", func(o operands) *tensor.Tensor {
		p := o.x(5, 2).Split(2, 0)
		return tensor.Cat([]*tensor.Tensor{p[2], p[0].Sqr(), p[1]}, 0)
	})
	add("Narrow to parts that overlap, with gaps, of a transposed tensor", func(o operands) *tensor.Tensor {
		x := o.x(3, 7).T()
		y := x.Narrow(0, 0, 2).Mul(x.Narrow(0, 3, 2)).Add(x.Narrow(0, 4, 2).Sqr())
		return y.Mul(x.Narrow(1, 1, 1).Narrow(0, 2, 2)).Add(o.y(3, 7).T().Narrow(0, 1, 2)).Sqr()
	})
	add("Chunk of a dim in the middle", func(o operands) *tensor.Tensor {
		p := o.x(2, 2, 6).Transpose(1, 2).Chunk(3, 1)
		return p[0].Mul(p[2]).Add(p[1].Exp())
	})
	add("Sort and Flip", func(o operands) *tensor.Tensor { return first(o.y(2, 3).Flip(0, 1).Sort(0, false)).Sqr() })

	add("TopK of the first dim", func(o operands) *tensor.Tensor { return first(o.y(4, 3).TopK(2, 0, false)).Sqr() })
	add("MaskedSelect by a mask that is broadcast",
		func(o operands) *tensor.Tensor { return o.x(3, 2).MaskedSelect(o.ids([]int{3, 1}, 1, 0, 2)).Sqr() })
	add("MaskedSelect of a tensor that is broadcast", func(o operands) *tensor.Tensor {
		return o.x(2).MaskedSelect(o.ids([]int{3, 2}, 1, 0, 1, 1, 0, 1)).Sqr()
	})
	add("MaskedSelect of nothing", func(o operands) *tensor.Tensor {
		x := o.x(3)
		return x.MaskedSelect(x.Gt(1000)).Sum().Add(x.Sum())
	})
	add("I with a mask of rows", func(o operands) *tensor.Tensor {
		x := o.x(3, 2)
		return x.I(x.I(":, 0").Gt(1)).Sqr()
	})
	add("I with a mask of all dims", func(o operands) *tensor.Tensor { x := o.x(3, 2); return x.I(x.Gt(2)).Sqr() })
	add("I with a mask of two dims of three", func(o operands) *tensor.Tensor {
		return o.x(2, 2, 2).I(o.ids([]int{2, 2}, 1, 0, 1, 1).ToDType(tensor.Bool), -1).Sqr()
	})
	add("MaskedFill with a tensor", func(o operands) *tensor.Tensor {
		return o.x(2, 3).MaskedFill(o.ids([]int{3}, 1, 0, 1), o.y(1).Sum()).Sqr()
	})

	add("Conv1d with everything", func(o operands) *tensor.Tensor {
		return o.x(2, 4, 9).Conv1d(o.y(6, 2, 3), 2, 2, 2, 2)
	})
	add("Conv2d with stride and padding",
		func(o operands) *tensor.Tensor { return o.x(2, 2, 6, 5).Conv2d(o.y(3, 2, 3, 2), 1, 2, 1, 1) })
	add("Conv2d with dilation and groups",
		func(o operands) *tensor.Tensor { return o.x(1, 4, 6, 7).Conv2d(o.y(4, 2, 2, 3), 1, 1, 2, 2) })
	add("Conv2d of each channel", func(o operands) *tensor.Tensor {
		return o.x(2, 3, 5, 5).Conv2d(o.y(6, 1, 2, 2), 0, 2, 1, 3)
	})
	add("Conv2d with a kernel of 1", func(o operands) *tensor.Tensor {
		return o.x(2, 3, 2, 2).Conv2d(o.y(2, 3, 1, 1), 0, 1, 1, 1)
	})
	add("ConvTranspose1d with everything", func(o operands) *tensor.Tensor {
		return o.x(2, 4, 5).ConvTranspose1d(o.y(4, 3, 3), 1, 1, 2, 2, 2)
	})
	add("ConvTranspose2d with everything",
		func(o operands) *tensor.Tensor { return o.x(2, 2, 3, 3).ConvTranspose2d(o.y(2, 3, 3, 2), 1, 1, 2, 2) })
	add("ConvTranspose1d with an output padding above its stride",
		func(o operands) *tensor.Tensor { return o.x(2, 4, 5).ConvTranspose1d(o.y(4, 3, 2), 0, 2, 1, 3, 2) })
	add("ConvTranspose2d with an output padding of its stride",
		func(o operands) *tensor.Tensor { return o.x(2, 3, 4, 3).ConvTranspose2d(o.y(3, 2, 2, 2), 0, 1, 1, 2) })
	add("MaxPool2d that leaves a rest", func(o operands) *tensor.Tensor {
		return o.x(2, 1, 5, 6).MaxPool2dWithStride(2, 3, 2, 1)
	})
	add("AvgPool2d that leaves a rest", func(o operands) *tensor.Tensor {
		return o.x(2, 1, 6, 5).AvgPool2dWithStride(3, 2, 2, 2)
	})
	add("UpsampleNearest2d to less", func(o operands) *tensor.Tensor { return o.x(1, 2, 5, 4).UpsampleNearest2d(3, 7) })
	add("UpsampleBilinear2d to other sizes",
		func(o operands) *tensor.Tensor { return o.x(1, 2, 3, 4).UpsampleBilinear2d(5, 3, false) })

	add("SiluMul", func(o operands) *tensor.Tensor { return o.x(2, 3).SiluMul(o.y(2, 3)) })
	add("AddRmsNorm", func(o operands) *tensor.Tensor {
		sum, normed := o.x(2, 8).AddRmsNorm(o.y(2, 8), o.y(8), 1e-5)
		return sum.Mul(normed)
	})
	add("Rope with more positions and heads",
		func(o operands) *tensor.Tensor { return o.x(2, 3, 2, 4).Rope(o.y(4, 2), o.y(4, 2)) })
	add("RopeI of batches", func(o operands) *tensor.Tensor {
		return o.x(2, 2, 2, 4).RopeI(o.y(2, 2, 2), o.y(2, 2, 2))
	})
	add("RopeThd of heads", func(o operands) *tensor.Tensor { return o.x(2, 2, 3, 4).RopeThd(o.y(2, 2), o.y(2, 2)) })
	add("LayerNorm of rank 3", func(o operands) *tensor.Tensor { return o.x(2, 2, 3).LayerNorm(o.y(3), o.y(3), 1e-5) })

	add("nn.CrossEntropy", func(o operands) *tensor.Tensor {
		return nn.CrossEntropy(o.x(3, 4), o.ids([]int{3}, 1, 3, 0))
	})
	add("nn.BinaryCrossEntropyWithLogits",
		func(o operands) *tensor.Tensor { return nn.BinaryCrossEntropyWithLogits(o.x(4), o.y(4).Mul(0.3)) })
	add("nn.Huber", func(o operands) *tensor.Tensor { return nn.Huber(o.x(6), o.y(6), 0.4) })
	add("nn.Swiglu", func(o operands) *tensor.Tensor { return nn.Swiglu(o.x(2, 6)) })
	add("nn.GroupNorm", func(o operands) *tensor.Tensor { return nn.GroupNorm(o.x(2, 4, 2), 2, o.y(4), o.y(4), 1e-5) })
	add("nn.BatchNorm", func(o operands) *tensor.Tensor {
		b := nn.NewBatchNorm(2, o.dt, o.dev)
		b.Weight, b.Bias = o.y(2), o.y(2)
		return b.ForwardT(o.x(3, 2, 2), true)
	})
	add("nn.LSTM", func(o operands) *tensor.Tensor {
		l := &nn.LSTM{WeightIH: o.x(8, 3).Mul(0.1), WeightHH: o.y(8, 2).Mul(0.1)}
		states := l.Seq(o.y(1, 2, 3), l.ZeroState(1))
		return states[1].H.Add(states[0].C)
	})
	return append(list, complexGradientCases()...)
}

// Gradients compares the gradients of every operation that has some with differences of its results in F64 on the
// CPU, and the gradients that dev computes in F32 and F16 with those. It fails for an operation of the table without
// a rule.
func Gradients(t *testing.T, dev *tensor.Device) {
	t.Run("where there is no derivative", func(t *testing.T) { gradientsWithoutDerivative(t, dev) })
	for n, c := range thorough.Sample(gradientCases(), 1, 0) {
		t.Run(c.name, func(t *testing.T) {
			want := c.gradients(t, tensor.F64, tensor.CPU())
			if want == nil {
				return
			}
			if dev.IsCPU() {
				c.checkDifferences(t, want)
			}
			for _, dt := range emulatedSample(dev, []tensor.DType{tensor.F32, tensor.F16}, 2, n) {
				got, eps := c.gradients(t, dt, dev), ulp(dt, 1)/2
				for i, w := range want {
					scale := 1.0
					for _, v := range w {
						scale = max(scale, math.Abs(v))
					}
					for k, v := range w {
						if !(math.Abs(got[i][k]-v) <= 200*eps*scale) {
							t.Errorf("%v of operand %d on %v: element %d is %v, in f64 %v", dt, i, dev, k, got[i][k], v)
							break
						}
					}
				}
			}
		})
	}
}

// uneven makes an operand whose elements differ, by a little that all element types hold: x/2 + i/64 + operand/32.
func uneven(x *tensor.Tensor, operand int) *tensor.Tensor {
	n := x.ElemCount()
	shift := tensor.CPU().Arange(tensor.F64, float64(n)).Mul(1.0 / 64).Reshape(x.Dims()...)
	return x.ToDevice(tensor.CPU()).ToDType(tensor.F64).Mul(0.5).Add(shift).Add(float64(operand+1) / 32)
}

// loss is a sum of the elements with weights that differ.
func (c typeCase) loss(out *tensor.Tensor) *tensor.Tensor {
	w := tensor.CPU().Arange(tensor.F64, float64(out.ElemCount())).Affine(1.0/16, 0.5)
	return out.Mul(w.ToDType(out.DType()).ToDevice(out.Device()).Reshape(out.Dims()...)).Sum()
}

// gradients returns those of the operands of a case, in the order in which it asks for them; nil after an error.
func (c typeCase) gradients(t *testing.T, dt tensor.DType, dev *tensor.Device) (grads [][]float64) {
	t.Helper()
	var vars []*tensor.Tensor
	o := operands{dt: dt, dev: dev, leaf: func(x *tensor.Tensor) *tensor.Tensor {
		v := tensor.NewVar(uneven(x, len(vars)).ToDType(dt).ToDevice(dev))
		vars = append(vars, v)
		return v
	}}
	_, err := tensor.Try(func() *tensor.Tensor {
		out := c.run(o)
		if !out.TrackOp() {
			t.Error("the result has forgotten its operands")
			return nil
		}
		store := c.loss(out).Backward()
		for _, v := range vars {
			if g := store.Get(v); g != nil {
				grads = append(grads, g.Float64s())
			} else {
				grads = append(grads, make([]float64, v.ElemCount()))
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("%v on %v: %+v", dt, dev, err)
		return nil
	}
	return grads
}

// checkDifferences compares gradients with central differences of the loss.
func (c typeCase) checkDifferences(t *testing.T, grads [][]float64) {
	t.Helper()
	const h = 1e-5
	lossAt := func(operand, element int, d float64) float64 {
		at := 0
		out := c.run(operands{dt: tensor.F64, dev: tensor.CPU(), leaf: func(x *tensor.Tensor) *tensor.Tensor {
			x = uneven(x, at)
			if at == operand {
				values := x.Float64s()
				values[element] += d
				x = tensor.CPU().FromSlice(values, x.Dims()...)
			}
			at++
			return x
		}})
		return c.loss(out).ToScalar()
	}
	for i, g := range grads {
		for k, v := range g {
			want := (lossAt(i, k, h) - lossAt(i, k, -h)) / (2 * h)
			if !(math.Abs(v-want) <= 1e-6*(1+math.Abs(want))) {
				t.Errorf("operand %d: the derivative by element %d is %v, differences give %v", i, k, v,
					fmt.Sprintf("%.8g", want))
				return
			}
		}
	}
}
