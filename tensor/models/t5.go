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
	"github.com/gorocm/gorocm/tensor/models/internal/t5"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// T5Config are the sizes of a T5.
type T5Config = t5.Config

// T5 is a model that makes a text of a text: T5, Flan-T5 and mT5 (Raffel et al.,
// 2019). An encoder reads the whole text,
// and a decoder writes the reply, token by token.
type T5 struct {
	Name      string // of its folder
	Config    T5Config
	Tokenizer *tokenizers.Tokenizer
	Sampling  nn.Sampling // of Generate; begins as generation_config.json says
	MaxTokens int         // of a reply of Generate

	net *t5.Net
}

// OpenT5 reads a T5 from a folder of Hugging Face onto a device, to compute in F32: config.json, tokenizer.json
// or spiece.model, generation_config.json and the weights. Its model_type is t5 (and so Flan-T5) or mt5. T5's first
// files hold F32; F16 may overflow in them.
//
// The error names what is not supported. It is a *nn.ParamsError when weights are missing, or when there are others.
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
	if m.Config, err = t5.ReadConfig(path); err != nil {
		return err
	}
	if m.Sampling, err = generationConfig(path); err != nil {
		return err
	}
	if m.Tokenizer, err = tokenizers.ReadFolder(path); err != nil {
		return err
	}
	if n := m.Tokenizer.Size(); n > m.Config.Vocab {
		return fmt.Errorf("models: the tokenizer has %d tokens, and the model %d", n, m.Config.Vocab)
	}
	p, err := parts.OpenParams(path, m.Config.Count(), dtype, dev)
	if err != nil {
		return err
	}
	defer p.Close()
	return p.Build(func() { m.net = t5.New(&m.Config, p) })
}

// String says what the model is, in a line.
func (m *T5) String() string {
	c := &m.Config
	return fmt.Sprintf("%s: %s, %d and %d layers, width %d, %d tokens, %v on %s", m.Name, c.ModelType, c.Layers,
		c.DecoderLayers, c.Dim, c.Vocab, m.net.Words.DType(), m.Device().Location())
}

// Device returns where the weights are.
func (m *T5) Device() *tensor.Device { return m.net.Words.Device() }

// Hidden returns what the encoder gives for a text in tokens, [tokens dim]. It panics with ErrShape for no tokens, and
// with ErrIndex for tokens that the model does not have.
func (m *T5) Hidden(ids []int) *tensor.Tensor { return m.hidden(ids).Squeeze(0) }

func (m *T5) hidden(ids []int) *tensor.Tensor {
	if len(ids) == 0 {
		panic(&tensor.Error{Op: "t5", Kind: tensor.ErrShape, Message: "the text has no tokens"})
	}
	parts.CheckTokens(ids, m.Config.Vocab)
	return m.net.Hidden(ids)
}

// Decoder returns a decoder of replies to a text in tokens, which a Generator generates with. The first token that it
// reads is Config.Start. It panics as Hidden does.
func (m *T5) Decoder(ids []int) Decoder {
	d := &t5Decoder{m: m}
	hidden := m.hidden(ids)
	for _, l := range m.net.Decoder.Layers {
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
		x := rows(m.net.Words, ids).Unsqueeze(0)
		see := nn.Attend{Scale: 1, Mask: m.net.Decoder.Biases(len(ids), d.n), Causal: true}
		for i, l := range m.net.Decoder.Layers {
			x = l.Decode(x, d.states[i], see, nn.Attend{Scale: 1})
		}
		if x = m.net.Decoder.Norm.Forward(x).Squeeze(0); m.Config.Scaled {
			x = x.Mul(1 / math.Sqrt(float64(m.Config.Dim)))
		}
		return x.MatMul(m.net.Output)
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
