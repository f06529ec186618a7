package nn_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestAttentionParts: few queries of many keys, which blocks of a GPU share, get what the CPU computes.
func TestAttentionParts(t *testing.T) {
	thorough.Slow(t)
	hide := func(keys int) *tensor.Tensor { // every third key, and all of the first parts
		h := make([]uint8, keys)
		for i := range h {
			if i%3 == 0 || i < keys/3 {
				h[i] = 1
			}
		}
		return tensor.FromSlice(h, 1, 1, 1, keys)
	}
	for n, c := range []struct {
		name                                               string
		batch, heads, groups, queries, keys, size, results int
		form                                               nn.Attend
	}{
		{"one key", 1, 2, 2, 1, 1, 16, 16, nn.Attend{}},
		{"one head", 1, 1, 1, 1, 2500, 64, 64, nn.Attend{}}, // more parts than lanes
		{"heads", 2, 5, 5, 1, 600, 128, 128, nn.Attend{}},
		{"many heads", 3, 100, 100, 1, 70, 8, 8, nn.Attend{}}, // a part each
		{"two heads a group", 1, 4, 2, 1, 700, 128, 128, nn.Attend{}},
		{"three heads a group", 2, 6, 2, 1, 700, 64, 40, nn.Attend{}},
		{"four heads a group", 2, 8, 2, 1, 1300, 64, 64, nn.Attend{}},
		{"sizes that are not powers of two", 1, 2, 1, 2, 900, 80, 72, nn.Attend{Causal: true}},
		{"elements that come one by one", 1, 2, 1, 1, 900, 33, 77, nn.Attend{}},
		{"wide", 1, 2, 2, 3, 500, 256, 200, nn.Attend{Causal: true}},
		{"values wider than keys", 1, 1, 1, 1, 400, 8, 256, nn.Attend{}},
		{"queries", 1, 2, 1, 7, 800, 32, 32, nn.Attend{Causal: true}},
		{"window", 1, 2, 2, 2, 1500, 64, 64, nn.Attend{Causal: true, Window: 333}},
		{"window of one", 1, 2, 2, 1, 1500, 64, 64, nn.Attend{Causal: true, Window: 1}},
		{"softcap", 1, 2, 2, 1, 1000, 64, 64, nn.Attend{Softcap: 3}},
		{"mask", 1, 4, 2, 1, 1000, 64, 64, nn.Attend{Mask: hide(1000)}},
	} {
		cpu := tensor.CPU()
		dtypes := []tensor.DType{tensor.F32, tensor.F16, tensor.BF16}
		for _, dt := range dtypes {
			make4 := func(heads, rows, size int) *tensor.Tensor { // rounded, so that all devices have the same numbers
				return cpu.Randn(tensor.F32, c.batch, rows, heads, size).ToDType(dt).ToDType(tensor.F32).Transpose(1, 2)
			}
			q, k, v := make4(c.heads, c.queries, c.size), make4(c.groups, c.keys, c.size),
				make4(c.groups, c.keys, c.results)
			want := nn.Attention(q, k, v, c.form)
			most := map[tensor.DType]float64{tensor.F32: 2e-6, tensor.F16: 1e-3, tensor.BF16: 1e-2}[dt]
			for _, spec := range []string{"rocm", "cuda"} {
				dev, err := tensor.NewDevice(spec)
				if err != nil || dev.Emulated() && !slices.Contains(thorough.Sample(dtypes, 3, n), dt) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%v/%s", spec, dt, c.name), func(t *testing.T) {
					form := c.form
					if form.Mask != nil {
						form.Mask = form.Mask.To(dev)
					}
					for _, transposed := range []bool{false, true} { // elements of keys lie apart, those of values too
						x, y := k.To(dev).ToDType(dt), v.To(dev).ToDType(dt)
						if transposed && dt != tensor.F16 {
							continue // for time
						}
						if transposed {
							x, y = x.Transpose(2, 3).Copy().Transpose(2, 3), y.Transpose(2, 3).Copy().Transpose(2, 3)
						}
						got := nn.Attention(q.To(dev).ToDType(dt), x, y, form).ToDType(tensor.F32).To(cpu)
						if d := got.Sub(want).Abs().Max().ToScalar(); !(d < most) {
							t.Errorf("transposed %v: differs by %v", transposed, d)
						}
					}
				})
			}
		}
	}
}
