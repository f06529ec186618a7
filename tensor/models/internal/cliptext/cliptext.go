// Package cliptext is the part of a CLIP that reads texts: packages vision and diffusion have it.
package cliptext

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Config are its sizes.
type Config struct {
	Dim, Hidden, Layers, Heads int
	Vocab, Context             int // tokens, and positions
	Eps                        float64
	Activation                 string
}

// Encoder makes rows of tokens.
type Encoder struct {
	Layers []*parts.Layer
	Norm   *nn.LayerNormLayer // after the last layer

	words     *nn.Embedding
	positions *tensor.Tensor // [positions dim]
}

// New takes the weights of an encoder, whose activation is one of nn.ParseActivation.
func New(c *Config, at *nn.Params) *Encoder {
	act, err := nn.ParseActivation(c.Activation)
	if err != nil {
		panic(err) // reading the config has refused it
	}
	at.Ignore("embeddings.position_ids") // of older files
	e := &Encoder{Norm: nn.NewLayerNorm(c.Dim, c.Eps, at.At("final_layer_norm")),
		words:     nn.NewEmbedding(c.Vocab, c.Dim, at.At("embeddings", "token_embedding")),
		positions: at.Get("embeddings.position_embedding.weight", []int{c.Context, c.Dim}, nil)}
	for i := range c.Layers {
		e.Layers = append(e.Layers, newLayer(c, act, at.At("encoder", "layers", i)))
	}
	return e
}

func newLayer(c *Config, act tensor.Func, at *nn.Params) *parts.Layer {
	linear := func(name string, in, out int) *nn.Linear { return nn.NewLinear(in, out, at.At(name)) }
	self := func(name string) *nn.Linear { return linear("self_attn."+name, c.Dim, c.Dim) }
	return &parts.Layer{Before: true,
		Self:  parts.Attention{Heads: c.Heads, Q: self("q_proj"), K: self("k_proj"), V: self("v_proj"), Out: self("out_proj")},
		Norm1: nn.NewLayerNorm(c.Dim, c.Eps, at.At("layer_norm1")),
		Feed:  parts.FeedForward{Activate: act, Up: linear("mlp.fc1", c.Dim, c.Hidden), Down: linear("mlp.fc2", c.Hidden, c.Dim)},
		Norm2: nn.NewLayerNorm(c.Dim, c.Eps, at.At("layer_norm2"))}
}

// Embed takes texts of n tokens each, filled up with the token pad, to what the first layer reads: [texts n dim].
func (e *Encoder) Embed(ids [][]int, n, pad int) *tensor.Tensor {
	flat := make([]uint32, 0, len(ids)*n)
	for _, text := range ids {
		for i := range n {
			id := pad
			if i < len(text) {
				id = text[i]
			}
			flat = append(flat, uint32(id))
		}
	}
	return e.words.Forward(e.positions.Device().FromSlice(flat, len(ids), n)).Add(e.positions.Narrow(0, 0, n))
}

// Rows takes texts to what the norm after the last layer gives, as Embed does.
func (e *Encoder) Rows(ids [][]int, n, pad int, o nn.Attend) *tensor.Tensor {
	x := e.Embed(ids, n, pad)
	for _, l := range e.Layers {
		x = l.Forward(x, o)
	}
	return e.Norm.Forward(x)
}

// End is the position of the token that ends a text: the first one, or, in older files, whose eos is 2, the greatest.
func End(ids []int, eos int) (at int) {
	for i, id := range ids {
		switch {
		case eos == 2 && id > ids[at]:
			at = i
		case eos != 2 && id == eos:
			return i
		}
	}
	return at
}

// RowOf is one row of each text of rows [texts n dim].
func RowOf(rows *tensor.Tensor, at []int) *tensor.Tensor {
	all := make([]*tensor.Tensor, len(at))
	for i, k := range at {
		all[i] = rows.Get(i).Narrow(0, k, 1)
	}
	return tensor.Cat(all, 0)
}
