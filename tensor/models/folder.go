package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// openFolder opens a model in a folder of Hugging Face.
func openFolder(path string, dtype tensor.DType, dev *tensor.Device) (*Llama, *tokenizers.Tokenizer, error) {
	var j jsonConfig
	if err := readJSON(filepath.Join(path, "config.json"), &j); err != nil {
		return nil, nil, err
	}
	c, err := j.config()
	if err != nil {
		return nil, nil, err
	}
	if c.EOS, err = endsOf(path, c.EOS); err != nil {
		return nil, nil, err
	}
	files, err := weightFiles(path)
	if err != nil {
		return nil, nil, err
	}
	p, err := nn.OpenParamFiles(files, dtype, dev)
	if err != nil {
		return nil, nil, err
	}
	defer p.Close()
	m, err := NewLlama(c, p)
	if err != nil {
		return nil, nil, err
	}
	file := filepath.Join(path, "tokenizer.json")
	if _, err := os.Stat(file); err != nil {
		return m, nil, nil
	}
	tok, err := tokenizers.ReadJSON(file)
	return m, tok, err
}

// endsOf are the tokens that end a text: those of config.json, and those that generation_config.json adds, if there is
// one.
func endsOf(folder string, ends []int) ([]int, error) {
	var j struct {
		EOS tokenIDs `json:"eos_token_id"`
	}
	err := readJSON(filepath.Join(folder, "generation_config.json"), &j)
	if errors.Is(err, fs.ErrNotExist) {
		return ends, nil
	}
	for _, id := range j.EOS {
		if !slices.Contains(ends, id) {
			ends = append(ends, id)
		}
	}
	return ends, err
}

// tokenIDs is a token, or a list of them.
type tokenIDs []int

func (ids *tokenIDs) UnmarshalJSON(data []byte) error {
	var one *int
	if json.Unmarshal(data, &one) == nil {
		if one != nil {
			*ids = tokenIDs{*one}
		}
		return nil
	}
	return json.Unmarshal(data, (*[]int)(ids))
}

// weightFiles are the files with a model's weights: those that an index lists, else safetensors files, else PyTorch's.
func weightFiles(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	for _, of := range []struct{ index, one, all string }{
		{"model.safetensors.index.json", "model.safetensors", "*.safetensors"},
		{"pytorch_model.bin.index.json", "pytorch_model.bin", "pytorch_model*.bin"},
	} {
		if slices.Contains(names, of.index) {
			return indexedFiles(filepath.Join(folder, of.index))
		}
		if slices.Contains(names, of.one) {
			return []string{filepath.Join(folder, of.one)}, nil
		}
		var files []string
		for _, name := range names {
			// consolidated files have the same weights once more, under Meta's names
			if ok, _ := filepath.Match(of.all, name); ok && !strings.HasPrefix(name, "consolidated") {
				files = append(files, filepath.Join(folder, name))
			}
		}
		if len(files) > 0 {
			return files, nil
		}
	}
	return nil, fmt.Errorf("models: there is neither a .safetensors file nor a pytorch_model.bin: the folder has %s",
		strings.Join(names, ", "))
}

// indexedFiles are the files that an index of Hugging Face lists, which lie beside it.
func indexedFiles(path string) ([]string, error) {
	var index struct {
		Files map[string]string `json:"weight_map"`
	}
	if err := readJSON(path, &index); err != nil {
		return nil, err
	}
	var files []string
	for _, file := range index.Files {
		if filepath.Base(file) != file || file == ".." {
			return nil, fmt.Errorf("models: %s lists %q, which is not a file beside it", filepath.Base(path), file)
		}
		if file = filepath.Join(filepath.Dir(path), file); !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("models: %s lists no files", filepath.Base(path))
	}
	slices.Sort(files)
	return files, nil
}

func readJSON(path string, to any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return nil
}
