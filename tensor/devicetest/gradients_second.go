package devicetest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// withoutSecond are the cases whose gradients have no gradients, and say so: they need the derivative of Trigamma.
var withoutSecond = []string{"Digamma", "Lgamma and Digamma below 0"}

// SecondGradients compares gradients of gradients of every operation that has some with differences of its gradients,
// in F64 on dev. What is not recorded counts as 0, so an operation that forgets a part of its gradient's graph fails.
func SecondGradients(t *testing.T, dev *tensor.Device) {
	for _, c := range gradientCases() {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.secondGradients(dev)
			if slices.Contains(withoutSecond, c.name) {
				if !errors.Is(err, tensor.ErrGradient) {
					t.Errorf("%v, want an error of kind ErrGradient", err)
				}
				return
			}
			if err != nil {
				t.Fatalf("%+v", err)
			}
			c.checkSecondDifferences(t, dev, got)
		})
	}
}

// variables makes operands of variables. It adds d to an element of one of them.
func (c typeCase) variables(dev *tensor.Device, operand, element int, d float64) (o operands, vars *[]*tensor.Tensor) {
	vars = new([]*tensor.Tensor)
	o = operands{dt: tensor.F64, dev: dev, leaf: func(x *tensor.Tensor) *tensor.Tensor {
		x = uneven(x, len(*vars))
		if len(*vars) == operand {
			values := x.Float64s()
			values[element] += d
			x = tensor.CPU().FromSlice(values, x.Dims()...)
		}
		v := tensor.NewVar(x.ToDevice(dev))
		*vars = append(*vars, v)
		return v
	}}
	return o, vars
}

// weighted is a sum of gradients with weights that differ.
func weighted(store *tensor.GradStore, vars []*tensor.Tensor) *tensor.Tensor {
	var sum *tensor.Tensor
	for i, v := range vars {
		g := store.Get(v)
		if g == nil {
			continue
		}
		w := g.Device().Arange(tensor.F64, float64(g.ElemCount())).Mul(0.37).Add(float64(i) + 0.2).Cos()
		if term := g.Mul(w.Reshape(g.Dims()...)).Sum(); sum == nil {
			sum = term
		} else {
			sum = sum.Add(term)
		}
	}
	return sum
}

// secondGradients returns the gradients of the weighted sum of the gradients.
func (c typeCase) secondGradients(dev *tensor.Device) (grads [][]float64, err error) {
	_, err = tensor.Try(func() *tensor.Tensor {
		o, vars := c.variables(dev, -1, 0, 0)
		sum := weighted(c.loss(c.run(o)).BackwardGraph(nil), *vars)
		var store *tensor.GradStore
		if sum != nil && sum.TrackOp() {
			store = sum.Backward()
		}
		for _, v := range *vars {
			g := make([]float64, v.ElemCount())
			if store != nil && store.Get(v) != nil {
				g = store.Get(v).Float64s()
			}
			grads = append(grads, g)
		}
		return nil
	})
	return grads, err
}

func (c typeCase) checkSecondDifferences(t *testing.T, dev *tensor.Device, grads [][]float64) {
	t.Helper()
	const h = 1e-5
	sumAt := func(operand, element int, d float64) float64 {
		o, vars := c.variables(dev, operand, element, d)
		if sum := weighted(c.loss(c.run(o)).Backward(), *vars); sum != nil {
			return sum.ToScalar()
		}
		return 0
	}
	for i, g := range grads {
		for k, v := range g {
			want := (sumAt(i, k, h) - sumAt(i, k, -h)) / (2 * h)
			if !(math.Abs(v-want) <= 1e-5*(1+math.Abs(want))) {
				t.Errorf("operand %d: the second derivative by element %d is %v, differences give %v", i, k, v,
					fmt.Sprintf("%.8g", want))
				return
			}
		}
	}
}
