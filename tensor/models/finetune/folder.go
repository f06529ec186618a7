package finetune

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/models/internal/chat"
	"github.com/gorocm/gorocm/tensor/models/internal/config"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// Base is a model as a folder of Hugging Face has it. Its Params are ordinary tensors, beside which adapters are
// trained: New(b.Config, b.Params.Adapt(lora)). To train all of them, nn.NewParams makes variables for New, and their
// Load(filepath.Join(folder, "model.safetensors")) sets them.
type Base struct {
	Config    models.LlamaConfig
	Params    *nn.Params
	Tokenizer *tokenizers.Tokenizer // nil without one that tokenizers.ReadFolder reads
	Template  *models.ChatTemplate  // nil without one
}

// Read reads the config, the weights in dtype, the tokenizer and the chat template of a folder, on a device. The error
// is that of models.OpenLlama, or names what the model has that New does not train.
func Read(folder string, dtype tensor.DType, dev *tensor.Device) (*Base, error) {
	folder, _ = parts.Snapshot(folder)
	b, err := read(folder, dtype, dev)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	return b, nil
}

func read(folder string, dtype tensor.DType, dev *tensor.Device) (*Base, error) {
	j, err := config.Read(folder)
	if err != nil {
		return nil, err
	}
	b := &Base{}
	if b.Config, err = j.Config(); err != nil {
		return nil, err
	}
	if err := check(&b.Config); err != nil {
		return nil, err
	}
	if j.Quantization.Method() != "" {
		return nil, fmt.Errorf("finetune: the weights are quantized (quant_method %q)", j.Quantization.Method())
	}
	if b.Config.EOS, err = parts.EndsOf(folder, b.Config.EOS); err != nil {
		return nil, err
	}
	if b.Params, err = parts.OpenParams(folder, b.Config.Count(), dtype, dev); err != nil {
		return nil, err
	}
	if b.Template, err = chat.OfFolder(folder); err != nil {
		return nil, err
	}
	b.Tokenizer, err = tokenizers.ReadFolder(folder)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return b, err
}

// Files are what a folder has beside a config and weights.
type Files struct {
	Tokenizer *tokenizers.Tokenizer // of TrainBPE, or read from a tokenizer.json; nil for none
	Template  string                // the chat template, in Jinja; "" for none
	BOS       string                // a special token that texts begin with; "" for none
	EOS       string                // the special token that ends a reply; "" for none
}

// Save writes a model to a folder, which it makes: config.json, model.safetensors, and what f has. models.Open and
// transformers read it. p are the parameters of New for c, or with adapters lora.Merged(p). The error is about a config
// that New does not take, special tokens that the tokenizer does not have, or a file.
func Save(folder string, c models.LlamaConfig, p *nn.Params, f Files) error {
	if err := check(&c); err != nil {
		return err
	}
	ends := c.EOS
	named := map[string]any{}
	if f.Tokenizer == nil && f.Template != "" {
		return errors.New("finetune: a chat template is of no use without a tokenizer")
	}
	for key, text := range map[string]string{"bos_token": f.BOS, "eos_token": f.EOS} {
		if text == "" {
			continue
		}
		if f.Tokenizer == nil {
			return fmt.Errorf("finetune: %s is %q, and there is no tokenizer", key, text)
		}
		id, ok := f.Tokenizer.ID(text)
		if !ok {
			return fmt.Errorf("finetune: %s is %q, which the tokenizer does not have", key, text)
		}
		if named[key] = text; key == "eos_token" {
			ends = []int{id}
		}
	}
	if f.Tokenizer != nil && f.Tokenizer.Size() > c.Vocab {
		return fmt.Errorf("finetune: the tokenizer has %d tokens, and the model %d", f.Tokenizer.Size(), c.Vocab)
	}
	if f.Template != "" {
		if _, err := models.NewChatTemplate(f.Template, nil); err != nil {
			return err
		}
		named["chat_template"] = f.Template
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	write := func(name string, what any) error { return parts.WriteJSON(filepath.Join(folder, name), what) }
	c.EOS = ends
	if err := write("config.json", written(&c, p.DType())); err != nil {
		return err
	}
	if err := same(folder, c); err != nil {
		return err
	}
	err := formats.WriteSafetensors(filepath.Join(folder, "model.safetensors"), p.All(),
		map[string]string{"format": "pt"})
	if f.Tokenizer != nil {
		named["tokenizer_class"] = "PreTrainedTokenizerFast"
		err = errors.Join(err, f.Tokenizer.WriteJSON(filepath.Join(folder, "tokenizer.json")))
	}
	if len(named) > 0 {
		err = errors.Join(err, write("tokenizer_config.json", named))
	}
	if len(ends) > 0 {
		err = errors.Join(err, write("generation_config.json", map[string]any{"eos_token_id": ends}))
	}
	return err
}

// same returns an error when the config.json of a folder, which was just written, does not say what c does.
func same(folder string, c models.LlamaConfig) error {
	j, err := config.Read(folder)
	if err != nil {
		return err
	}
	got, err := j.Config()
	if err != nil {
		return err
	}
	if a, b := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", c); a != b {
		return fmt.Errorf("finetune: a config.json of Llama, Mistral, Qwen 2 and Qwen 3 cannot say all of the config: it would "+
			"be read as %s, and is %s", a, b)
	}
	return nil
}

// written is config.json. Llama's has no norms of queries and keys, and no biases of some products alone: those are
// Qwen's.
func written(c *models.LlamaConfig, dtype tensor.DType) map[string]any {
	j := map[string]any{"hidden_size": c.Dim, "intermediate_size": c.Hidden, "num_hidden_layers": c.Layers,
		"num_attention_heads": c.Heads, "num_key_value_heads": c.KVHeads, "head_dim": c.HeadDim, "vocab_size": c.Vocab,
		"max_position_embeddings": c.Context, "rms_norm_eps": c.Eps, "rope_theta": c.RopeBase, "hidden_act": "silu",
		"tie_word_embeddings": c.Tied, "torch_dtype": torchNames[dtype]}
	kind, class := "llama", "Llama"
	switch {
	case c.QKNorm:
		kind, class = "qwen3", "Qwen3"
		j["attention_bias"] = c.QKVBias
	case c.QKVBias && !c.OutBias:
		kind, class = "qwen2", "Qwen2"
	case c.Window > 0:
		kind, class = "mistral", "Mistral"
	default:
		j["attention_bias"] = c.QKVBias
	}
	if c.Window > 0 {
		j["sliding_window"] = c.Window
		if kind != "mistral" {
			j["use_sliding_window"] = true
		}
		if c.Windowed != nil {
			kinds := make([]string, c.Layers)
			for i := range kinds {
				if kinds[i] = "full_attention"; c.Windowed[i] {
					kinds[i] = parts.Sliding
				}
			}
			j["layer_types"] = kinds
		}
	}
	if s := c.RopeScaling; s.Factor > 0 {
		j["rope_scaling"] = map[string]any{"rope_type": "llama3", "factor": s.Factor, "low_freq_factor": s.Low,
			"high_freq_factor": s.High, "original_max_position_embeddings": s.Context}
	}
	if len(c.EOS) > 0 {
		j["eos_token_id"] = c.EOS
	}
	j["model_type"], j["architectures"] = kind, []string{class + "ForCausalLM"}
	return j
}

// torchNames are dtypes as config.json names them.
var torchNames = map[tensor.DType]string{tensor.F32: "float32", tensor.F16: "float16", tensor.BF16: "bfloat16",
	tensor.F64: "float64"}
