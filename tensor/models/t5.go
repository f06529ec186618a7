package models

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gorocm/gorocm/internal/interrupt"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// T5 is a model that makes a text of a text: T5, Flan-T5 and mT5 (Raffel et al.,
// 2019). An encoder reads the whole text,
// and a decoder writes the reply, token by token.
type T5 struct {
	Name      string // of its folder
	Config    T5Config
	Tokenizer *tokenizers.Tokenizer
	Sampling  nn.Sampling // of Generate; begins as generation_config.json says
	MaxTokens int         // of a reply of Generate

	words            *tensor.Tensor // [vocab dim]
	output           *tensor.Tensor // [dim vocab]
	encoder, decoder t5Stack
}

// t5Stack is the encoder or the decoder.
type t5Stack struct {
	layers []*parts.Layer
	norm   *nn.RmsNormLayer
	bias   *tensor.Tensor // of the distances, [buckets heads]
	both   bool           // distances have a direction
	config *T5Config
}

// OpenT5 reads a T5 from a folder of Hugging Face onto a device, to compute in F32: config.json, tokenizer.json,
// generation_config.json and the weights. Its model_type is t5 (and so Flan-T5) or mt5. T5's first files hold F32; F16
// may overflow in them.
//
// The error names what is not supported; it is a *nn.ParamsError when weights are missing or are more than the model
// has.
func OpenT5(path string, dev *tensor.Device) (*T5, error) { return OpenT5As(path, tensor.F32, dev) }

// OpenT5As is OpenT5 for a model that computes in dtype.
func OpenT5As(path string, dtype tensor.DType, dev *tensor.Device) (*T5, error) {
	m := &T5{Name: filepath.Base(filepath.Clean(path)), MaxTokens: 256}
	if err := m.read(path, dtype, dev); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

func (m *T5) read(path string, dtype tensor.DType, dev *tensor.Device) (err error) {
	if !dtype.IsFloat() {
		return fmt.Errorf("models: a T5 computes in floats, not in %v", dtype)
	}
	var j jsonT5
	if err := parts.ReadJSON(filepath.Join(path, "config.json"), &j); err != nil {
		return err
	}
	if m.Config, err = j.config(); err != nil {
		return err
	}
	if m.Config.EOS, err = endsOf(path, m.Config.EOS); err != nil {
		return err
	}
	if m.Sampling, err = generationConfig(path); err != nil {
		return err
	}
	if m.Tokenizer, err = tokenizers.ReadJSON(filepath.Join(path, "tokenizer.json")); err != nil {
		return err
	}
	if n := m.Tokenizer.Size(); n > m.Config.Vocab {
		return fmt.Errorf("models: the tokenizer has %d tokens, and the model %d", n, m.Config.Vocab)
	}
	p, err := parts.OpenParams(path, m.Config.count(), dtype, dev)
	if err != nil {
		return err
	}
	defer p.Close()
	return m.build(p)
}

func (m *T5) build(p *nn.Params) error {
	c := &m.Config
	return p.Build(func() {
		name := "shared.weight"
		if !p.Has(name) && p.Has("encoder.embed_tokens.weight") {
			name = "encoder.embed_tokens.weight"
		}
		m.words = p.Get(name, []int{c.Vocab, c.Dim}, nil)
		p.Ignore("encoder.embed_tokens.weight", "decoder.embed_tokens.weight") // the same ones
		m.output = m.words.T()
		if p.Has("lm_head.weight") {
			m.output = p.Get("lm_head.weight", []int{c.Vocab, c.Dim}, nil).T()
		}
		m.encoder = newT5Stack(c, c.Layers, false, p.At("encoder"))
		m.decoder = newT5Stack(c, c.DecoderLayers, true, p.At("decoder"))
	})
}

func newT5Stack(c *T5Config, layers int, decoder bool, p *nn.Params) t5Stack {
	act, _ := nn.ParseActivation(c.Activation) // which config has checked
	norm := func(p *nn.Params) *nn.RmsNormLayer { return nn.NewRmsNorm(c.Dim, c.Eps, p.At("layer_norm")) }
	inner := c.Heads * c.HeadDim
	attention := func(p *nn.Params) parts.Attention {
		return parts.Attention{Heads: c.Heads, Q: nn.NewLinearNoBias(c.Dim, inner, p.At("q")),
			K: nn.NewLinearNoBias(c.Dim, inner, p.At("k")), V: nn.NewLinearNoBias(c.Dim, inner, p.At("v")),
			Out: nn.NewLinearNoBias(inner, c.Dim, p.At("o"))}
	}
	s := t5Stack{both: !decoder, config: c}
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
		s.layers = append(s.layers, l)
	}
	s.bias = p.Get("block.0.layer.0.SelfAttention.relative_attention_bias.weight", []int{c.Buckets, c.Heads}, nil)
	s.norm = nn.NewRmsNorm(c.Dim, c.Eps, p.At("final_layer_norm"))
	return s
}

// bucket is that of a distance from a query to a key. Half of the buckets are for one distance each,
// the others for ever
// more. Numbers are rounded as in transformers, which has them in 32 bits.
func (s *t5Stack) bucket(distance int) uint32 {
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

// biases are added to the scores of n queries after some others, and of all keys so far: [1 heads n keys].
func (s *t5Stack) biases(n, before int) *tensor.Tensor {
	keys := before + n
	ids := make([]uint32, 0, n*keys)
	for q := range n {
		for k := range keys {
			ids = append(ids, s.bucket(k-before-q))
		}
	}
	rows := s.bias.IndexSelect(s.bias.Device().New(ids), 0)
	return rows.Reshape(1, n, keys, s.bias.Dim(1)).Permute(0, 3, 1, 2).Contiguous()
}

// String says what the model is, in a line.
func (m *T5) String() string {
	c := &m.Config
	return fmt.Sprintf("%s: %s, %d and %d layers, width %d, %d tokens, %v on %s", m.Name, c.ModelType, c.Layers,
		c.DecoderLayers, c.Dim, c.Vocab, m.words.DType(), m.Device().Location())
}

// Device returns where the weights are.
func (m *T5) Device() *tensor.Device { return m.words.Device() }

// Hidden returns what the encoder gives for a text in tokens, [tokens dim]. It panics with ErrShape for no tokens, and
// with ErrIndex for tokens that the model does not have.
func (m *T5) Hidden(ids []int) *tensor.Tensor { return m.hidden(ids).Squeeze(0) }

func (m *T5) hidden(ids []int) *tensor.Tensor {
	if len(ids) == 0 {
		panic(&tensor.Error{Op: "t5", Kind: tensor.ErrShape, Message: "the text has no tokens"})
	}
	return tensor.Scoped(func() *tensor.Tensor {
		x := rows(m.words, ids).Unsqueeze(0)
		see := nn.Attend{Scale: 1, Mask: m.encoder.biases(len(ids), 0)}
		for _, l := range m.encoder.layers {
			x = l.Forward(x, see)
		}
		return m.encoder.norm.Forward(x)
	})
}

// Decoder returns a decoder of replies to a text in tokens, which a Generator generates with. The first token that it
// reads is Config.Start. It panics as Hidden does.
func (m *T5) Decoder(ids []int) Decoder {
	d := &t5Decoder{m: m}
	hidden := m.hidden(ids)
	for _, l := range m.decoder.layers {
		d.states = append(d.states, l.Begin(hidden, 64))
	}
	return d
}

// t5Decoder is the decoder with a reply so far.
type t5Decoder struct {
	m      *T5
	states []*parts.State
	n      int
}

// t5Longest bounds the length of a reply. The model has no positions that end.
const t5Longest = 1 << 14

func (d *t5Decoder) Len() int         { return d.n }
func (d *t5Decoder) Context() int     { return t5Longest }
func (d *t5Decoder) Ends(id int) bool { return slices.Contains(d.m.Config.EOS, id) }
func (d *t5Decoder) Reset()           { d.Truncate(0) }

// Truncate forgets the tokens after the first n.
func (d *t5Decoder) Truncate(n int) {
	d.n = n
	for _, s := range d.states {
		s.Truncate(n)
	}
}

// Read reads further tokens of the reply and returns the logits of the next one, [vocab].
func (d *t5Decoder) Read(ids []int) *tensor.Tensor {
	all := d.ReadAll(ids)
	return all.Get(all.Dim(0) - 1)
}

// ReadAll reads further tokens and returns the logits [tokens vocab] for what follows each of them.
func (d *t5Decoder) ReadAll(ids []int) *tensor.Tensor {
	m := d.m
	logits := tensor.Scoped(func() *tensor.Tensor {
		x := rows(m.words, ids).Unsqueeze(0)
		see := nn.Attend{Scale: 1, Mask: m.decoder.biases(len(ids), d.n), Causal: true}
		for i, l := range m.decoder.layers {
			x = l.Decode(x, d.states[i], see, nn.Attend{Scale: 1})
		}
		if x = m.decoder.norm.Forward(x).Squeeze(0); m.Config.Scaled {
			x = x.Mul(1 / math.Sqrt(float64(m.Config.Dim)))
		}
		return x.MatMul(m.output)
	})
	d.n += len(ids)
	return logits
}

// Generator returns a generator of a reply to a text, for a loop over Next and Text. It panics as Hidden does.
func (m *T5) Generator(text string, s nn.Sampling) *Generator {
	g := newGenerator(m.Decoder(m.Tokenizer.Encode(text)), m.Tokenizer, s)
	g.PromptTokens([]int{m.Config.Start})
	return g
}

// Generate returns the reply to a text, such as "translate English to German: How old are you?", of at most MaxTokens
// tokens. The zero Sampling takes the likeliest tokens. Interrupting the cell that calls it ends the reply.
func (m *T5) Generate(text string) string {
	var stopped atomic.Bool
	defer interrupt.Watch(func() { stopped.Store(true) })()
	g := m.Generator(text, m.Sampling)
	var reply strings.Builder
	for n := 0; n < m.MaxTokens && !stopped.Load() && g.Next(); n++ {
		reply.WriteString(g.Text())
	}
	reply.WriteString(g.stream.Flush())
	return reply.String()
}
