package models

import (
	"fmt"
	"maps"

	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models/internal/config"
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
	if err := c.Check(); err != nil {
		return err
	}
	if !c.Interleaved || c.QKVBias || c.QKNorm || !c.IsLlama() {
		return fmt.Errorf("models: only a Llama whose rotary embedding pairs neighbours is written to GGUF")
	}
	from, to := config.Files[0], config.Files[2]
	var packed []formats.Packed
	for _, w := range weights {
		as := quant.F32
		if dims := w.Tensor.Dims(); len(dims) > 1 {
			as = t
			if dims[len(dims)-1]%t.BlockSize() != 0 {
				as = quant.F16
			}
		}
		name, ok := from.Translate(w.Name, to)
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
