package models

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models/internal/adapter"
	"github.com/gorocm/gorocm/tensor/models/internal/config"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/models/vision"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// DefaultDType returns what models compute in on a device: BF16 on GPUs that have instructions for it
// (Device.SupportsBF16), F16 on others, such as gfx906 and gfx1030, and F32 on the CPU and on an emulated GPU, where it
// is faster. F16 has no numbers above 65,504, which a few models reach (T5, Gemma 2 and 3): OpenAs takes another dtype.
func DefaultDType(dev *tensor.Device) tensor.DType {
	return defaultDType(dev.IsCPU() || dev.Emulated(), dev.SupportsBF16())
}

func defaultDType(host, bf16 bool) tensor.DType {
	switch {
	case host:
		return tensor.F32
	case bf16:
		return tensor.BF16
	}
	return tensor.F16
}

// OpenLlama reads a model of the Llama family, or one of those in Variant, and its tokenizer onto a device, to compute
// in dtype:
//
//	models.OpenLlama("model.gguf", …)        // everything is in one file; packed weights stay packed
//	models.OpenLlama("Llama-3.2-1B/", …)     // a folder of Hugging Face: config.json, tokenizer.json and the weights
//	models.OpenLlama("Llama-2-7b/", …)       // a folder of Meta: params.json, consolidated.00.pth and tokenizer.model
//	models.OpenLlama("stories260K.bin", …)   // llama2.c: tok512.bin or tokenizer.bin lies beside it
//
// A folder has one .safetensors file, those that model.safetensors.index.json lists, or pytorch_model.bin in their
// place. Its model_type is one of arcee, cohere, cohere2, deepseek_v2, deepseek_v3, dots1, ernie4_5, exaone4, falcon,
// falcon_mamba, gemma, gemma2, gemma3_text, glm, glm4, glm4_moe, gpt2, gpt_neox, gpt_oss, granite, hunyuan_v1_dense,
// kimi_k2, llama, llama4_text, mamba, mamba2, minimax_m2, ministral, mistral, mixtral, nemotron, olmo2, olmo3, olmoe,
// phi, phi3, qwen2, qwen2_moe, qwen3, qwen3_moe, seed_oss, smollm3, stablelm and starcoder2. Its weights are floats, in
// FP8 with scales, which are expanded to dtype, or of gpt_oss in MXFP4. GGUF files have one of the architectures arcee,
// cohere2, command-r, deepseek2, dots1, ernie4_5, exaone4, falcon, gemma, gemma2, gemma3, glm4, glm4moe, gpt-oss, gpt2,
// gptneox, granite, hunyuan-dense, llama, llama4, mamba, mamba2, minimax-m2, nemotron, olmo2, olmoe, phi2, phi3, qwen2,
// qwen2moe, qwen2vl, qwen3, qwen3moe, seed_oss, smollm3, stablelm and starcoder2. Of vision-language models it reads
// the language model alone: Open reads the whole, of GGUF files with the mmproj file of their folder.
//
// Adapters are added to the weights; a path may be the folder of an adapter of PEFT, which says where its model is.
//
// The tokenizer is nil when there is none beside the model. The error is a *nn.ParamsError when weights are missing, or
// are more than the model has.
func OpenLlama(path string, dtype tensor.DType, dev *tensor.Device, adapters ...Adapter) (
	*Llama, *tokenizers.Tokenizer, error,
) {
	o, err := open(path, dtype, dev, adapters)
	return o.llama, o.tok, err
}

// opened is what the files of a model have.
type opened struct {
	llama *Llama
	tok   *tokenizers.Tokenizer // nil without one
	tower *vision.Tower         // nil for models that read no images
	base  string                // the folder of the model, where path is one of an adapter
	gguf  bool                  // it is a file of llama.cpp

	noTower string // why the mmproj file of a GGUF file is not read, or ""
}

// open is OpenLlama with the part that reads images.
func open(path string, dtype tensor.DType, dev *tensor.Device, adapters []Adapter) (o opened, err error) {
	path, _ = parts.Snapshot(path)
	info, err := os.Stat(path)
	if err != nil {
		return o, err
	}
	o.gguf = !info.IsDir() && (strings.EqualFold(filepath.Ext(path), ".gguf") || parts.IsGGUF(path))
	switch {
	case info.IsDir() && adapter.IsFolder(path):
		o, err = openAdapter(path, dtype, dev, adapters)
	case info.IsDir() && isMeta(path):
		o, err = openMeta(path, dtype, dev, adapters)
	case info.IsDir():
		o, err = openFolder(path, dtype, dev, adapters)
	case o.gguf:
		o, err = openGGUF(path, dtype, dev, adapters)
		o.gguf = true
	case strings.EqualFold(filepath.Ext(path), ".bin") && len(adapters) > 0:
		return o, fmt.Errorf("models: %s is a model of llama2.c, for which there are no adapters", path)
	case strings.EqualFold(filepath.Ext(path), ".bin"):
		o, err = openLlama2c(path, dtype, dev)
	case strings.EqualFold(filepath.Ext(path), ".safetensors"):
		return o, fmt.Errorf("models: %s has weights alone: want its folder, with config.json and tokenizer.json", path)
	default:
		return o, fmt.Errorf("models: %s is neither a .gguf file, nor a .bin file of llama2.c, nor a folder with a config.json",
			path)
	}
	if err == nil && o.tok != nil && o.tok.Size() > o.llama.Config.Vocab {
		err = fmt.Errorf("the tokenizer has %d tokens, and the model %d", o.tok.Size(), o.llama.Config.Vocab)
	}
	if err != nil {
		return opened{}, fmt.Errorf("%s: %w", path, err)
	}
	return o, nil
}

func openGGUF(path string, dtype tensor.DType, dev *tensor.Device, adapters []Adapter) (o opened, err error) {
	f, err := formats.OpenGGUF(path)
	if err != nil {
		return o, err
	}
	defer f.Close()
	c, err := config.OfGGUF(f)
	if err != nil {
		return o, err
	}
	if _, ok := f.Metadata["tokenizer.ggml.model"]; ok {
		if o.tok, err = tokenizers.FromGGUF(f.Metadata); err != nil {
			return o, err
		}
	}
	arch, _ := f.Metadata["general.architecture"].(string)
	set, err := adapter.GGUF(adapters, arch)
	if err != nil {
		return o, err
	}
	p, err := adapted(&c, nn.ParamsOfGGUF(f, dtype, dev), set)
	if err != nil {
		return o, err
	}
	if o.llama, err = NewLlama(c, p); err != nil || o.tok == nil {
		return o, err
	}
	m, why, err := mmprojBeside(path, arch, c.Dim, o.tok)
	if o.noTower = why; err != nil || m == nil {
		return o, err
	}
	o.tower, err = m.open(c.Dim, o.tok, dtype, dev)
	return o, err
}

func openLlama2c(path string, dtype tensor.DType, dev *tensor.Device) (o opened, err error) {
	head, list, err := formats.ReadLlama2c(path, cpu())
	if err != nil {
		return o, err
	}
	if o.llama, err = NewLlama(Llama2cConfig(head), nn.ParamsOf(list, dtype, dev)); err != nil {
		return o, err
	}
	for _, name := range []string{fmt.Sprintf("tok%d.bin", head.Vocab), "tokenizer.bin"} {
		file := filepath.Join(filepath.Dir(path), name)
		if _, err := os.Stat(file); err == nil {
			o.tok, err = tokenizers.ReadLlama2c(file)
			return o, err
		}
	}
	return o, nil
}

// Llama2cConfig returns the config of a model of llama2.c, whose rotary embedding pairs neighbours.
func Llama2cConfig(head *formats.Llama2c) LlamaConfig {
	return LlamaConfig{
		Dim: head.Dim, Hidden: head.Hidden, Layers: head.Layers, Heads: head.Heads, KVHeads: head.KVHeads,
		Vocab: head.Vocab, Context: head.Context,
		Tied: head.Tied, Interleaved: true,
	}
}
