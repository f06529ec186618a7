package diffusion

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// rowEps is that of the norms of a Transformer.
const rowEps = 1e-6

// modulation makes factors and terms of the row of the time and the text: so many vectors.
type modulation struct {
	of *nn.Linear
	n  int
}

func newModulation(width, n int, p *nn.Params) *modulation {
	return &modulation{nn.NewLinear(width, n*width, p.At("linear")), n}
}

// vectors are [n 1 width] each, of t [n width], which silu has activated.
func (m *modulation) vectors(t *tensor.Tensor) []*tensor.Tensor {
	return m.of.Forward(t).Unsqueeze(1).Chunk(m.n, 2)
}

// shifted are normalised rows [n rows width], times 1 + scale, plus shift.
func shifted(x, shift, scale *tensor.Tensor) *tensor.Tensor {
	width := x.Dim(2)
	ones, zeros := x.Device().Ones(x.DType(), width), x.Device().Zeros(x.DType(), width)
	return nn.LayerNorm(x, ones, zeros, rowEps).Mul(scale.Add(1)).Add(shift)
}

// side is what attention has for rows of one kind: those of the picture, or of the text.
type side struct {
	q, k, v, out *nn.Linear // out is nil for rows that nothing reads any more
	qNorm, kNorm *nn.RmsNormLayer
}

// sideNames are those of the weights of a side.
type sideNames struct{ q, k, v, out, qNorm, kNorm string }

var (
	pictureSide = sideNames{"to_q", "to_k", "to_v", "to_out.0", "norm_q", "norm_k"}
	textSide    = sideNames{"add_q_proj", "add_k_proj", "add_v_proj", "to_add_out", "norm_added_q", "norm_added_k"}
)

func newSide(c *TransformerConfig, n sideNames, ends bool, p *nn.Params) *side {
	width := c.Width()
	linear := func(name string) *nn.Linear { return nn.NewLinear(width, width, p.At(name)) }
	s := &side{q: linear(n.q), k: linear(n.k), v: linear(n.v)}
	if !ends {
		s.out = linear(n.out)
	}
	if c.normalQK {
		norm := func(name string) *nn.RmsNormLayer { return nn.NewRmsNorm(c.HeadDim, rowEps, p.At(name)) }
		s.qNorm, s.kNorm = norm(n.qNorm), norm(n.kNorm)
	}
	return s
}

// heads are the queries, keys and values of rows, [n heads rows size].
func (s *side) heads(heads int, x *tensor.Tensor) (q, k, v *tensor.Tensor) {
	split := func(w *nn.Linear, norm *nn.RmsNormLayer) *tensor.Tensor {
		y := w.Forward(x)
		if y = y.Reshape(x.Dim(0), x.Dim(1), heads, y.Dim(2)/heads); norm != nil {
			y = norm.Forward(y)
		}
		return y.Transpose(1, 2)
	}
	return split(s.q, s.qNorm), split(s.k, s.kNorm), split(s.v, nil)
}

// rotary are the cosines and sines of a rotary embedding [rows size/2], or nil.
type rotary struct{ cos, sin *tensor.Tensor }

// attended is attention of the rows of sides to those of all, before the last products: [n rows width].
func attended(heads int, by *rotary, sides []*side, rows ...*tensor.Tensor) *tensor.Tensor {
	var q, k, v []*tensor.Tensor
	for i, s := range sides {
		sq, sk, sv := s.heads(heads, rows[i])
		q, k, v = append(q, sq), append(k, sk), append(v, sv)
	}
	join := func(list []*tensor.Tensor) *tensor.Tensor { return tensor.Cat(list, 2) }
	queries, keys := join(q), join(k)
	if by != nil {
		queries, keys = nn.RopeI(queries, by.cos, by.sin), nn.RopeI(keys, by.cos, by.sin)
	}
	y := nn.Attention(queries, keys, join(v), nn.Attend{})
	return y.Transpose(1, 2).Reshape(y.Dim(0), y.Dim(2), y.Dim(1)*y.Dim(3))
}

// newFeedForward takes the products of each row alone.
func newFeedForward(width int, p *nn.Params) *parts.FeedForward {
	return &parts.FeedForward{Activate: (*tensor.Tensor).Gelu, Up: nn.NewLinear(width, 4*width, p.At("net.0.proj")),
		Down: nn.NewLinear(4*width, width, p.At("net.2"))}
}

// doubled is a layer that has weights for rows of the picture and others for those of the text, which all attend to
// each other (Esser et al., "Scaling Rectified Flow Transformers for High-Resolution Image Synthesis", 2024).
type doubled struct {
	heads          int
	picture, text  *side
	own            *side // of SD3.5: the picture's rows attend to each other alone, too; else nil
	norm, textNorm *modulation
	feed, textFeed *parts.FeedForward // textFeed is nil in the last layer of SD3, whose rows of the text nothing reads
}

func newDoubled(c *TransformerConfig, i int, p *nn.Params) *doubled {
	width, ends := c.Width(), !c.flux && i == c.Layers-1
	l := &doubled{heads: c.Heads, picture: newSide(c, pictureSide, false, p.At("attn")),
		text: newSide(c, textSide, ends, p.At("attn")), feed: newFeedForward(width, p.At("ff"))}
	if ends {
		l.textNorm = newModulation(width, 2, p.At("norm1_context"))
	} else {
		l.textNorm = newModulation(width, 6, p.At("norm1_context"))
		l.textFeed = newFeedForward(width, p.At("ff_context"))
	}
	if c.dual != nil && c.dual[i] {
		l.norm, l.own = newModulation(width, 9, p.At("norm1")), newSide(c, pictureSide, false, p.At("attn2"))
	} else {
		l.norm = newModulation(width, 6, p.At("norm1"))
	}
	return l
}

// forward takes rows of the picture x and of the text, [n rows width].
func (l *doubled) forward(x, text, t *tensor.Tensor, by *rotary) (picture, words *tensor.Tensor) {
	m, told := l.norm.vectors(t), l.textNorm.vectors(t)
	rows := shifted(x, m[0], m[1])
	var words1 *tensor.Tensor
	if l.textFeed == nil {
		words1 = shifted(text, told[1], told[0]) // whose order is another one
	} else {
		words1 = shifted(text, told[0], told[1])
	}
	y := attended(l.heads, by, []*side{l.text, l.picture}, words1, rows)
	n := text.Dim(1)
	seen, heard := y.Narrow(1, n, x.Dim(1)), y.Narrow(1, 0, n)
	var own *tensor.Tensor
	if l.own != nil {
		alone := attended(l.heads, nil, []*side{l.own}, shifted(x, m[6], m[7]))
		own = l.own.out.Forward(alone).Mul(m[8])
	}
	if x = x.Add(l.picture.out.Forward(seen).Mul(m[2])); own != nil {
		x = x.Add(own)
	}
	x = x.Add(l.feed.Forward(shifted(x, m[3], m[4])).Mul(m[5]))
	if l.textFeed == nil {
		return x, text
	}
	text = text.Add(l.text.out.Forward(heard).Mul(told[2]))
	return x, text.Add(l.textFeed.Forward(shifted(text, told[3], told[4])).Mul(told[5]))
}

// single is a layer of FLUX that reads the rows of the text and of the picture alike, and does attention and the rest
// at once.
type single struct {
	heads   int
	rows    *side
	norm    *modulation
	up, out *nn.Linear
}

func newSingle(c *TransformerConfig, p *nn.Params) *single {
	width := c.Width()
	return &single{heads: c.Heads, rows: newSide(c, pictureSide, true, p.At("attn")),
		norm: newModulation(width, 3, p.At("norm")), up: nn.NewLinear(width, 4*width, p.At("proj_mlp")),
		out: nn.NewLinear(5*width, width, p.At("proj_out"))}
}

func (l *single) forward(x, t *tensor.Tensor, by *rotary) *tensor.Tensor {
	m := l.norm.vectors(t)
	rows := shifted(x, m[0], m[1])
	y := attended(l.heads, by, []*side{l.rows}, rows)
	y = l.out.Forward(tensor.Cat([]*tensor.Tensor{y, l.up.Forward(rows).Gelu()}, 2))
	return x.Add(y.Mul(m[2]))
}
