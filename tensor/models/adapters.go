package models

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/adapter"
	"github.com/gorocm/gorocm/tensor/models/internal/config"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// Adapter is a LoRA adapter for a model that is opened: a folder of PEFT (adapter_config.json) for a folder of Hugging
// Face, a file of llama.cpp for a GGUF file. Its Scale multiplies what it adds; 0 is 1.
type Adapter = adapter.Adapter

// openAdapter opens the model that an adapter of PEFT is for, with it and with others. A tokenizer beside the adapter
// is that of the model.
func openAdapter(path string, dtype tensor.DType, dev *tensor.Device, adapters []Adapter) (o opened, err error) {
	base, err := adapter.Base(path)
	if err != nil {
		return o, err
	}
	if o, err = openFolder(base, dtype, dev, append([]Adapter{{Path: path}}, adapters...)); err != nil {
		return o, fmt.Errorf("%s: %w", base, err)
	}
	o.base = base
	if file := filepath.Join(path, "tokenizer.json"); fileExists(file) {
		o.tok, err = tokenizers.ReadJSON(file)
	}
	return o, err
}

func fileExists(file string) bool { return parts.FileExists(file) }

// beside is an adapter of a matrix that stays packed: rows times down [inputs rank] times up [rank outputs] are added.
type beside struct{ down, up *tensor.Tensor }

// and adds an adapter a [rank inputs] and b [outputs rank] of some of the outputs.
func (s *beside) and(a, b *tensor.Tensor, first, outputs int) *beside {
	up := b.T().Pad(1, first, outputs-first-b.Dim(0), 0)
	if s == nil {
		return &beside{a.T().Contiguous(), up}
	}
	return &beside{tensor.Cat([]*tensor.Tensor{s.down, a.T()}, 1), tensor.Cat([]*tensor.Tensor{s.up, up}, 0)}
}

// adapted are the parameters of a model with adapters, whose output may have weights of its own then.
func adapted(c *LlamaConfig, p *nn.Params, s *adapter.Set) (*nn.Params, error) {
	if s.Empty() {
		return p, nil
	}
	names, err := config.NamesIn(c, p)
	if err != nil {
		return nil, err
	}
	m := adapter.Model{Find: otherNames, Output: names.Output + ".weight"}
	if c.Tied {
		m.Embedding = names.Embedding + ".weight"
	}
	if names.InputsFirst {
		m.Transposed = func(name string) bool { return strings.Contains(name, "h.") }
	}
	q, untied, err := s.Apply(p, m)
	c.Tied = c.Tied && !untied
	return q, err
}

// otherNames are those that a weight of a model of transformers may have in its files, which are older.
func otherNames(name string) (all []string) {
	for _, begin := range [][2]string{{"transformer.", ""}, {"model.language_model.", "language_model.model."},
		{"model.language_model.", "model."}, {"language_model.model.", "model.language_model."},
		{"model.text_model.", "language_model.model."}, {"lm_head.", "language_model.lm_head."},
		{"language_model.lm_head.", "lm_head."}} {
		if rest, ok := strings.CutPrefix(name, begin[0]); ok {
			all = append(all, begin[1]+rest)
		}
	}
	return all
}
