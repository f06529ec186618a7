package config

import (
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/tensor/nn"
)

// Names are the names of the weights in one kind of file. Below layers they are relative.
type Names struct {
	Embedding, Positions, Norm, Output, Layers           string
	EmbeddingNorm                                        string
	Mixer                                                string // below it is what a layer with a state has
	AttentionNorm, Q, K, V, Out, FFNNorm, Gate, Down, Up string
	QNorm, KNorm                                         string
	AttentionAfter, FFNAfter                             string // of variants with such norms
	QKV, GateUp                                          string // in place of q, k and v, and of gate and up, if not ""
	Sinks                                                string
	// of a mixture: below experts, a pattern for their numbers, and shared the names of the products
	Router, Experts, ExpertGate, ExpertUp, ExpertDown, Shared, SharedGate string
	ExpertGateUp                                                          string // in place of both, if not ""
	Correction                                                            string // if not beside the router's weights
	Stacked                                                               stackedAs

	CorrectionRow bool // correction is [1 experts]

	ByHead      bool // qkv has groups of heads one after the other: queries, key, value
	InputsFirst bool // matrices are [inputs outputs]
	GGUF        bool // experts, latent attention and states are as in GGUF files
	FlatGate    bool // and the gate of the shared one is a vector, as in older ones
	Ignored     []string
	// beginnings of names of what is not computed
	IgnoredUnder []string
}

var Files = []*Names{
	{ // Meta
		Embedding: "tok_embeddings", Norm: "norm", Output: "output", Layers: "layers.%d",
		AttentionNorm: "attention_norm", Q: "attention.wq", K: "attention.wk", V: "attention.wv", Out: "attention.wo",
		FFNNorm: "ffn_norm", Gate: "feed_forward.w1", Down: "feed_forward.w2", Up: "feed_forward.w3",
		Ignored: []string{"rope.freqs"},
	},
	{ // Hugging Face
		Embedding: "model.embed_tokens", Norm: "model.norm", Output: "lm_head", Layers: "model.layers.%d",
		AttentionNorm: "input_layernorm", Q: "self_attn.q_proj", K: "self_attn.k_proj", V: "self_attn.v_proj",
		Out:     "self_attn.o_proj",
		FFNNorm: "post_attention_layernorm", Gate: "mlp.gate_proj", Down: "mlp.down_proj", Up: "mlp.up_proj",
		QNorm: "self_attn.q_norm", KNorm: "self_attn.k_norm", Sinks: "self_attn.sinks",
		AttentionAfter: "post_self_attn_layernorm", FFNAfter: "post_mlp_layernorm",
		Router: "mlp.gate", Experts: "mlp.experts.%d", ExpertGate: "gate_proj", ExpertUp: "up_proj", ExpertDown: "down_proj",
		Shared: "mlp.shared_expert", SharedGate: "mlp.shared_expert_gate",
	},
	{ // GGUF
		Embedding: "token_embd", EmbeddingNorm: "token_embd_norm", Norm: "output_norm", Output: "output", Layers: "blk.%d",
		AttentionNorm: "attn_norm", Q: "attn_q", K: "attn_k", V: "attn_v", Out: "attn_output",
		FFNNorm: "ffn_norm", Gate: "ffn_gate", Down: "ffn_down", Up: "ffn_up",
		QNorm: "attn_q_norm", KNorm: "attn_k_norm", Sinks: "attn_sinks.weight",
		AttentionAfter: "post_attention_norm", FFNAfter: "post_ffw_norm",
		Ignored: []string{"rope_freqs.weight", "rope_factors_short.weight", "rope_factors_long.weight"},
	},
}

// NamesIn finds out which names p has.
func NamesIn(c *LlamaConfig, p *nn.Params) (*Names, error) {
	if c.names != nil {
		return c.names.found(p), nil
	}
	if p.New() {
		return Files[1], nil
	}
	for _, n := range Files {
		if p.Has(n.Embedding + ".weight") {
			return n, nil
		}
	}
	var want []string
	for _, n := range Files {
		want = append(want, n.Embedding+".weight")
	}
	return nil, fmt.Errorf("models: these are not the weights of a Llama: none of %q is there", want)
}

// found are the names in files of a model without its head, in which they have no beginning.
func (n *Names) found(p *nn.Params) *Names {
	const beginning = "transformer."
	bare, ok := strings.CutPrefix(n.Embedding, beginning)
	if !ok || p.New() || p.Has(n.Embedding+".weight") || !p.Has(bare+".weight") {
		return n
	}
	m := *n
	for _, name := range []*string{&m.Embedding, &m.Positions, &m.Norm, &m.Layers} {
		*name = strings.TrimPrefix(*name, beginning)
	}
	return &m
}

// stackedAs is how a file has the experts of a layer: by name, or all as one parameter [experts inputs outputs] for
// each product. Gates and what they multiply are one product then: halves, or pairs of neighbours.
type stackedAs int

const (
	ByName stackedAs = iota
	inHalves
	InPairs
	InRows // in halves, and [experts outputs inputs]
)

// Translate returns what a weight is called in another kind of file.
func (n *Names) Translate(name string, to *Names) (string, bool) {
	base, ok := strings.CutSuffix(name, ".weight")
	if !ok {
		return "", false
	}
	for _, p := range [][2]string{{n.Embedding, to.Embedding}, {n.Norm, to.Norm}, {n.Output, to.Output}} {
		if base == p[0] {
			return p[1] + ".weight", true
		}
	}
	var layer int
	var rest string
	if k, err := fmt.Sscanf(base, n.Layers+".%s", &layer, &rest); k != 2 || err != nil {
		return "", false
	}
	for _, p := range [][2]string{
		{n.AttentionNorm, to.AttentionNorm}, {n.Q, to.Q}, {n.K, to.K}, {n.V, to.V}, {n.Out, to.Out},
		{n.FFNNorm, to.FFNNorm}, {n.Gate, to.Gate}, {n.Down, to.Down}, {n.Up, to.Up},
	} {
		if rest == p[0] {
			return fmt.Sprintf(to.Layers, layer) + "." + p[1] + ".weight", true
		}
	}
	return "", false
}
