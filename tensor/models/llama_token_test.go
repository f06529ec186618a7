package models_test

import (
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestOneLaunch reads tokens by one launch each and by a launch for each kernel: behind a prompt, as caches grow, and
// after some were forgotten.
func TestOneLaunch(t *testing.T) {
	thorough.Slow(t)
	for _, name := range []string{"rocm", "cuda"} {
		dev, err := tensor.NewDevice(name)
		if err != nil {
			t.Log(err)
			continue
		}
		dev.SetSeed(3)
		c := models.LlamaConfig{Dim: 64, Hidden: 96, Layers: 2, Heads: 6, KVHeads: 2, HeadDim: 16, Vocab: 99, Context: 300,
			QKNorm: true}
		m, err := models.NewLlama(c, nn.NewParams(tensor.F16, dev))
		if err != nil {
			t.Fatal(err)
		}
		one, many := m.Decoder(), m.Decoder()
		one.OneLaunch()
		many.UseGraph(false)
		prompt := make([]int, 250)
		for i := range prompt {
			prompt[i] = i * i % 99
		}
		one.Read(prompt)
		many.Read(prompt)
		read := func(id int) {
			t.Helper()
			got, want := one.Read([]int{id}).ToDType(tensor.F32), many.Read([]int{id}).ToDType(tensor.F32)
			if d := got.Sub(want).Abs().Max().ToScalar(); !(d <= 0.02*want.Abs().Max().ToScalar()) {
				t.Errorf("%v, token %d: logits differ by %v", dev, many.Len(), d)
			}
		}
		for id := range 10 {
			read(id)
		}
		one.Truncate(40)
		many.Truncate(40)
		read(7)
		if one.Graph() != 1 || many.Graph() != 0 {
			t.Errorf("%v: %d and %d kernels", dev, one.Graph(), many.Graph())
		}
	}
}
