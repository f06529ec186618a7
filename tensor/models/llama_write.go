package models

import (
	"fmt"
	"maps"
	"strings"

	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/quant"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// WriteLlamaGGUF writes a Llama to a GGUF file that OpenLlama and llama.cpp read. The weights have Meta's names, as
// formats.ReadLlama2c gives them, and the rotary embedding of c pairs neighbours. Matrices are packed as t where their
// rows are whole blocks of it, and as F16 where they are not; vectors stay F32. tok, which may be nil, goes into the
// file when it is one by scores. The file is complete or not there.
func WriteLlamaGGUF(
	path string, c LlamaConfig, weights []formats.Named, tok *tokenizers.Tokenizer, t quant.Type,
) error {
	if err := c.check(); err != nil {
		return err
	}
	if !c.Interleaved || c.QKVBias || c.QKNorm || !c.isLlama() {
		return fmt.Errorf("models: only a Llama whose rotary embedding pairs neighbours is written to GGUF")
	}
	from, to := llamaFiles[0], llamaFiles[2]
	var packed []formats.Packed
	for _, w := range weights {
		as := quant.F32
		if dims := w.Tensor.Dims(); len(dims) > 1 {
			as = t
			if dims[len(dims)-1]%t.BlockSize() != 0 {
				as = quant.F16
			}
		}
		name, ok := from.translate(w.Name, to)
		if !ok {
			return fmt.Errorf("models: %s is not a weight of a Llama with Meta's names", w.Name)
		}
		packed = append(packed, formats.Packed{Name: name, Tensor: quant.Quantize(w.Tensor, as)})
	}
	meta := map[string]any{
		"general.architecture": "llama", "llama.embedding_length": uint32(c.Dim),
		"llama.feed_forward_length": uint32(c.Hidden), "llama.block_count": uint32(c.Layers),
		"llama.attention.head_count": uint32(c.Heads), "llama.attention.head_count_kv": uint32(c.KVHeads),
		"llama.context_length":                   uint32(c.Context),
		"llama.attention.layer_norm_rms_epsilon": float32(c.Eps), "llama.rope.freq_base": float32(c.RopeBase),
		"llama.rope.dimension_count": uint32(c.HeadDim),
		"llama.attention.key_length": uint32(c.HeadDim), "llama.attention.value_length": uint32(c.HeadDim),
		"llama.vocab_size": uint32(c.Vocab),
	}
	if tok != nil {
		more, err := tok.GGUF()
		if err != nil {
			return err
		}
		maps.Copy(meta, more)
	}
	return formats.WriteGGUF(path, packed, meta)
}

// translate returns what a weight is called in another kind of file.
func (n *llamaNames) translate(name string, to *llamaNames) (string, bool) {
	base, ok := strings.CutSuffix(name, ".weight")
	if !ok {
		return "", false
	}
	for _, p := range [][2]string{{n.embedding, to.embedding}, {n.norm, to.norm}, {n.output, to.output}} {
		if base == p[0] {
			return p[1] + ".weight", true
		}
	}
	var layer int
	var rest string
	if k, err := fmt.Sscanf(base, n.layers+".%s", &layer, &rest); k != 2 || err != nil {
		return "", false
	}
	for _, p := range [][2]string{
		{n.attentionNorm, to.attentionNorm}, {n.q, to.q}, {n.k, to.k}, {n.v, to.v}, {n.out, to.out},
		{n.ffnNorm, to.ffnNorm}, {n.gate, to.gate}, {n.down, to.down}, {n.up, to.up},
	} {
		if rest == p[0] {
			return fmt.Sprintf(to.layers, layer) + "." + p[1] + ".weight", true
		}
	}
	return "", false
}
