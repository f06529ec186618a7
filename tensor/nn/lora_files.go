package nn

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
)

// The files of adapters, as PEFT names them.
const (
	adapterWeights = "adapter_model.safetensors"
	adapterConfig  = "adapter_config.json"
)

// peftConfig is what adapter_config.json says, as far as it matters.
type peftConfig struct {
	PeftType    string          `json:"peft_type"`
	TaskType    *string         `json:"task_type"`
	Base        *string         `json:"base_model_name_or_path"`
	Rank        int             `json:"r"`
	Alpha       float64         `json:"lora_alpha"`
	Dropout     float64         `json:"lora_dropout"`
	RSLoRA      bool            `json:"use_rslora"`
	Bias        string          `json:"bias"`
	Targets     json.RawMessage `json:"target_modules"`
	FanInFanOut bool            `json:"fan_in_fan_out"`
	Inference   bool            `json:"inference_mode"`
}

// peftRefused are settings of PEFT that change what adapters compute, or that go beyond them.
var peftRefused = []string{"fan_in_fan_out", "use_dora", "use_qalora", "use_bdlora", "lora_bias", "rank_pattern",
	"alpha_pattern", "modules_to_save", "alora_invocation_tokens", "trainable_token_indices", "target_parameters",
	"layer_replication", "arrow_config", "megatron_config"}

// Save writes the adapters to a folder, as PEFT's save_pretrained does: adapter_model.safetensors and
// adapter_config.json.
func (l *LoRA) Save(folder string) error {
	if err := l.Check(); err != nil {
		return err
	}
	targets, err := json.Marshal(l.Config.Targets)
	if err != nil {
		return err
	}
	if len(l.Config.Targets) == 1 && l.Config.Targets[0] == allLinear {
		targets = []byte(`"` + allLinear + `"`)
	}
	c := peftConfig{PeftType: "LORA", Rank: l.Config.Rank, Alpha: l.Config.Alpha, Dropout: l.Config.Dropout,
		RSLoRA: l.Config.RootOfR, Bias: "none", Targets: targets, Inference: true}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return errors.Join(l.params.Save(filepath.Join(folder, adapterWeights)),
		os.WriteFile(filepath.Join(folder, adapterConfig), append(text, '\n'), 0o644))
}

// OpenLoRA returns the adapters in a folder that PEFT or Save has written, as variables of dtype: to use, or to train
// on with Training set. Layers take those that the file has for them; Check says which ones no layer has asked for.
// What PEFT knows and LoRA does not, such as DoRA, ranks that differ, and biases, is an error.
func OpenLoRA(folder string, dtype tensor.DType, dev *tensor.Device) (*LoRA, error) {
	file := filepath.Join(folder, adapterConfig)
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var c peftConfig
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("nn: %s: %w", file, err)
	}
	var all map[string]json.RawMessage
	err = json.Unmarshal(text, &all)
	for _, name := range peftRefused {
		v, ok := all[name]
		unset := []string{"null", "false", "{}", "[]", `""`}
		if err == nil && ok && !slices.Contains(unset, string(v)) {
			err = fmt.Errorf("%s is not supported: adapters are pairs of matrices beside weights, of one rank", name)
		}
	}
	config, wrong := c.config()
	if err := errors.Join(err, wrong); err != nil {
		return nil, fmt.Errorf("nn: %s: %w", file, err)
	}
	list, err := formats.ReadSafetensors(filepath.Join(folder, adapterWeights), tensor.CPU())
	if err != nil {
		return nil, err
	}
	from := ParamsOf(list, dtype, dev)
	return &LoRA{Config: config, params: NewParams(dtype, dev), from: from, of: map[string]*adapter{}}, nil
}

// config is the settings that a file has.
func (c *peftConfig) config() (LoRAConfig, error) {
	l := LoRAConfig{Rank: c.Rank, Alpha: c.Alpha, Dropout: c.Dropout, RootOfR: c.RSLoRA}
	if c.PeftType != "LORA" || c.Bias != "none" && c.Bias != "" {
		return l, fmt.Errorf("peft_type is %q and bias %q: LORA without biases is supported", c.PeftType, c.Bias)
	}
	if len(c.Targets) > 0 && json.Unmarshal(c.Targets, &l.Targets) != nil {
		var one string // "all-linear", or a regular expression: the file says which layers these were
		if err := json.Unmarshal(c.Targets, &one); err != nil {
			return l, fmt.Errorf("target_modules is %s", c.Targets)
		}
		l.Targets = []string{one}
	}
	if len(l.Targets) == 0 { // of a file that leaves them to its tensors
		l.Targets = []string{allLinear}
	}
	if l.Rank < 1 {
		return l, fmt.Errorf("r is %d", l.Rank)
	}
	return l, nil
}
