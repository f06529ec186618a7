package linalg_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/linalg"
)

// byDefinition computes an equation without "..." by loops over all labels. The last dims of operands run fastest.
func byDefinition(inputs []string, out string, operands []*tensor.Tensor) []float64 {
	size := map[rune]int{}
	for i, in := range inputs {
		for d, l := range in {
			size[l] = max(size[l], operands[i].Dim(d))
		}
	}
	var labels []rune
	for l := range size {
		labels = append(labels, l)
	}
	at := map[rune]int{}
	index := func(text string, x *tensor.Tensor) int {
		i := 0
		for d, l := range text {
			n := size[l]
			if x != nil {
				n = x.Dim(d)
			}
			i = i*n + min(at[l], n-1) // dims of size 1 are broadcast
		}
		return i
	}
	n := 1
	for _, l := range out {
		n *= size[l]
	}
	result, values := make([]float64, n), make([][]float64, len(operands))
	for i, x := range operands {
		values[i] = x.Float64s()
	}
	for {
		term := 1.0
		for i, in := range inputs {
			term *= values[i][index(in, operands[i])]
		}
		result[index(out, nil)] += term
		k := 0
		for ; k < len(labels); k++ {
			if at[labels[k]]++; at[labels[k]] < size[labels[k]] {
				break
			}
			at[labels[k]] = 0
		}
		if k == len(labels) {
			return result
		}
	}
}

// TestEinsumRandom: equations with all there is in them, of small integers, so that results are exact.
func TestEinsumRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for range 150 {
			size := map[byte]int{}
			for l := byte('a'); l <= 'e'; l++ {
				size[l] = 1 + rng.IntN(3)
			}
			var inputs []string
			var operands []*tensor.Tensor
			used := map[byte]bool{}
			for range 1 + rng.IntN(4) {
				var in []byte
				shape := []int{}
				for range rng.IntN(4) {
					l := 'a' + byte(rng.IntN(5))
					n := size[l]
					if rng.IntN(6) == 0 {
						n = 1
					}
					in, shape, used[l] = append(in, l), append(shape, n), true
				}
				count := 1
				for _, n := range shape {
					count *= n
				}
				v := make([]float64, count)
				for i := range v {
					v[i] = float64(rng.IntN(7) - 3)
				}
				inputs, operands = append(inputs, string(in)), append(operands, dev.FromSlice(v, shape...))
			}
			var out []byte
			for l := range used {
				if rng.IntN(2) == 0 {
					out = append(out, l)
				}
			}
			slices.Sort(out)
			rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
			equation := strings.Join(inputs, ",") + "->" + string(out)
			got := linalg.Einsum(equation, operands...)
			if want := byDefinition(inputs, string(out), operands); !slices.Equal(got.Float64s(), want) {
				t.Fatalf("%s: %v, want %v", equation, got.Float64s(), want)
			}
		}
	})
}

func TestEinsum(t *testing.T) {
	dev := tensor.CPU()
	a, b := draw(1, []int{2, 3, 4}, tensor.F64, dev), draw(2, []int{2, 4, 5}, tensor.F64, dev)
	c := draw(3, []int{5}, tensor.F64, dev)
	for _, e := range []struct {
		equation string
		operands []*tensor.Tensor
		want     *tensor.Tensor
	}{
		{"bij,bjk->bik", []*tensor.Tensor{a, b}, a.MatMul(b)},
		{"...ij,...jk", []*tensor.Tensor{a, b}, a.MatMul(b)},
		{" b i j , b j k -> b i k ", []*tensor.Tensor{a, b}, a.MatMul(b)},
		{"...ij,...jk,k->i...", []*tensor.Tensor{a, b, c}, a.MatMul(b).MatMul(c).T()},
		{"i...->...i", []*tensor.Tensor{a}, a.Permute(1, 2, 0).Contiguous()},
		{"...->", []*tensor.Tensor{a}, a.Sum()},
		{"...,...->...", []*tensor.Tensor{a, c.Narrow(0, 0, 4)}, a.Mul(c.Narrow(0, 0, 4))},
		{"ba", []*tensor.Tensor{a.Get(0)}, a.Get(0).T().Contiguous()},
		{"i,j", []*tensor.Tensor{c, c}, linalg.Outer(c, c)},
	} {
		near(t, e.equation, linalg.Einsum(e.equation, e.operands...), e.want)
	}
	for want, f := range map[string]func() *tensor.Tensor{
		`einsum: "ij->i" has 1 operands, and there are 2`: func() *tensor.Tensor {
			return linalg.Einsum("ij->i", a, b)
		},
		`einsum: "ij->i" has 2 dims for operand 1 of shape [2 3 4]`: func() *tensor.Tensor {
			return linalg.Einsum("ij->i", a)
		},
		`einsum: "bij,bik->b": i has the sizes 3 and 4`: func() *tensor.Tensor {
			return linalg.Einsum("bij,bik->b", a, b)
		},
		`einsum: "ijk->il": no operand has l`: func() *tensor.Tensor {
			return linalg.Einsum("ijk->il", a)
		},
		`einsum: "ijk->ii": the result has i twice`: func() *tensor.Tensor {
			return linalg.Einsum("ijk->ii", a)
		},
		`einsum: "i1k->i": '1' is not a letter`: func() *tensor.Tensor {
			return linalg.Einsum("i1k->i", a)
		},
	} {
		if _, err := tensor.Try(f); !errors.Is(err, tensor.ErrShape) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestOrder: a chain of matrices is multiplied in the cheapest order, which the sizes of results show: with the wrong
// one, the memory of an outer product of 2¹⁶ elements on both sides would be needed.
func TestOrder(t *testing.T) {
	dev, n := tensor.CPU(), 1<<16
	x := dev.Ones(tensor.F32, n, 1)
	y := linalg.MultiDot(x, x.T(), x, x.T(), x)
	if got := y.Sum().ToScalar(); got != float64(n)*float64(n)*float64(n) {
		t.Error(got)
	}
	var chain []*tensor.Tensor // more than are compared exactly
	var letters []string
	for i := range 12 {
		chain = append(chain, dev.Ones(tensor.F32, 2, 2))
		letters = append(letters, fmt.Sprintf("%c%c", 'a'+i, 'b'+i))
	}
	if got := linalg.Einsum(strings.Join(letters, ",")+"->am", chain...).ToVec2(); got[0][0] != 1<<11 {
		t.Error(got)
	}
	vectors := linalg.MultiDot(tensor.Of(1, 2), dev.Eye(tensor.F32, 2), tensor.Of(3, 4))
	if vectors.Rank() != 0 || vectors.ToScalar() != 11 {
		t.Error(vectors)
	}
}

func TestProducts(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		x, y := draw(1, []int{2, 3, 4}, tensor.F64, dev), draw(2, []int{4, 3, 5}, tensor.F64, dev)
		near(t, "tensordot", linalg.TensorDotDims(x, y, []int{1, -1}, []int{1, 0}), linalg.Einsum("abc,cbd->ad", x, y))
		near(t, "tensordot of 0 dims", linalg.TensorDot(x, y, 0).FlattenAll(), linalg.Outer(x, y).FlattenAll())
		a, b := dev.New([][]int{{1, 2}, {3, 4}}), dev.New([]int{1, 10})
		if got := linalg.Kron(a, b); !got.Equal(dev.New([][]int{{1, 10, 2, 20}, {3, 30, 4, 40}})) {
			t.Error(got)
		}
		i, j := dev.New([]int{1, 0, 0}), dev.New([]int{0, 1, 0})
		if got := linalg.Cross(i, j, -1); !got.Equal(dev.New([]int{0, 0, 1})) {
			t.Error(got)
		}
		z := dev.FromSlice([]complex128{1i, 2}, 2)
		if got := tensor.ToScalar[complex128](linalg.VDot(z, z)); got != 5 {
			t.Error(got)
		}
	})
}
