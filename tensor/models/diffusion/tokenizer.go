package diffusion

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// openTokenizer reads CLIP's tokenizer of a folder: tokenizer.json, or of older ones vocab.json and merges.txt.
func openTokenizer(folder string) (*tokenizers.Tokenizer, error) {
	t, err := tokenizers.ReadJSON(filepath.Join(folder, "tokenizer.json"))
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return t, err
	}
	var vocab map[string]int
	if err := parts.ReadJSON(filepath.Join(folder, "vocab.json"), &vocab); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is neither a tokenizer.json nor a vocab.json")
	} else if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(folder, "merges.txt"))
	if err != nil {
		return nil, err
	}
	data, err := clipTokenizer(vocab, string(text))
	if err != nil {
		return nil, err
	}
	return tokenizers.ParseJSON(data)
}

// The tokens that begin and end texts.
const (
	clipBegin = "<|startoftext|>"
	clipEnd   = "<|endoftext|>"
)

// clipWords are the words of CLIP's texts.
const clipWords = `<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+`

// mostMerges is how many lines of merges.txt are used.
const mostMerges = 49152 - 256 - 2

// clipTokenizer is a tokenizer.json of CLIP's tokenizer with these tokens and the lines of merges.txt.
func clipTokenizer(vocab map[string]int, lines string) ([]byte, error) {
	type object = map[string]any
	merges := []string{}
	for i, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		if i > 0 && len(merges) < mostMerges { // the first line is a version
			merges = append(merges, strings.TrimSuffix(line, "\r"))
		}
	}
	begin, hasBegin := vocab[clipBegin]
	end, hasEnd := vocab[clipEnd]
	if !hasBegin || !hasEnd {
		return nil, fmt.Errorf("vocab.json has no %s or no %s", clipBegin, clipEnd)
	}
	return json.Marshal(object{
		"added_tokens": []object{
			{"id": begin, "content": clipBegin, "special": true}, {"id": end, "content": clipEnd, "special": true}},
		"normalizer": object{"type": "Sequence", "normalizers": []object{{"type": "NFC"},
			{"type": "Replace", "pattern": object{"Regex": `\s+`}, "content": " "}, {"type": "Lowercase"}}},
		"pre_tokenizer": object{"type": "Sequence", "pretokenizers": []object{
			{"type": "Split", "pattern": object{"Regex": clipWords}, "behavior": "Removed", "invert": true},
			{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}}},
		"post_processor": object{"type": "RobertaProcessing", "sep": []any{clipEnd, end}, "cls": []any{clipBegin, begin},
			"trim_offsets": false, "add_prefix_space": false},
		"decoder": object{"type": "ByteLevel"},
		"model": object{"type": "BPE", "unk_token": clipEnd, "continuing_subword_prefix": "", "end_of_word_suffix": "</w>",
			"fuse_unk": false, "vocab": vocab, "merges": merges},
	})
}
