package models

import (
	"math"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/config"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestALiBi: the further elements of heads add slopes times positions to scores, in BF16 too.
func TestALiBi(t *testing.T) {
	const heads, size, n = 2, 4, 600
	dev := tensor.CPU()
	c := LlamaConfig{Dim: heads * size, Hidden: 8, Layers: 1, Heads: heads, KVHeads: 1, Vocab: 4, Context: n}
	c.SetALiBi(config.MostSlope, 1)
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	for _, dtype := range []tensor.DType{tensor.F32, tensor.BF16} {
		a := newALiBi(&c, nn.NewParams(dtype, dev))
		q, kv := dev.Zeros(dtype, 1, heads, n, size), dev.Zeros(dtype, 1, 2, n, size)
		q, kv = a.joined(q, kv, a.places)
		_, scale := c.Scales()
		scores := q.ToDType(tensor.F32).MatMul(kv.Narrow(1, 0, 1).ToDType(tensor.F32).Transpose(2, 3)).Mul(scale)
		for h := range heads {
			row := scores.Get(0).Get(h).Get(0).ToVec1()
			for i, v := range row {
				if want := c.Slopes[h] * float64(i); math.Abs(v-want) > 1e-4 {
					t.Fatalf("%v: head %d, position %d: %v, want %v", dtype, h, i, v, want)
				}
			}
		}
	}
	if want := []float64{1. / 16, 1. / 256}; c.Slopes[0] != want[0] || c.Slopes[1] != want[1] {
		t.Errorf("slopes %v, want %v", c.Slopes, want)
	}
	if three := config.ALiBiSlopes(3, 8); three[2] != 0.25 { // of four heads the first
		t.Errorf("slopes of three heads: %v", three)
	}
}
