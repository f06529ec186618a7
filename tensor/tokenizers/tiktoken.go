package tokenizers

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
)

// llama3Special are the special tokens of Llama 3 with names, by their place after the others; there are 256.
var llama3Special = map[int]string{0: "<|begin_of_text|>", 1: "<|end_of_text|>", 4: "<|finetune_right_pad_id|>",
	6: "<|start_header_id|>", 7: "<|end_header_id|>", 8: "<|eom_id|>", 9: "<|eot_id|>", 10: "<|python_tag|>"}

// ReadMeta reads the tokenizer.model of a model as Meta distributes it: of Llama 3, lines of tokens in base64 with
// their ranks, as tiktoken reads them, after which come 256 special tokens under the names that Llama 3.1 has; of Llama
// 1 and 2 a model of SentencePiece. Texts begin with BOS.
func ReadMeta(path string) (*Tokenizer, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var t *Tokenizer
	if line, _, _ := bytes.Cut(data, []byte("\n")); bytes.HasSuffix(bytes.TrimSpace(line), []byte(" 0")) {
		t, err = parseRanks(data)
	} else if t, err = ParseSentencePiece(data); err == nil && t.BOS < 0 {
		err = fmt.Errorf("tokenizers: the SentencePiece model has no token that begins a text")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	t.AddBOS = true
	return t, nil
}

// parseRanks reads lines of tokens with their ranks.
func parseRanks(data []byte) (*Tokenizer, error) {
	var pieces []string
	var scores []float64
	for number, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		code, rank, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		token, err := base64.StdEncoding.DecodeString(string(code))
		n, err2 := strconv.Atoi(string(rank))
		if err != nil || err2 != nil || n != number || len(token) == 0 {
			return nil, fmt.Errorf("tokenizers: line %d, %.60q, is not a token in base64 and the rank %d", number+1, line,
				number)
		}
		pieces, scores = append(pieces, toByteRunes(string(token))), append(scores, -float64(n))
	}
	t, err := newTokenizer(pieces)
	if err != nil {
		return nil, err
	}
	if len(t.ids) != len(pieces) {
		return nil, fmt.Errorf("tokenizers: %d of %d tokens are there twice", len(pieces)-len(t.ids), len(pieces))
	}
	for b := range 256 {
		if _, ok := t.ids[toByteRunes(string([]byte{byte(b)}))]; !ok {
			return nil, fmt.Errorf("tokenizers: there is no token for the byte 0x%02X", b)
		}
	}
	var special []added
	const count = 256
	for i, reserved := 0, 0; i < count; i++ {
		name, ok := llama3Special[i]
		if !ok {
			name = fmt.Sprintf("<|reserved_special_token_%d|>", reserved)
			reserved++
		}
		special = append(special, added{text: name, id: len(t.pieces), special: true})
		t.pieces = append(t.pieces, name)
	}
	t.setAdded(special)
	for b := range t.bytes {
		t.bytes[b] = -1
	}
	t.BOS, t.EOS = len(pieces), len(pieces)+1
	t.byteLevel, t.decode.letters = true, true
	t.model = &bpe{scores: scores, whole: true}
	return t, t.addPattern(llama3Pattern)
}
