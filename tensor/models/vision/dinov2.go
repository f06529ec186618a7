package vision

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// dino reports whether a model is a DINOv2.
func (c *Config) dino() bool {
	return c.ModelType == "dinov2" || c.ModelType == "dinov2_with_registers"
}

var dinoNames = layerNames{q: vitNames.q, k: vitNames.k, v: vitNames.v, out: vitNames.out, up: "mlp.fc1",
	down:  "mlp.fc2",
	norm1: "norm1", norm2: "norm2"}

// dinov2 is DINOv2 (Oquab et al., 2023): a ViT with factors of what the parts of a layer give, and in the largest model
// a gate. There is one with registers (Darcet et al., 2023), rows that are no patches.
func dinov2(m *Model, j *jsonConfig, p *nn.Params) error {
	c := &m.Config
	return m.transformer(j, p, c.ModelType, func(b, at *nn.Params, act tensor.Func, bias bool) *parts.Layer {
		n := dinoNames
		if j.Gated {
			n.up, n.down = "", ""
		}
		l := newLayer(c, act, &n, bias, at)
		l.Scale1 = at.Get("layer_scale1.lambda1", []int{c.Dim}, nn.Const(1))
		l.Scale2 = at.Get("layer_scale2.lambda1", []int{c.Dim}, nn.Const(1))
		if j.Gated {
			in := nn.NewLinear(c.Dim, 2*c.Hidden, at.At("mlp", "weights_in"))
			l.Feed = parts.FeedForward{Activate: (*tensor.Tensor).Silu, Gate: parts.Rows(in, 0, c.Hidden),
				Up: parts.Rows(in, c.Hidden, c.Hidden), Down: nn.NewLinear(c.Hidden, c.Dim, at.At("mlp",
					"weights_out"))}
		}
		return l
	})
}
