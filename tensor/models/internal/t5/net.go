package t5

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Net is the weights.
type Net struct {
	Words            *tensor.Tensor // [vocab dim]
	Output           *tensor.Tensor // [dim vocab]
	Encoder, Decoder Stack
}

// Stack is the encoder or the decoder.
type Stack struct {
	Layers []*parts.Layer
	Norm   *nn.RmsNormLayer
	bias   *tensor.Tensor // of the distances, [buckets heads]
	both   bool           // distances have a direction
	config *Config
}

// NewEncoder takes the weights of the encoder alone, inside of a Build.
func NewEncoder(c *Config, p *nn.Params) *Net {
	m := &Net{}
	name := "shared.weight"
	if !p.Has(name) && p.Has("encoder.embed_tokens.weight") {
		name = "encoder.embed_tokens.weight"
	}
	m.Words = p.Get(name, []int{c.Vocab, c.Dim}, nil)
	p.Ignore("encoder.embed_tokens.weight", "decoder.embed_tokens.weight") // the same ones
	m.Encoder = newStack(c, c.Layers, false, p.At("encoder"))
	return m
}

// New takes the weights, inside of a Build.
func New(c *Config, p *nn.Params) *Net {
	m := NewEncoder(c, p)
	m.Output = m.Words.T()
	if p.Has("lm_head.weight") {
		m.Output = p.Get("lm_head.weight", []int{c.Vocab, c.Dim}, nil).T()
	}
	m.Decoder = newStack(c, c.DecoderLayers, true, p.At("decoder"))
	return m
}

// Rows looks tokens up, [tokens dim].
func (m *Net) Rows(ids []int) *tensor.Tensor {
	list := make([]uint32, len(ids))
	for i, id := range ids {
		list[i] = uint32(id)
	}
	return m.Words.IndexSelect(m.Words.Device().FromSlice(list, len(list)), 0)
}

// Hidden is what the encoder gives for a text in tokens, [1 tokens dim].
func (m *Net) Hidden(ids []int) *tensor.Tensor {
	return tensor.Scoped(func() *tensor.Tensor {
		x := m.Rows(ids).Unsqueeze(0)
		see := nn.Attend{Scale: 1, Mask: m.Encoder.Biases(len(ids), 0)}
		for _, l := range m.Encoder.Layers {
			x = l.Forward(x, see)
		}
		return m.Encoder.Norm.Forward(x)
	})
}

func newStack(c *Config, layers int, decoder bool, p *nn.Params) Stack {
	act, _ := nn.ParseActivation(c.Activation) // which config has checked
	norm := func(p *nn.Params) *nn.RmsNormLayer { return nn.NewRmsNorm(c.Dim, c.Eps, p.At("layer_norm")) }
	inner := c.Heads * c.HeadDim
	attention := func(p *nn.Params) parts.Attention {
		return parts.Attention{Heads: c.Heads, Q: nn.NewLinearNoBias(c.Dim, inner, p.At("q")),
			K: nn.NewLinearNoBias(c.Dim, inner, p.At("k")), V: nn.NewLinearNoBias(c.Dim, inner, p.At("v")),
			Out: nn.NewLinearNoBias(inner, c.Dim, p.At("o"))}
	}
	s := Stack{both: !decoder, config: c}
	for i := range layers {
		at := func(part int) *nn.Params { return p.At("block", i, "layer", part) }
		l := &parts.Layer{Before: true, Self: attention(at(0).At("SelfAttention")), Norm1: norm(at(0))}
		last := 1
		if decoder {
			cross := attention(at(1).At("EncDecAttention"))
			at(1).Ignore("EncDecAttention.relative_attention_bias.weight") // of older files, never used
			l.Cross, l.NormCross, last = &cross, norm(at(1)), 2
		}
		l.Norm2 = norm(at(last))
		feed := at(last).At("DenseReluDense")
		linear := func(in, out int, name string) *nn.Linear { return nn.NewLinearNoBias(in, out, feed.At(name)) }
		if l.Feed.Activate = act; c.Gated {
			l.Feed.Gate, l.Feed.Up = linear(c.Dim, c.Hidden, "wi_0"), linear(c.Dim, c.Hidden, "wi_1")
		} else {
			l.Feed.Up = linear(c.Dim, c.Hidden, "wi")
		}
		l.Feed.Down = linear(c.Hidden, c.Dim, "wo")
		s.Layers = append(s.Layers, l)
	}
	s.bias = p.Get("block.0.layer.0.SelfAttention.relative_attention_bias.weight", []int{c.Buckets, c.Heads}, nil)
	s.Norm = nn.NewRmsNorm(c.Dim, c.Eps, p.At("final_layer_norm"))
	return s
}

// Bucket is that of a distance from a query to a key. Half of the buckets are for one distance each,
// the others for ever
// more. Numbers are rounded as in transformers, which has them in 32 bits.
func (s *Stack) Bucket(distance int) uint32 {
	n, first := s.config.Buckets, 0
	if s.both {
		if n /= 2; distance > 0 {
			first = n
		}
		distance = max(distance, -distance)
	} else {
		distance = max(-distance, 0)
	}
	exact := n / 2
	if distance >= exact {
		x := float32(math.Log(float64(float32(distance) / float32(exact))))
		x = x / float32(math.Log(float64(s.config.Farthest)/float64(exact))) * float32(n-exact)
		distance = min(exact+int(x), n-1)
	}
	return uint32(first + distance)
}

// Biases are added to the scores of n queries after some others, and of all keys so far: [1 heads n keys].
func (s *Stack) Biases(n, before int) *tensor.Tensor {
	keys := before + n
	ids := make([]uint32, 0, n*keys)
	for q := range n {
		for k := range keys {
			ids = append(ids, s.Bucket(k-before-q))
		}
	}
	rows := s.bias.IndexSelect(s.bias.Device().New(ids), 0)
	return rows.Reshape(1, n, keys, s.bias.Dim(1)).Permute(0, 3, 1, 2).Contiguous()
}

// Buckets are those of distances from first to last.
func Buckets(c *Config, both bool, first, last int) (all []uint32) {
	s := Stack{both: both, config: c}
	for d := first; d <= last; d++ {
		all = append(all, s.Bucket(d))
	}
	return all
}
