package tokenizers

import (
	"errors"
	"fmt"
	"os"

	"github.com/gorocm/gorocm/internal/keep"
)

// writtenJSON is the tokenizer.json of a byte-level BPE.
type writtenJSON struct {
	Version       string         `json:"version"`
	Truncation    *int           `json:"truncation"`
	Padding       *int           `json:"padding"`
	AddedTokens   []writtenAdded `json:"added_tokens"`
	Normalizer    *int           `json:"normalizer"`
	PreTokenizer  map[string]any `json:"pre_tokenizer"`
	PostProcessor *int           `json:"post_processor"`
	Decoder       map[string]any `json:"decoder"`
	Model         writtenBPE     `json:"model"`
}

type writtenAdded struct {
	ID         int    `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	Lstrip     bool   `json:"lstrip"`
	Rstrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
	Special    bool   `json:"special"`
}

type writtenBPE struct {
	Type         string         `json:"type"`
	Dropout      *float64       `json:"dropout"`
	Unknown      *string        `json:"unk_token"`
	Prefix       *string        `json:"continuing_subword_prefix"`
	Suffix       *string        `json:"end_of_word_suffix"`
	FuseUnk      bool           `json:"fuse_unk"`
	ByteFallback bool           `json:"byte_fallback"`
	IgnoreMerges bool           `json:"ignore_merges"`
	Vocab        map[string]int `json:"vocab"`
	Merges       [][2]string    `json:"merges"`
}

// newJSON is the file of a tokenizer that TrainBPE makes, without its vocabulary.
func newJSON(begin []string, o BPETraining) (*writtenJSON, error) {
	byteLevel := map[string]any{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true,
		"use_regex": false}
	j := &writtenJSON{Version: "1.0", Decoder: byteLevel, Model: writtenBPE{Type: "BPE"}, AddedTokens: []writtenAdded{},
		PreTokenizer: map[string]any{"type": "Sequence", "pretokenizers": []any{
			map[string]any{"type": "Split", "pattern": map[string]string{"Regex": o.Pattern}, "behavior": "Isolated",
				"invert": false}, byteLevel}}}
	seen := map[string]bool{}
	for id, text := range begin {
		if text == "" || seen[text] {
			return nil, fmt.Errorf("tokenizers: the special token %q is empty, a byte, or occurs twice", text)
		}
		seen[text] = true
		if id < len(o.Special) {
			j.AddedTokens = append(j.AddedTokens, writtenAdded{ID: id, Content: text, Special: true})
		}
	}
	return j, nil
}

// kept is a Tokenizer in checkpoints of sessions.
type kept struct {
	BOS, EOS       int
	AddBOS, AddEOS bool
	JSON           string
}

var _ = keep.As(func(t *Tokenizer) (kept, error) {
	if t.source == "" && t.model != nil {
		return kept{}, errors.New("its file was no tokenizer.json")
	}
	return kept{t.BOS, t.EOS, t.AddBOS, t.AddEOS, t.source}, nil
}, func(t *Tokenizer, k kept) error {
	if k.JSON != "" {
		made, err := ParseJSON([]byte(k.JSON))
		if err != nil {
			return err
		}
		*t = *made
	}
	t.BOS, t.EOS, t.AddBOS, t.AddEOS = k.BOS, k.EOS, k.AddBOS, k.AddEOS
	return nil
})

// WriteJSON writes the tokenizer to a tokenizer.json, which ReadJSON, transformers and Hugging Face's tokenizers read:
// one that TrainBPE has made, or that was read from such a file, which is written as it was. Others are an error.
func (t *Tokenizer) WriteJSON(path string) error {
	if t.source == "" {
		return errors.New("tokenizers: only tokenizers of TrainBPE and of tokenizer.json are written to one")
	}
	return os.WriteFile(path, []byte(t.source), 0o666)
}
