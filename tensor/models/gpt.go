package models

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// GPTConfig are the sizes of a GPT.
type GPTConfig struct {
	Vocab, Context int     // tokens and positions
	Dim            int     // width
	Layers, Heads  int     // Heads divide Dim
	Dropout        float64 // the probability of dropout in the parts of a layer, in training
	// Layers keep nothing for gradients but what they are given, and are computed once more for them: nn.Checkpoint.
	Checkpoint bool
}

// GPT is a decoder like GPT-2, to train: layer norms, learned positions, full attention. Its parameters have the names
// of Karpathy's nanoGPT.
type GPT struct {
	Config GPTConfig

	tokens, positions *tensor.Tensor // [vocab dim], which is also the output, and [context dim]
	layers            []gptLayer
	norm              *nn.LayerNormLayer
	dropout           nn.Dropout
}

type gptLayer struct {
	norm1, norm2    *nn.LayerNormLayer
	qkv, out        *nn.Linear
	expand, project *nn.Linear
	heads           int
	dropout         nn.Dropout
}

// NewGPT takes the parameters of a model from p, which makes them when it is nn.NewParams, as GPT-2 begins. The error
// is about sizes that do not fit, or a *nn.ParamsError.
func NewGPT(c GPTConfig, p *nn.Params) (*GPT, error) {
	for _, n := range []int{c.Vocab, c.Context, c.Dim, c.Layers, c.Heads} {
		if n < 1 {
			return nil, fmt.Errorf("models: a GPT of these sizes is not possible: %+v", c)
		}
	}
	if c.Dim%c.Heads != 0 {
		return nil, fmt.Errorf("models: %d heads do not divide a width of %d", c.Heads, c.Dim)
	}
	const std = 0.02
	m := &GPT{Config: c, dropout: nn.Dropout(c.Dropout)}
	err := p.Build(func() {
		t := p.At("transformer")
		m.tokens = t.Get("wte.weight", []int{c.Vocab, c.Dim}, nn.Normal(0, std))
		m.positions = t.Get("wpe.weight", []int{c.Context, c.Dim}, nn.Normal(0, std))
		for i := range c.Layers {
			m.layers = append(m.layers, newGPTLayer(c, t.At("h", i), std))
		}
		m.norm = nn.NewLayerNorm(c.Dim, 1e-5, t.At("ln_f"))
		p.Ignore("lm_head.weight")
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

func newGPTLayer(c GPTConfig, p *nn.Params, std float64) gptLayer {
	linear := func(path string, inputs, outputs int, std float64) *nn.Linear {
		return nn.NewLinearInit(inputs, outputs, nn.Normal(0, std), nn.Const(0), p.At(path))
	}
	// standard deviation of weights whose products all layers add to the same rows
	narrow := std / math.Sqrt(2*float64(c.Layers))
	return gptLayer{
		norm1: nn.NewLayerNorm(c.Dim, 1e-5, p.At("ln_1")), norm2: nn.NewLayerNorm(c.Dim, 1e-5, p.At("ln_2")),
		qkv: linear("attn.c_attn", c.Dim, 3*c.Dim, std), out: linear("attn.c_proj", c.Dim, c.Dim, narrow),
		expand: linear("mlp.c_fc", c.Dim, 4*c.Dim, std), project: linear("mlp.c_proj", 4*c.Dim, c.Dim, narrow),
		heads: c.Heads, dropout: nn.Dropout(c.Dropout),
	}
}

// Forward returns the logits [batch n vocab] of the next token after each of tokens, integers of shape [batch n].
func (m *GPT) Forward(ids *tensor.Tensor) *tensor.Tensor { return m.ForwardT(ids, false) }

// ForwardT is Forward, with dropout to train.
func (m *GPT) ForwardT(ids *tensor.Tensor, train bool) *tensor.Tensor {
	if ids.Rank() != 2 || ids.Dim(1) > m.Config.Context {
		panic(&tensor.Error{Op: "gpt", Kind: tensor.ErrShape,
			Message: fmt.Sprintf("want tokens [batch n] with n at most %d, not shape %v", m.Config.Context, ids.Dims()),
			Shapes:  [][]int{ids.Dims()}})
	}
	return tensor.Scoped(func() *tensor.Tensor { return m.logits(ids, train) })
}

func (m *GPT) logits(ids *tensor.Tensor, train bool) *tensor.Tensor {
	n := ids.Dim(1)
	x := m.tokens.IndexSelect(ids.FlattenAll(), 0).Reshape(ids.Dim(0), n, m.Config.Dim)
	x = m.dropout.ForwardT(x.Add(m.positions.Narrow(0, 0, n)), train)
	see := causal(n, n, nn.Attend{Causal: true}, ids.Device().IsCPU(), ids.Device())
	for i := range m.layers {
		layer := func(xs ...*tensor.Tensor) *tensor.Tensor { return m.layers[i].forward(xs[0], see, nil, train) }
		if m.Config.Checkpoint {
			x = nn.Checkpoint(layer, x)
		} else {
			x = tensor.Scoped(func() *tensor.Tensor { return layer(x) })
		}
	}
	return m.norm.Forward(x).MatMul(m.tokens.T())
}

// Loss returns the cross entropy of the logits of Forward, in training, after each of ids [batch n], for targets of
// the same shape.
func (m *GPT) Loss(ids, targets *tensor.Tensor) *tensor.Tensor {
	return tensor.Scoped(func() *tensor.Tensor {
		return nn.CrossEntropy(m.ForwardT(ids, true).Reshape(-1, m.Config.Vocab), targets.FlattenAll())
	})
}

func (l *gptLayer) forward(x *tensor.Tensor, see nn.Attend, cache *nn.KVCache, train bool) *tensor.Tensor {
	return l.attending(x, train, func(q, k, v *tensor.Tensor) *tensor.Tensor {
		if cache != nil {
			k, v = cache.Append(k, v)
		}
		return nn.Attention(q, k, v, see)
	})
}

// attending is forward with a function for the attention of queries, keys and values.
func (l *gptLayer) attending(
	x *tensor.Tensor, train bool, attention func(q, k, v *tensor.Tensor) *tensor.Tensor,
) *tensor.Tensor {
	batch, n, dim := x.Dim(0), x.Dim(1), x.Dim(2)
	part := l.qkv.Forward(l.norm1.Forward(x)).Reshape(batch, n, 3*l.heads, dim/l.heads).Transpose(1,
		2).Chunk(3, 1)
	y := attention(part[0], part[1], part[2]).Transpose(1, 2).Reshape(batch, n, dim)
	x = x.Add(l.dropout.ForwardT(l.out.Forward(y), train))
	return x.Add(l.dropout.ForwardT(l.project.Forward(l.expand.Forward(l.norm2.Forward(x)).Gelu()), train))
}

// detached is the same model outside of the gradient graph.
func (m *GPT) detached() *GPT {
	norm := func(l *nn.LayerNormLayer) *nn.LayerNormLayer {
		return &nn.LayerNormLayer{Weight: l.Weight.Detach(), Bias: l.Bias.Detach(), Eps: l.Eps}
	}
	d := &GPT{Config: m.Config, tokens: m.tokens.Detach(), positions: m.positions.Detach(), norm: norm(m.norm),
		dropout: m.dropout}
	for _, l := range m.layers {
		d.layers = append(d.layers, gptLayer{
			norm1: norm(l.norm1), norm2: norm(l.norm2), qkv: l.qkv.Detach(), out: l.out.Detach(),
			expand: l.expand.Detach(), project: l.project.Detach(),
			heads: l.heads, dropout: l.dropout,
		})
	}
	return d
}

// Decoder returns a decoder with an empty cache of its own. It reads the parameters as they are at each call, and
// records nothing for gradients.
func (m *GPT) Decoder() *GPTDecoder {
	d := &GPTDecoder{model: m.detached()}
	for range m.layers {
		d.caches = append(d.caches, nn.NewKVCache(2, m.Config.Context))
	}
	d.UseGraph(true)
	return d
}

// GPTDecoder reads a text and returns the logits of the next token. When the context is full it forgets the first
// half of the text, so that a text has no end. On a GPU, single tokens are read by a graph, as those of a
// LlamaDecoder.
type GPTDecoder struct {
	model  *GPT
	caches []*nn.KVCache
	ids    []int // in the caches
	n      int
	step   *step // nil without a GPU, or if UseGraph is false
}

// UseGraph says whether tokens that come one at a time are read by a graph: see LlamaDecoder.UseGraph.
func (d *GPTDecoder) UseGraph(on bool) {
	d.step = nil
	if dev := d.model.tokens.Device(); on && !dev.IsCPU() {
		d.step = newStep(dev, d.caches[0].K, d.forward)
	}
}

// Graph returns how many kernels the graph has that reads a token, 0 as long as there is none.
func (d *GPTDecoder) Graph() int {
	if d.step == nil {
		return 0
	}
	return d.step.launches()
}

// forward launches the kernels that read a token at a position, both in device memory.
func (d *GPTDecoder) forward(id, place *tensor.Tensor) *tensor.Tensor {
	m := d.model
	x := m.tokens.IndexSelect(id, 0).Add(m.positions.IndexSelect(place, 0)).Unsqueeze(0)
	for i := range m.layers {
		x = m.layers[i].attending(x, false, func(q, k, v *tensor.Tensor) *tensor.Tensor {
			k, v = d.caches[i].Put(k, v, place)
			return nn.Attention(q, k, v, nn.Attend{Last: place})
		})
	}
	return d.logits(x)
}

// logits returns those of one row of the last layer.
func (d *GPTDecoder) logits(x *tensor.Tensor) *tensor.Tensor {
	m := d.model
	return m.norm.Forward(x).Reshape(1, m.Config.Dim).MatMul(m.tokens.T()).FlattenAll()
}

// Len returns how many tokens were read.
func (d *GPTDecoder) Len() int { return d.n }

// Context returns that a text has no end.
func (d *GPTDecoder) Context() int { return math.MaxInt }

// Ends reports false: no token ends a text.
func (d *GPTDecoder) Ends(int) bool { return false }

// Reset forgets the text.
func (d *GPTDecoder) Reset() {
	d.ids, d.n = d.ids[:0], 0
	for _, c := range d.caches {
		c.Reset()
	}
}

// Read reads further tokens and returns the logits [vocab] for what follows the last. It panics with ErrShape for none,
// and with ErrIndex for numbers that are not tokens.
func (d *GPTDecoder) Read(ids []int) *tensor.Tensor {
	context := d.model.Config.Context
	if len(ids) == 0 {
		panic(&tensor.Error{Op: "gpt", Kind: tensor.ErrShape, Message: "there are no tokens to read"})
	}
	n := d.n + len(ids)
	if len(d.ids)+len(ids) > context {
		all := append(append([]int{}, d.ids...), ids...)
		ids = all[len(all)-max(min(context/2, len(all)), 1):]
		d.Reset()
	}
	m := d.model
	at := len(d.ids)
	if d.step != nil && len(ids) == 1 {
		parts.CheckTokens(ids, m.Config.Vocab)
		logits := d.step.read(ids[0], at)
		for _, c := range d.caches {
			c.Advance(1)
		}
		d.ids, d.n = append(d.ids, ids[0]), n
		return logits
	}
	x := rows(m.tokens, ids).Add(m.positions.Narrow(0, at, len(ids))).Unsqueeze(0)
	see := causal(len(ids), at+len(ids), nn.Attend{Causal: true}, x.Device().IsCPU(), x.Device())
	for i := range m.layers {
		x = m.layers[i].forward(x, see, d.caches[i], false)
	}
	d.ids, d.n = append(d.ids, ids...), n
	return d.logits(x.Narrow(1, len(ids)-1, 1))
}
