package nn_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/random"
)

// TestBatches: a pass has each slice once, x and y stay together, and passes differ if they are shuffled.
func TestBatches(t *testing.T) {
	for _, dev := range devices(t) {
		x := dev.Arange(tensor.F64, 20).Reshape(10, 2)
		y := dev.Arange(tensor.I64, 10)
		pass := func(o nn.BatchOptions) (all []float64, sizes []int) {
			for i, b := range nn.Batches(4, o, x, y) {
				if i != len(sizes) || b[0].Dim(0) != b[1].Dim(0) {
					t.Errorf("batch %d has shapes %v and %v", i, b[0].Dims(), b[1].Dims())
				}
				if !b[0].GetOnDim(1, 0).Equal(b[1].ToDType(tensor.F64).Mul(2)) {
					t.Errorf("x and y were torn apart: %v, %v", b[0], b[1])
				}
				all, sizes = append(all, b[1].Float64s()...), append(sizes, b[1].Dim(0))
			}
			return all, sizes
		}
		inOrder := y.Float64s()
		all, sizes := pass(nn.BatchOptions{})
		if !slices.Equal(all, inOrder) || fmt.Sprint(sizes) != "[4 4 2]" {
			t.Errorf("%v in batches of %v", all, sizes)
		}
		if _, sizes := pass(nn.BatchOptions{DropLast: true}); fmt.Sprint(sizes) != "[4 4]" {
			t.Errorf("without the last one: batches of %v", sizes)
		}
		g := random.New(3)
		one, _ := pass(nn.BatchOptions{Shuffle: g})
		two, _ := pass(nn.BatchOptions{Shuffle: g})
		if slices.Equal(one, two) || slices.Equal(one, inOrder) {
			t.Errorf("the orders of two passes: %v, %v", one, two)
		}
		if slices.Sort(one); !slices.Equal(one, inOrder) {
			t.Errorf("a pass has %v", one)
		}
		parts := nn.RandomSplit(random.New(5), []int{7, 0, 3}, x, y)
		joined := append(parts[0][1].Float64s(), parts[2][1].Float64s()...)
		if len(parts) != 3 || parts[1][0].ElemCount() != 0 || !parts[2][0].GetOnDim(1, 0).Equal(parts[2][1].ToDType(tensor.F64).Mul(2)) {
			t.Errorf("parts %v", parts)
		}
		if slices.Sort(joined); !slices.Equal(joined, inOrder) {
			t.Errorf("the parts together have %v", joined)
		}
		for name, f := range map[string]func(){
			"a batch of none": func() { nn.Batches(0, nn.BatchOptions{}, x) },
			"other lengths":   func() { nn.Batches(2, nn.BatchOptions{}, x, y.Narrow(0, 0, 9)) },
			"no tensors":      func() { nn.Batches(2, nn.BatchOptions{}) },
			"too few":         func() { nn.RandomSplit(random.New(1), []int{7, 2}, x) },
		} {
			if _, err := tensor.Try(func() *tensor.Tensor { f(); return nil }); !errors.Is(err, tensor.ErrShape) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
