package models

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// DefaultDType returns what models compute in on a device: BF16 on GPUs, F32 on the CPU and on an emulated GPU, where
// it is faster.
func DefaultDType(dev *tensor.Device) tensor.DType {
	if dev.IsCPU() || dev.Emulated() {
		return tensor.F32
	}
	return tensor.BF16
}

// OpenLlama reads a model of the Llama family, or one of those in Variant, and its tokenizer onto a device, to compute
// in dtype:
//
//	models.OpenLlama("model.gguf", …)        // everything is in one file; packed weights stay packed
//	models.OpenLlama("Llama-3.2-1B/", …)     // a folder of Hugging Face: config.json, tokenizer.json and the weights
//	models.OpenLlama("stories260K.bin", …)   // llama2.c: tok512.bin or tokenizer.bin lies beside it
//
// A folder has one .safetensors file, those that model.safetensors.index.json lists, or pytorch_model.bin in their
// place. Its model_type is one of cohere, cohere2, gemma, gemma2, gemma3_text, glm4, gpt_neox, granite, llama, mistral,
// mixtral, olmo2, olmoe, phi, phi3, qwen2, qwen2_moe, qwen3, qwen3_moe, smollm3, stablelm and starcoder2. GGUF files
// have one of the architectures llama, qwen2 and qwen3.
//
// The tokenizer is nil when there is none beside the model. The error is a *nn.ParamsError when weights are missing, or
// are more than the model has.
func OpenLlama(path string, dtype tensor.DType, dev *tensor.Device) (*Llama, *tokenizers.Tokenizer, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	open := openFolder
	switch {
	case info.IsDir():
	case strings.EqualFold(filepath.Ext(path), ".gguf"):
		open = openGGUF
	case strings.EqualFold(filepath.Ext(path), ".bin"):
		open = openLlama2c
	default:
		return nil, nil, fmt.Errorf("models: %s is neither a .gguf file, nor a .bin file of llama2.c, nor a folder with a config.json",
			path)
	}
	m, tok, err := open(path, dtype, dev)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	if tok != nil && tok.Size() > m.Config.Vocab {
		return nil, nil, fmt.Errorf("%s: the tokenizer has %d tokens, and the model %d", path, tok.Size(),
			m.Config.Vocab)
	}
	return m, tok, nil
}

func openGGUF(path string, dtype tensor.DType, dev *tensor.Device) (*Llama, *tokenizers.Tokenizer, error) {
	f, err := formats.OpenGGUF(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	c, err := ggufConfig(f)
	if err != nil {
		return nil, nil, err
	}
	var tok *tokenizers.Tokenizer
	if _, ok := f.Metadata["tokenizer.ggml.model"]; ok {
		if tok, err = tokenizers.FromGGUF(f.Metadata); err != nil {
			return nil, nil, err
		}
	}
	m, err := NewLlama(c, nn.ParamsOfGGUF(f, dtype, dev))
	return m, tok, err
}

func openLlama2c(path string, dtype tensor.DType, dev *tensor.Device) (*Llama, *tokenizers.Tokenizer, error) {
	head, list, err := formats.ReadLlama2c(path, cpu())
	if err != nil {
		return nil, nil, err
	}
	m, err := NewLlama(Llama2cConfig(head), nn.ParamsOf(list, dtype, dev))
	if err != nil {
		return nil, nil, err
	}
	for _, name := range []string{fmt.Sprintf("tok%d.bin", head.Vocab), "tokenizer.bin"} {
		file := filepath.Join(filepath.Dir(path), name)
		if _, err := os.Stat(file); err == nil {
			tok, err := tokenizers.ReadLlama2c(file)
			return m, tok, err
		}
	}
	return m, nil, nil
}

// Llama2cConfig returns the config of a model of llama2.c, whose rotary embedding pairs neighbours.
func Llama2cConfig(head *formats.Llama2c) LlamaConfig {
	return LlamaConfig{
		Dim: head.Dim, Hidden: head.Hidden, Layers: head.Layers, Heads: head.Heads, KVHeads: head.KVHeads,
		Vocab: head.Vocab, Context: head.Context,
		Tied: head.Tied, Interleaved: true,
	}
}
