package encoder

import (
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// encoderNames are what the weights of BERT's form are called. Those of layers are after a name with the layer's
// number.
type encoderNames struct {
	base             string // of files that have a head beside the encoder
	layers           string
	q, k, v, out     string
	up, down         string
	norm1, norm2     string
	heads            []string // beginnings of the names of what Embed does not need
	classifierFirst  string   // the layer of the classifier before its last
	classifierSecond string
}

var bertNames = encoderNames{base: "bert", layers: "encoder.layer.%d", q: "attention.self.query",
	k: "attention.self.key", v: "attention.self.value", out: "attention.output.dense", up: "intermediate.dense",
	down: "output.dense", norm1: "attention.output.LayerNorm", norm2: "output.LayerNorm",
	heads: []string{"pooler.", "cls.", "classifier."}, classifierFirst: "pooler.dense", classifierSecond: "classifier"}

// bertEncoder is BERT (Devlin et al., 2018): MiniLM, E5, BGE and GTE have its form.
func bertEncoder(e *Encoder, j *jsonEncoder, p *nn.Params) error {
	return e.build(j, p, &bertNames, 0, (*tensor.Tensor).Tanh)
}

// robertaEncoder is RoBERTa (Liu et al., 2019): positions begin after that of what fills texts up.
func robertaEncoder(e *Encoder, j *jsonEncoder, p *nn.Params) error {
	names := bertNames
	names.base, names.heads = "roberta", []string{"pooler.", "lm_head.", "classifier."}
	names.classifierFirst, names.classifierSecond = "classifier.dense", "classifier.out_proj"
	pad := 1
	if j.Pad != nil {
		pad = *j.Pad
	}
	if e.Config.Context -= pad + 1; e.Config.Context < 1 || pad < 0 {
		return fmt.Errorf("models: there are no positions after that of the pad token, %d", pad)
	}
	return e.build(j, p, &names, pad+1, (*tensor.Tensor).Tanh)
}

// distilEncoder is DistilBERT (Sanh et al., 2019): BERT without types.
func distilEncoder(e *Encoder, j *jsonEncoder, p *nn.Params) error {
	j.Types = 0
	return e.build(j, p, &encoderNames{base: "distilbert", layers: "transformer.layer.%d", q: "attention.q_lin",
		k: "attention.k_lin", v: "attention.v_lin", out: "attention.out_lin", up: "ffn.lin1", down: "ffn.lin2",
		norm1: "sa_layer_norm", norm2: "output_layer_norm",
		heads:           []string{"vocab_transform.", "vocab_layer_norm.", "vocab_projector.", "pre_classifier.", "classifier."},
		classifierFirst: "pre_classifier", classifierSecond: "classifier"}, 0, (*tensor.Tensor).Relu)
}

// build takes the weights of a model of BERT's form, whose positions begin at first. activate is that of a classifier.
func (e *Encoder) build(j *jsonEncoder, p *nn.Params, n *encoderNames, first int, activate tensor.Func) error {
	c := &e.Config
	act, err := nn.ParseActivation(c.Activation)
	if err != nil {
		return err
	}
	labels, classifies := j.classifies()
	return p.Build(func() {
		b, headed := parts.Under(p, n.base, "embeddings.word_embeddings.weight")
		at := b.At("embeddings")
		e.embed = encoderEmbedding{words: nn.NewEmbedding(c.Vocab, c.Dim, at.At("word_embeddings")),
			places: nn.NewEmbedding(c.Context+first, c.Dim, at.At("position_embeddings")), first: first,
			norm: nn.NewLayerNorm(c.Dim, c.Eps, at.At("LayerNorm"))}
		if j.Types > 0 {
			e.embed.types = nn.NewEmbedding(j.Types, c.Dim, at.At("token_type_embeddings"))
		}
		at.Ignore("position_ids")
		for i := range c.Layers {
			at := b.At(fmt.Sprintf(n.layers, i))
			linear := func(in, out int, name string) *nn.Linear { return nn.NewLinear(in, out, at.At(name)) }
			e.layers = append(e.layers, &encoderLayer{Layer: parts.Layer{
				Self: parts.Attention{Heads: c.Heads, Q: linear(c.Dim, c.Dim, n.q), K: linear(c.Dim, c.Dim, n.k),
					V: linear(c.Dim, c.Dim, n.v), Out: linear(c.Dim, c.Dim, n.out)},
				Feed:  parts.FeedForward{Activate: act, Up: linear(c.Dim, c.Hidden, n.up), Down: linear(c.Hidden, c.Dim, n.down)},
				Norm1: nn.NewLayerNorm(c.Dim, c.Eps, at.At(n.norm1)), Norm2: nn.NewLayerNorm(c.Dim, c.Eps, at.At(n.norm2))}})
		}
		if classifies && headed {
			of := p
			if strings.HasPrefix(n.classifierFirst, "pooler") {
				of = b
			}
			dense := nn.NewLinear(c.Dim, c.Dim, of.At(n.classifierFirst))
			last := nn.NewLinear(c.Dim, len(labels), p.At(n.classifierSecond))
			e.Labels = labels
			e.head = func(hidden, _ *tensor.Tensor) *tensor.Tensor {
				return last.Forward(activate(dense.Forward(hidden.Narrow(1, 0, 1).Squeeze(1))))
			}
			return
		}
		parts.IgnoreUnder(p, n.heads...)
		if headed {
			parts.IgnoreUnder(b, "pooler.")
		}
	})
}
