package finetune

import (
	"fmt"
	"reflect"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Ignored is the target of tokens that the loss leaves out, as in PyTorch.
const Ignored = -100

// Model is a decoder of the Llama family whose parameters are trained.
type Model struct {
	Config models.LlamaConfig
	// Checkpoint has layers keep nothing for gradients but what they read, and compute the rest once more, as
	// nn.Checkpoint does.
	Checkpoint bool

	embedding *nn.Embedding
	layers    []layer
	norm      *nn.RmsNormLayer
	output    *nn.Linear // nil for the embedding's rows
	cos, sin  *tensor.Tensor
}

// layer is attention and a gated feed-forward part.
type layer struct {
	norm1, norm2         *nn.RmsNormLayer
	q, k, v, out         *nn.Linear
	qNorm, kNorm         *nn.RmsNormLayer // of Qwen 3, or nil
	gate, up, down       *nn.Linear
	heads, groups, width int
	window               int
}

// New takes the parameters of a model from p, under the names of Hugging Face's files: with nn.NewParams new ones,
// which begin as transformers' do, normal with a deviation of 0.02; with p.Adapt(lora) those of adapters beside p's.
// The error is about a config that is not possible or has what Llama, Mistral, Qwen 2 and Qwen 3 have not, or a
// *nn.ParamsError.
func New(c models.LlamaConfig, p *nn.Params) (*Model, error) {
	if err := check(&c); err != nil {
		return nil, err
	}
	if !p.DType().IsFloat() {
		return nil, fmt.Errorf("finetune: a model is trained in floats, not in %v", p.DType())
	}
	m := &Model{Config: c}
	cos, sin := nn.RopeTablesOf(c.Context, c.Frequencies(c.RopeBase, true), p.Device())
	m.cos, m.sin = cos.ToDType(p.DType()), sin.ToDType(p.DType())
	err := p.Build(func() {
		b := p.At("model")
		m.embedding = &nn.Embedding{Weight: b.Get("embed_tokens.weight", []int{c.Vocab, c.Dim}, initial)}
		for i := range c.Layers {
			m.layers = append(m.layers, newLayer(&c, i, b.At("layers", i)))
		}
		m.norm = nn.NewRmsNorm(c.Dim, c.Eps, b.At("norm"))
		if c.Tied {
			p.Ignore("lm_head.weight")
		} else {
			m.output = nn.NewLinearInit(c.Dim, c.Vocab, initial, nil, p.At("lm_head"))
		}
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// initial is how matrices begin.
var initial = nn.Normal(0, 0.02)

// check returns an error for a config that is not one of the family, and fills in what is 0.
func check(c *models.LlamaConfig) error {
	if err := c.Check(); err != nil {
		return err
	}
	rest := c.Variant
	rest.Windowed, rest.OutBias = nil, false
	if v := reflect.ValueOf(rest); !v.IsZero() || c.Interleaved || c.RopeSections != nil {
		wrong := "Interleaved or RopeSections"
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				wrong = v.Type().Field(i).Name
			}
		}
		return fmt.Errorf("finetune: the model has %s: want one like Llama, Mistral, Qwen 2 or Qwen 3, with the names of Hugging "+
			"Face's files", wrong)
	}
	return nil
}

func newLayer(c *models.LlamaConfig, i int, p *nn.Params) layer {
	linear := func(name string, inputs, outputs int, biased bool) *nn.Linear {
		var bias nn.Init
		if biased {
			bias = nn.Const(0)
		}
		return nn.NewLinearInit(inputs, outputs, initial, bias, p.At(name))
	}
	rows, shared := c.Heads*c.HeadDim, c.KVHeads*c.HeadDim
	l := layer{heads: c.Heads, groups: c.KVHeads, width: c.HeadDim, window: c.WindowOf(i),
		norm1: nn.NewRmsNorm(c.Dim, c.Eps, p.At("input_layernorm")),
		norm2: nn.NewRmsNorm(c.Dim, c.Eps, p.At("post_attention_layernorm")),
		q:     linear("self_attn.q_proj", c.Dim, rows, c.QKVBias), k: linear("self_attn.k_proj", c.Dim, shared, c.QKVBias),
		v: linear("self_attn.v_proj", c.Dim, shared, c.QKVBias), out: linear("self_attn.o_proj", rows, c.Dim, c.OutBias),
		gate: linear("mlp.gate_proj", c.Dim, c.Hidden, false), up: linear("mlp.up_proj", c.Dim, c.Hidden, false),
		down: linear("mlp.down_proj", c.Hidden, c.Dim, false)}
	if c.QKNorm {
		l.qNorm = nn.NewRmsNorm(c.HeadDim, c.Eps, p.At("self_attn.q_norm"))
		l.kNorm = nn.NewRmsNorm(c.HeadDim, c.Eps, p.At("self_attn.k_norm"))
	}
	return l
}

// Forward returns the logits [batch n vocab] of the next token after each of ids, integers of shape [batch n]. It
// panics with ErrShape for other shapes and for more tokens than the model has positions, and with ErrIndex for numbers
// that are not tokens.
func (m *Model) Forward(ids *tensor.Tensor) *tensor.Tensor {
	if ids.Rank() != 2 || ids.Dim(1) > m.Config.Context {
		panic(&tensor.Error{Op: "finetune", Kind: tensor.ErrShape, Shapes: [][]int{ids.Dims()},
			Message: fmt.Sprintf("want tokens [batch n] with n at most %d, not shape %v", m.Config.Context, ids.Dims())})
	}
	return tensor.Scoped(func() *tensor.Tensor {
		x := m.embedding.Forward(ids)
		cos, sin := m.cos.Narrow(0, 0, ids.Dim(1)), m.sin.Narrow(0, 0, ids.Dim(1))
		for i := range m.layers {
			f := func(xs ...*tensor.Tensor) *tensor.Tensor { return m.layers[i].forward(xs[0], cos, sin) }
			if m.Checkpoint {
				x = nn.Checkpoint(f, x)
			} else {
				x = tensor.Scoped(func() *tensor.Tensor { return f(x) })
			}
		}
		if x = m.norm.Forward(x); m.output != nil {
			return m.output.Forward(x)
		}
		return x.MatMul(m.embedding.Weight.T())
	})
}

// Loss returns the cross entropy of the logits of Forward after each of ids [batch n], for the tokens that follow,
// integers of the same shape. Those whose target is Ignored, such as padding and questions, do not count.
func (m *Model) Loss(ids, targets *tensor.Tensor) *tensor.Tensor {
	return tensor.Scoped(func() *tensor.Tensor {
		logits := m.Forward(ids).Reshape(-1, m.Config.Vocab).ToDType(tensor.F32)
		return nn.CrossEntropyWith(logits, targets.FlattenAll(), nn.CrossEntropyOptions{IgnoreIndex: new(Ignored)})
	})
}

func (l *layer) forward(x, cos, sin *tensor.Tensor) *tensor.Tensor {
	batch, n := x.Dim(0), x.Dim(1)
	split := func(y *tensor.Tensor, heads int, norm *nn.RmsNormLayer) *tensor.Tensor {
		if y = y.Reshape(batch, n, heads, l.width); norm != nil {
			y = norm.Forward(y)
		}
		return y.Transpose(1, 2)
	}
	h := l.norm1.Forward(x)
	q := nn.Rope(split(l.q.Forward(h), l.heads, l.qNorm), cos, sin)
	k := nn.Rope(split(l.k.Forward(h), l.groups, l.kNorm), cos, sin)
	v := split(l.v.Forward(h), l.groups, nil)
	seen := nn.Attention(q, k, v, nn.Attend{Causal: true, Window: l.window})
	x = x.Add(l.out.Forward(seen.Transpose(1, 2).Reshape(batch, n, l.heads*l.width)))
	h = l.norm2.Forward(x)
	return x.Add(l.down.Forward(l.gate.Forward(h).Silu().Mul(l.up.Forward(h))))
}
