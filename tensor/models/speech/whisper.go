package speech

import (
	"fmt"
	"path/filepath"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// Whisper writes down what is said in a sound (Radford et al., 2022): an encoder reads a window of 30 s, and a decoder
// writes tokens of text and times.
type Whisper struct {
	Name      string // of its folder
	Config    Config
	Features  Features // which prepare sound
	Tokenizer *tokenizers.Tokenizer
	Options   Options // of Transcribe; begin as DefaultOptions

	dev              *tensor.Device
	dtype            tensor.DType
	conv1, conv2     *nn.Conv1d
	places           *tensor.Tensor // of the encoder, [rows dim]
	encoder, decoder []*parts.Layer
	norm, last       *nn.LayerNormLayer // after the layers of the encoder, and of the decoder
	words            *nn.Embedding
	textPlaces       *tensor.Tensor // [context dim]
	activate         tensor.Func
}

// Open reads a Whisper from a folder of Hugging Face onto a device, to compute in F32: config.json,
// generation_config.json, preprocessor_config.json, tokenizer.json and the weights. Its model_type is whisper: tiny to
// large-v3, turbo, Distil-Whisper, and what was made of them.
//
// The error names what is not supported; it is a *nn.ParamsError when weights are missing or are more than the model
// has.
func Open(path string, dev *tensor.Device) (*Whisper, error) { return OpenAs(path, tensor.F32, dev) }

// OpenAs is Open for a model that computes in dtype.
func OpenAs(path string, dtype tensor.DType, dev *tensor.Device) (*Whisper, error) {
	m := &Whisper{Name: filepath.Base(filepath.Clean(path)), Options: DefaultOptions(), dev: dev, dtype: dtype}
	if err := m.read(path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

func (m *Whisper) read(path string) (err error) {
	if !m.dtype.IsFloat() {
		return fmt.Errorf("speech: a model computes in floats, not in %v", m.dtype)
	}
	if m.Config, err = readConfig(path); err != nil {
		return err
	}
	if m.Features, err = readFeatures(path); err != nil {
		return err
	}
	c := &m.Config
	if m.Features.Count != c.Mels || m.Features.window() != 2*c.Rows {
		return fmt.Errorf("speech: windows of %d frames of %d frequencies are not what the model reads: %d of %d",
			m.Features.window(), m.Features.Count, 2*c.Rows, c.Mels)
	}
	if m.Tokenizer, err = tokenizers.ReadJSON(filepath.Join(path, "tokenizer.json")); err != nil {
		return err
	}
	if n := m.Tokenizer.Size(); n > c.Vocab {
		return fmt.Errorf("speech: the tokenizer has %d tokens, and the model %d", n, c.Vocab)
	}
	if id, ok := m.Tokenizer.ID("<|startofprev|>"); ok && c.Previous < 0 {
		c.Previous = id
	}
	if m.activate, err = nn.ParseActivation(c.Activation); err != nil {
		return err
	}
	p, err := parts.OpenParams(path, c.count(), m.dtype, m.dev)
	if err != nil {
		return err
	}
	defer p.Close()
	return m.build(p)
}

func (m *Whisper) build(p *nn.Params) error {
	c := &m.Config
	return p.Build(func() {
		b, _ := parts.Under(p, "model", "encoder.conv1.weight")
		p.Ignore("proj_out.weight") // the decoder's embed_tokens
		e := b.At("encoder")
		m.conv1 = nn.NewConv1d(c.Mels, c.Dim, 3, nn.ConvConfig{Padding: 1}, e.At("conv1"))
		m.conv2 = nn.NewConv1d(c.Dim, c.Dim, 3, nn.ConvConfig{Padding: 1, Stride: 2}, e.At("conv2"))
		m.places = e.Get("embed_positions.weight", []int{c.Rows, c.Dim}, nil)
		for i := range c.Layers {
			m.encoder = append(m.encoder, m.layer(c.Heads, c.Hidden, false, e.At("layers", i)))
		}
		m.norm = nn.NewLayerNorm(c.Dim, eps, e.At("layer_norm"))
		d := b.At("decoder")
		m.words = nn.NewEmbedding(c.Vocab, c.Dim, d.At("embed_tokens"))
		m.textPlaces = d.Get("embed_positions.weight", []int{c.Context, c.Dim}, nil)
		for i := range c.DecoderLayers {
			m.decoder = append(m.decoder, m.layer(c.DecoderHeads, c.DecoderHidden, true, d.At("layers", i)))
		}
		m.last = nn.NewLayerNorm(c.Dim, eps, d.At("layer_norm"))
	})
}

const eps = 1e-5 // of all norms

func (m *Whisper) layer(heads, hidden int, decoder bool, at *nn.Params) *parts.Layer {
	dim := m.Config.Dim
	attention := func(p *nn.Params) parts.Attention {
		return parts.Attention{Heads: heads, Q: nn.NewLinear(dim, dim, p.At("q_proj")),
			K: nn.NewLinearNoBias(dim, dim, p.At("k_proj")), V: nn.NewLinear(dim, dim, p.At("v_proj")),
			Out: nn.NewLinear(dim, dim, p.At("out_proj"))}
	}
	norm := func(name string) *nn.LayerNormLayer { return nn.NewLayerNorm(dim, eps, at.At(name)) }
	l := &parts.Layer{Before: true, Self: attention(at.At("self_attn")), Norm1: norm("self_attn_layer_norm"),
		Feed: parts.FeedForward{Activate: m.activate, Up: nn.NewLinear(dim, hidden, at.At("fc1")),
			Down: nn.NewLinear(hidden, dim, at.At("fc2"))}, Norm2: norm("final_layer_norm")}
	if decoder {
		cross := attention(at.At("encoder_attn"))
		l.Cross, l.NormCross = &cross, norm("encoder_attn_layer_norm")
	}
	return l
}

// IsModel reports whether a folder has a model that Open knows, by its config.json.
func IsModel(path string) bool {
	var j jsonConfig
	return parts.ReadJSON(filepath.Join(path, "config.json"), &j) == nil && j.ModelType == "whisper"
}

// String says what the model is, in a line.
func (m *Whisper) String() string {
	c := &m.Config
	text := fmt.Sprintf("%s: whisper, %d and %d layers, width %d, %d tokens, windows of %d s, %v on %s", m.Name, c.Layers,
		c.DecoderLayers, c.Dim, c.Vocab, m.Features.Chunk, m.dtype, m.dev.Location())
	if len(c.Languages) > 0 {
		text += fmt.Sprintf(", %d languages", len(c.Languages))
	}
	return text
}

// Device returns where the weights are.
func (m *Whisper) Device() *tensor.Device { return m.dev }

// Encode returns the rows of a window of log-mel frames [frequencies frames], [frames/2 dim]. It panics with ErrShape
// for windows of other sizes.
func (m *Whisper) Encode(mel *tensor.Tensor) *tensor.Tensor {
	c := &m.Config
	if mel.Rank() != 2 || mel.Dim(0) != c.Mels || mel.Dim(1) != 2*c.Rows {
		panic(&tensor.Error{Op: "whisper", Kind: tensor.ErrShape, Shapes: [][]int{mel.Dims()},
			Message: fmt.Sprintf("want a window [%d %d], not shape %v", c.Mels, 2*c.Rows, mel.Dims())})
	}
	return tensor.Scoped(func() *tensor.Tensor {
		x := mel.ToDevice(m.dev).ToDType(m.dtype).Unsqueeze(0)
		x = m.conv1.Forward(x).GeluErf()
		x = m.conv2.Forward(x).GeluErf().Transpose(1, 2).Contiguous().Add(m.places)
		for _, l := range m.encoder {
			x = l.Forward(x, nn.Attend{})
		}
		return m.norm.Forward(x).Squeeze(0)
	})
}

// Decoder writes the text of a window, token by token.
type Decoder struct {
	m      *Whisper
	states []*parts.State
	n      int
}

// Decoder returns a decoder for rows of Encode, with an empty text.
func (m *Whisper) Decoder(rows *tensor.Tensor) *Decoder {
	d := &Decoder{m: m}
	for _, l := range m.decoder {
		d.states = append(d.states, l.Begin(rows.Unsqueeze(0), 64))
	}
	return d
}

// Len returns how many tokens were read.
func (d *Decoder) Len() int { return d.n }

// Truncate forgets the tokens after the first n.
func (d *Decoder) Truncate(n int) {
	d.n = n
	for _, s := range d.states {
		s.Truncate(n)
	}
}

// Read reads further tokens and returns the logits [tokens vocab], F32, for what follows each of them. It panics with
// ErrShape for none, and for more than the model has positions, and with ErrIndex for tokens that there are not.
func (d *Decoder) Read(ids []int) *tensor.Tensor {
	m := d.m
	if n := d.n + len(ids); len(ids) == 0 || n > m.Config.Context {
		panic(&tensor.Error{Op: "whisper", Kind: tensor.ErrShape,
			Message: fmt.Sprintf("%d tokens after %d, of at most %d", len(ids), d.n, m.Config.Context)})
	}
	list := make([]uint32, len(ids))
	for i, id := range ids {
		if list[i] = uint32(id); id < 0 || id >= m.Config.Vocab {
			panic(&tensor.Error{Op: "whisper", Kind: tensor.ErrIndex,
				Message: fmt.Sprintf("there is no token %d, of %d", id, m.Config.Vocab)})
		}
	}
	logits := tensor.Scoped(func() *tensor.Tensor {
		x := m.words.Forward(m.dev.New(list)).Add(m.textPlaces.Narrow(0, d.n, len(ids))).Unsqueeze(0)
		for i, l := range m.decoder {
			x = l.Decode(x, d.states[i], nn.Attend{Causal: true}, nn.Attend{})
		}
		return m.last.Forward(x).Squeeze(0).MatMul(m.words.Weight.T()).ToDType(tensor.F32)
	})
	d.n += len(ids)
	return logits
}
