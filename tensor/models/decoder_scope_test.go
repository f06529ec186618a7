package models_test

import (
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestDecoderOfAScope reads on with decoders that were made, or had read some tokens, in a scope that has ended.
func TestDecoderOfAScope(t *testing.T) {
	for _, name := range []string{"cpu", "rocm"} {
		t.Run(name, func(t *testing.T) {
			dev, err := tensor.NewDevice(name)
			if err != nil {
				t.Skip(err)
			}
			c := models.LlamaConfig{Dim: 64, Hidden: 128, Layers: 2, Heads: 2, KVHeads: 1, Vocab: 50, Context: 64}
			m, err := models.NewLlama(c, nn.NewParams(tensor.F32, dev))
			if err != nil {
				t.Fatal(err)
			}
			ids := []int{5, 3, 8, 1, 9, 2, 7}
			want := m.Forward(ids).I(len(ids) - 1)
			for scoped := range ids {
				var d *models.LlamaDecoder
				if scoped > 0 {
					d = m.Decoder()
				}
				var got *tensor.Tensor
				for i, id := range ids {
					if i != scoped {
						got = d.Read([]int{id})
						continue
					}
					got = tensor.Scoped(func() *tensor.Tensor {
						if d == nil {
							d = m.Decoder()
						}
						return d.Read([]int{id})
					})
				}
				if diff := got.Sub(want).Abs().Max().ToScalar(); diff > 1e-4 {
					t.Errorf("token %d read in a scope: logits differ by %v", scoped, diff)
				}
			}
		})
	}
}
