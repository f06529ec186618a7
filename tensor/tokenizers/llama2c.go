package tokenizers

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
)

// ReadLlama2c reads a tokenizer.bin of llama2.c, such as tok512.bin.
func ReadLlama2c(path string) (*Tokenizer, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t, err := ParseLlama2c(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// ParseLlama2c is ReadLlama2c of what is in memory: the length of the longest token, which is not used, and for each
// token its score as a float32, its length and its bytes, all little-endian.
func ParseLlama2c(data []byte) (*Tokenizer, error) {
	const head, least = 4, 8
	if len(data) < head {
		return nil, fmt.Errorf("tokenizers: a file of %d bytes is not a tokenizer of llama2.c", len(data))
	}
	var pieces []string
	var scores []float64
	for at := head; at < len(data); {
		if len(data)-at < least {
			return nil, fmt.Errorf("tokenizers: token %d, at byte %d, is cut off", len(pieces), at)
		}
		score := math.Float32frombits(binary.LittleEndian.Uint32(data[at:]))
		n := int(int32(binary.LittleEndian.Uint32(data[at+4:])))
		at += least
		if n < 0 || n > len(data)-at {
			return nil, fmt.Errorf("tokenizers: token %d, at byte %d, has a length of %d, and %d bytes are left",
				len(pieces), at-least, n, len(data)-at)
		}
		pieces, scores = append(pieces, string(data[at:at+n])), append(scores, float64(score))
		at += n
	}
	t, err := newTokenizer(pieces)
	if err != nil {
		return nil, err
	}
	const unknown, bos, eos = 0, 1, 2 // as in every SentencePiece model of Llama
	if len(pieces) <= eos {
		return nil, fmt.Errorf("tokenizers: %d tokens are too few: the first three are unknown, begin and end",
			len(pieces))
	}
	t.unknown, t.BOS, t.EOS, t.AddBOS = unknown, bos, eos, true
	for id := unknown; id <= eos; id++ {
		t.special[id] = true
		delete(t.ids, pieces[id])
	}
	t.decode = decoding{bytes: true, begin: withoutOne}
	t.prefix = func(text string, first bool) string {
		if first {
			return " " + text
		}
		return text
	}
	t.model = &bpe{scores: scores}
	return t, nil
}
