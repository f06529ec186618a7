package encoder

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// stackedAttention is attention whose products are one in the file, without that of its end.
func stackedAttention(heads int, qkv *nn.Linear) parts.Attention {
	dim := qkv.Weight.Dim(0) / 3
	return parts.Attention{Heads: heads, Q: parts.Rows(qkv, 0, dim), K: parts.Rows(qkv, dim, dim),
		V: parts.Rows(qkv, 2*dim, dim)}
}

// modernNorm takes a norm with or without a bias.
func modernNorm(j *jsonEncoder, c *Config, p *nn.Params) *nn.LayerNormLayer {
	if j.NormBias {
		return nn.NewLayerNorm(c.Dim, c.Eps, p)
	}
	weight := p.Get("weight", []int{c.Dim}, nn.Const(1))
	return &nn.LayerNormLayer{Weight: weight, Bias: weight.Detach().ZerosLike(), Eps: c.Eps}
}

// modernEncoder is ModernBERT (Warner et al., 2024): norms before the parts, a gate, rotary embeddings, and layers that
// see a window.
func modernEncoder(e *Encoder, j *jsonEncoder, p *nn.Params) error {
	c := &e.Config
	act, err := nn.ParseActivation(c.Activation)
	if err != nil {
		return err
	}
	windows, bases, err := j.modernLayers(c)
	if err != nil {
		return err
	}
	labels, classifies := j.classifies()
	return p.Build(func() {
		b, headed := parts.Under(p, "model", "embeddings.tok_embeddings.weight")
		e.embed = encoderEmbedding{words: nn.NewEmbedding(c.Vocab, c.Dim, b.At("embeddings", "tok_embeddings")),
			norm: modernNorm(j, c, b.At("embeddings", "norm"))}
		tables := map[float64][2]*tensor.Tensor{}
		for i := range c.Layers {
			at := b.At("layers", i)
			qkv := parts.Linear(c.Dim, 3*c.Dim, j.AttentionBias, at.At("attn", "Wqkv"))
			in := parts.Linear(c.Dim, 2*c.Hidden, j.MLPBias, at.At("mlp", "Wi"))
			l := &encoderLayer{window: windows[i], Layer: parts.Layer{Before: true, Self: stackedAttention(c.Heads, qkv),
				Feed: parts.FeedForward{Activate: act, Gate: parts.Rows(in, 0, c.Hidden), Up: parts.Rows(in, c.Hidden, c.Hidden),
					Down: parts.Linear(c.Hidden, c.Dim, j.MLPBias, at.At("mlp", "Wo"))},
				Norm2: modernNorm(j, c, at.At("mlp_norm"))}}
			l.Self.Out = parts.Linear(c.Dim, c.Dim, j.AttentionBias, at.At("attn", "Wo"))
			if i > 0 { // the rows of the embedding are normalised already
				l.Norm1 = modernNorm(j, c, at.At("attn_norm"))
			}
			l.Self.Cos, l.Self.Sin = e.tables(tables, bases[i])
			e.layers = append(e.layers, l)
		}
		e.final = modernNorm(j, c, b.At("final_norm"))
		if !classifies || !headed {
			parts.IgnoreUnder(p, "head.", "decoder.", "classifier.")
			return
		}
		e.Labels = labels
		e.head = modernHead(j, c, len(labels), p)
	})
}

// tables are the cosines and sines of a rotary embedding, made once for each base.
func (e *Encoder) tables(made map[float64][2]*tensor.Tensor, base float64) (cos, sin *tensor.Tensor) {
	if t, ok := made[base]; ok {
		return t[0], t[1]
	}
	c := &e.Config
	w := e.embed.words.Weight
	cos, sin = nn.RopeTables(c.Context, c.Dim/c.Heads, base, w.Device())
	cos, sin = cos.ToDType(w.DType()), sin.ToDType(w.DType())
	made[base] = [2]*tensor.Tensor{cos, sin}
	return cos, sin
}

// modernLayers are the window and the base of the rotary embedding of each layer.
func (j *jsonEncoder) modernLayers(c *Config) (windows []int, bases []float64, err error) {
	global, local := parts.FirstOf(j.GlobalBase, 160000), parts.FirstOf(j.LocalBase, 10000)
	if r := j.Rope; r != nil {
		for kind, of := range map[*float64]*jsonRope{&global: r.Full, &local: r.Local} {
			if of == nil {
				continue
			}
			if k := of.kind(); k != "" && k != "default" {
				return nil, nil, fmt.Errorf("models: the rotary embedding %q is not supported in an encoder", k)
			}
			*kind = parts.FirstOf(of.Theta, *kind)
		}
	}
	kinds := j.Kinds
	if kinds == nil {
		every := parts.FirstOf(j.Every, 3)
		kinds = parts.EveryLayer(c.Layers, func(layer int) bool { return layer%every != 0 })
	}
	if len(kinds) != c.Layers {
		return nil, nil, fmt.Errorf("models: layer_types lists %d layers of %d", len(kinds), c.Layers)
	}
	for _, kind := range kinds {
		switch kind {
		case parts.Sliding:
			windows, bases = append(windows, parts.FirstOf(j.Local, 128)/2), append(bases, local)
		case "full_attention":
			windows, bases = append(windows, 0), append(bases, global)
		default:
			return nil, nil, fmt.Errorf("models: layer_types: %q is not supported: want %s or full_attention", kind,
				parts.Sliding)
		}
	}
	return windows, bases, nil
}

// modernHead is ModernBERT's classifier.
func modernHead(
	j *jsonEncoder, c *Config, labels int, p *nn.Params,
) func(x, keep *tensor.Tensor) *tensor.Tensor {
	dense := parts.Linear(c.Dim, c.Dim, j.HeadBias, p.At("head", "dense"))
	norm := modernNorm(j, c, p.At("head", "norm"))
	last := nn.NewLinear(c.Dim, labels, p.At("classifier"))
	act, err := nn.ParseActivation(parts.FirstOf(j.HeadAct, "gelu"))
	if err != nil {
		act = nil // fails below
	}
	pool := Pooling{Mode: parts.FirstOf(j.HeadPooling, "cls")}
	return func(x, keep *tensor.Tensor) *tensor.Tensor {
		if act == nil {
			panic(&tensor.Error{Op: "encoder", Kind: tensor.ErrValue, Message: err.Error()})
		}
		return last.Forward(norm.Forward(act(dense.Forward(pool.pool(x, keep.ToDType(x.DType()))))))
	}
}

// nomicEncoder is Nomic's BERT: rotary embeddings and a gate, without biases.
func nomicEncoder(e *Encoder, j *jsonEncoder, p *nn.Params) error {
	c := &e.Config
	act, err := nn.ParseActivation(c.Activation)
	if err != nil {
		return err
	}
	base := parts.FirstOf(j.RopeN, 10000)
	if j.Rope != nil {
		if k := j.Rope.kind(); k != "" && k != "default" {
			return fmt.Errorf("models: the rotary embedding %q is not supported in an encoder", k)
		}
		base = parts.FirstOf(j.Rope.Theta, base)
	}
	if j.Scaling != nil && *j.Scaling != 1 || j.Fraction != nil && *j.Fraction != 1 || j.PreNorm || j.RmsNorm ||
		j.Parallel || j.Pairs {
		return fmt.Errorf("models: nomic_bert with rotary_scaling_factor, rotary_emb_fraction, prenorm, use_rms_norm, " +
			"parallel_block or rotary_emb_interleaved is not supported")
	}
	if _, classifies := j.classifies(); classifies {
		return fmt.Errorf("models: a classifier of nomic_bert is not supported")
	}
	return p.Build(func() {
		b, _ := parts.Under(p, "nomic_bert", "embeddings.word_embeddings.weight")
		norm := func(p *nn.Params) *nn.LayerNormLayer { return nn.NewLayerNorm(c.Dim, c.Eps, p) }
		e.embed = encoderEmbedding{words: nn.NewEmbedding(c.Vocab, c.Dim, b.At("embeddings", "word_embeddings")),
			types: nn.NewEmbedding(parts.FirstOf(j.Types, 2), c.Dim, b.At("embeddings", "token_type_embeddings")),
			norm:  norm(b.At("emb_ln"))}
		tables := map[float64][2]*tensor.Tensor{}
		for i := range c.Layers {
			at := b.At("encoder", "layers", i)
			linear := func(in, out int, path ...any) *nn.Linear { return nn.NewLinearNoBias(in, out, at.At(path...)) }
			l := &encoderLayer{Layer: parts.Layer{
				Self: stackedAttention(c.Heads, linear(c.Dim, 3*c.Dim, "attn", "Wqkv")),
				Feed: parts.FeedForward{Activate: act, Up: linear(c.Dim, c.Hidden, "mlp", "fc11"),
					Gate: linear(c.Dim, c.Hidden, "mlp", "fc12"), Down: linear(c.Hidden, c.Dim, "mlp", "fc2")},
				Norm1: norm(at.At("norm1")), Norm2: norm(at.At("norm2"))}}
			l.Self.Out = linear(c.Dim, c.Dim, "attn", "out_proj")
			l.Self.Cos, l.Self.Sin = e.tables(tables, base)
			e.layers = append(e.layers, l)
		}
		parts.IgnoreUnder(p, "cls.", "pooler.")
	})
}
