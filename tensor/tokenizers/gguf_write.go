package tokenizers

import (
	"fmt"
	"strings"
)

// The further kinds of tokens in GGUF files.
const (
	kindNormal = 1
	kindByte   = 6
)

// GGUF returns the metadata by which FromGGUF makes t, for a file that is written: of a model by scores, as llama2.c's
// and Llama 2's. Others are an error.
func (t *Tokenizer) GGUF() (map[string]any, error) {
	b, ok := t.model.(*bpe)
	if !ok || b.merges != nil {
		return nil, fmt.Errorf("tokenizers: metadata are written for models by scores only")
	}
	pieces, scores, kinds := make([]string, len(t.pieces)), make([]float32, len(t.pieces)), make([]int32, len(t.pieces))
	for id, piece := range t.pieces {
		pieces[id], scores[id], kinds[id] = strings.ReplaceAll(piece, t.space, "▁"), float32(b.scores[id]), kindNormal
		switch {
		case id == t.unknown:
			kinds[id] = kindUnknown
		case t.special[id]:
			kinds[id] = kindControl
			pieces[id] = strings.TrimSpace(piece) // llama2.c has \n<s>\n
		default:
			if _, single := byteOf(piece); single {
				kinds[id] = kindByte
			}
		}
	}
	m := map[string]any{
		"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": pieces, "tokenizer.ggml.scores": scores,
		"tokenizer.ggml.token_type":    kinds,
		"tokenizer.ggml.add_bos_token": t.AddBOS, "tokenizer.ggml.add_eos_token": t.AddEOS,
		"tokenizer.ggml.add_space_prefix": t.decode.begin == withoutOne,
	}
	for key, id := range map[string]int{"bos": t.BOS, "eos": t.EOS, "unknown": t.unknown} {
		if id >= 0 {
			m["tokenizer.ggml."+key+"_token_id"] = uint32(id)
		}
	}
	return m, nil
}
