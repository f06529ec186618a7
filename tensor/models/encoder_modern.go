package models

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// stackedPart is a linear layer of some rows of a matrix that stacks several.
func stackedPart(w *nn.Linear, first, rows int) *nn.Linear {
	l := w.Rows(first, rows)
	if l.Weight != nil {
		l.Weight = l.Weight.Contiguous()
	}
	if l.Bias != nil {
		l.Bias = l.Bias.Contiguous()
	}
	return l
}

// linearOf takes a linear layer with or without a bias.
func linearOf(in, out int, bias bool, p *nn.Params) *nn.Linear {
	if bias {
		return nn.NewLinear(in, out, p)
	}
	return nn.NewLinearNoBias(in, out, p)
}

// modernNorm takes a norm with or without a bias.
func modernNorm(j *jsonEncoder, c *EncoderConfig, p *nn.Params) *nn.LayerNormLayer {
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
		b, headed := under(p, "model", "embeddings.tok_embeddings.weight")
		e.embed = encoderEmbedding{words: nn.NewEmbedding(c.Vocab, c.Dim, b.At("embeddings", "tok_embeddings")),
			norm: modernNorm(j, c, b.At("embeddings", "norm"))}
		tables := map[float64][2]*tensor.Tensor{}
		for i := range c.Layers {
			at := b.At("layers", i)
			qkv := linearOf(c.Dim, 3*c.Dim, j.AttentionBias, at.At("attn", "Wqkv"))
			in := linearOf(c.Dim, 2*c.Hidden, j.MLPBias, at.At("mlp", "Wi"))
			l := &encoderLayer{heads: c.Heads, window: windows[i], before: true, activate: act,
				q: stackedPart(qkv, 0, c.Dim), k: stackedPart(qkv, c.Dim, c.Dim), v: stackedPart(qkv, 2*c.Dim, c.Dim),
				out:  linearOf(c.Dim, c.Dim, j.AttentionBias, at.At("attn", "Wo")),
				gate: stackedPart(in, 0, c.Hidden), up: stackedPart(in, c.Hidden, c.Hidden),
				down: linearOf(c.Hidden, c.Dim, j.MLPBias, at.At("mlp", "Wo")), norm2: modernNorm(j, c, at.At("mlp_norm"))}
			if i > 0 { // the rows of the embedding are normalised already
				l.norm1 = modernNorm(j, c, at.At("attn_norm"))
			}
			l.ropeCos, l.ropeSin = e.tables(tables, bases[i])
			e.layers = append(e.layers, l)
		}
		e.final = modernNorm(j, c, b.At("final_norm"))
		if !classifies || !headed {
			ignoreHeads(p, "head.", "decoder.", "classifier.")
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
func (j *jsonEncoder) modernLayers(c *EncoderConfig) (windows []int, bases []float64, err error) {
	global, local := firstOf(j.GlobalBase, 160000), firstOf(j.LocalBase, 10000)
	if r := j.Rope; r != nil {
		for kind, of := range map[*float64]*jsonRope{&global: r.full, &local: r.local} {
			if of == nil {
				continue
			}
			if k := of.kind(); k != "" && k != "default" {
				return nil, nil, fmt.Errorf("models: the rotary embedding %q is not supported in an encoder", k)
			}
			*kind = firstOf(of.Theta, *kind)
		}
	}
	kinds := j.Kinds
	if kinds == nil {
		every := firstOf(j.Every, 3)
		kinds = everyLayer(c.Layers, func(layer int) bool { return layer%every != 0 })
	}
	if len(kinds) != c.Layers {
		return nil, nil, fmt.Errorf("models: layer_types lists %d layers of %d", len(kinds), c.Layers)
	}
	for _, kind := range kinds {
		switch kind {
		case sliding:
			windows, bases = append(windows, firstOf(j.Local, 128)/2), append(bases, local)
		case "full_attention":
			windows, bases = append(windows, 0), append(bases, global)
		default:
			return nil, nil, fmt.Errorf("models: layer_types: %q is not supported: want %s or full_attention", kind, sliding)
		}
	}
	return windows, bases, nil
}

// modernHead is ModernBERT's classifier.
func modernHead(
	j *jsonEncoder, c *EncoderConfig, labels int, p *nn.Params,
) func(x, keep *tensor.Tensor) *tensor.Tensor {
	dense := linearOf(c.Dim, c.Dim, j.HeadBias, p.At("head", "dense"))
	norm := modernNorm(j, c, p.At("head", "norm"))
	last := nn.NewLinear(c.Dim, labels, p.At("classifier"))
	act, err := nn.ParseActivation(firstOf(j.HeadAct, "gelu"))
	if err != nil {
		act = nil // fails below
	}
	pool := Pooling{Mode: firstOf(j.HeadPooling, "cls")}
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
	base := firstOf(j.RopeN, 10000)
	if j.Rope != nil {
		if k := j.Rope.kind(); k != "" && k != "default" {
			return fmt.Errorf("models: the rotary embedding %q is not supported in an encoder", k)
		}
		base = firstOf(j.Rope.Theta, base)
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
		b, _ := under(p, "nomic_bert", "embeddings.word_embeddings.weight")
		norm := func(p *nn.Params) *nn.LayerNormLayer { return nn.NewLayerNorm(c.Dim, c.Eps, p) }
		e.embed = encoderEmbedding{words: nn.NewEmbedding(c.Vocab, c.Dim, b.At("embeddings", "word_embeddings")),
			types: nn.NewEmbedding(firstOf(j.Types, 2), c.Dim, b.At("embeddings", "token_type_embeddings")),
			norm:  norm(b.At("emb_ln"))}
		tables := map[float64][2]*tensor.Tensor{}
		for i := range c.Layers {
			at := b.At("encoder", "layers", i)
			linear := func(in, out int, path ...any) *nn.Linear { return nn.NewLinearNoBias(in, out, at.At(path...)) }
			qkv := linear(c.Dim, 3*c.Dim, "attn", "Wqkv")
			l := &encoderLayer{heads: c.Heads, activate: act, q: stackedPart(qkv, 0, c.Dim), k: stackedPart(qkv, c.Dim, c.Dim),
				v: stackedPart(qkv, 2*c.Dim, c.Dim), out: linear(c.Dim, c.Dim, "attn", "out_proj"),
				up: linear(c.Dim, c.Hidden, "mlp", "fc11"), gate: linear(c.Dim, c.Hidden, "mlp", "fc12"),
				down: linear(c.Hidden, c.Dim, "mlp", "fc2"), norm1: norm(at.At("norm1")), norm2: norm(at.At("norm2"))}
			l.ropeCos, l.ropeSin = e.tables(tables, base)
			e.layers = append(e.layers, l)
		}
		ignoreHeads(p, "cls.", "pooler.")
	})
}
