package vision

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// vitNames are those of ViT's and DINOv2's layers, but for what differs.
var vitNames = layerNames{q: "attention.attention.query", k: "attention.attention.key", v: "attention.attention.value",
	out: "attention.output.dense", up: "intermediate.dense", down: "output.dense",
	norm1: "layernorm_before", norm2: "layernorm_after"}

// vit is the Vision Transformer (Dosovitskiy et al., 2020).
func vit(m *Model, j *jsonConfig, p *nn.Params) error {
	return m.transformer(j, p, "vit", func(b, at *nn.Params, act tensor.Func, bias bool) *parts.Layer {
		return newLayer(&m.Config, act, &vitNames, bias, at)
	})
}

// transformer takes the weights of a ViT whose layers layer takes.
func (m *Model) transformer(j *jsonConfig, p *nn.Params, base string,
	layer func(b, at *nn.Params, act tensor.Func, bias bool) *parts.Layer,
) error {
	c := &m.Config
	act := activation(c.Activation)
	bias := true
	set(&bias, j.QKVBias)
	return p.Build(func() {
		b, headed := parts.Under(p, base, "embeddings.cls_token")
		at := b.At("embeddings")
		e := newPatches(c, at.At("patch_embeddings", "projection"), true)
		e.class = at.Get("cls_token", []int{1, 1, c.Dim}, nn.Normal(0, 0.02))
		e.positions = at.Get("position_embeddings", []int{1, e.grid[0]*e.grid[1] + 1, c.Dim}, nn.Normal(0, 0.02))
		at.Ignore("mask_token") // of training
		if c.Registers > 0 {
			e.registers = at.Get("register_tokens", []int{1, c.Registers, c.Dim}, nn.Normal(0, 0.02))
		}
		var layers []*parts.Layer
		for i := range c.Layers {
			layers = append(layers, layer(b, b.At("encoder", "layer", i), act, bias))
		}
		norm := nn.NewLayerNorm(c.Dim, c.Eps, b.At("layernorm"))
		m.hidden = func(x *tensor.Tensor, _ bool) *tensor.Tensor {
			return norm.Forward(rowsOf(layers, e.forward(x), nn.Attend{}))
		}
		m.pool = firstRow
		parts.IgnoreUnder(b, "pooler.")
		m.transformerHead(j, headed, p)
	})
}

// transformerHead is the classifier: of the first row, and with DINOv2 of the mean of the others too.
func (m *Model) transformerHead(j *jsonConfig, headed bool, p *nn.Params) {
	inputs, c := m.Config.Dim, &m.Config
	if c.dino() {
		inputs *= 2
	}
	last := m.classifier(j, headed, inputs, p.At("classifier"), p)
	if last == nil {
		return
	}
	m.head = func(hidden, pooled *tensor.Tensor) *tensor.Tensor {
		if first := 1 + c.Registers; c.dino() {
			rest := hidden.Narrow(1, first, hidden.Dim(1)-first).Mean(1)
			pooled = tensor.Cat([]*tensor.Tensor{pooled, rest}, 1)
		}
		return last.Forward(pooled)
	}
}
