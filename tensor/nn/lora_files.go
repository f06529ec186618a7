package nn

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/internal/peft"
)

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
	if len(l.Config.Targets) == 1 && l.Config.Targets[0] == peft.AllLinear {
		targets = []byte(`"` + peft.AllLinear + `"`)
	}
	c := peft.Config{PeftType: "LORA", Rank: l.Config.Rank, Alpha: l.Config.Alpha, Dropout: l.Config.Dropout,
		RSLoRA: l.Config.RootOfR, Bias: "none", Targets: targets, Inference: true}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return errors.Join(l.params.Save(filepath.Join(folder, peft.Weights)),
		os.WriteFile(filepath.Join(folder, peft.File), append(text, '\n'), 0o644))
}

// OpenLoRA returns the adapters in a folder that PEFT or Save has written, as variables of dtype: to use, or to train
// on with Training set. Layers take those that the file has for them; Check says which ones no layer has asked for.
// What PEFT knows and LoRA does not, such as DoRA, ranks that differ, and biases, is an error.
func OpenLoRA(folder string, dtype tensor.DType, dev *tensor.Device) (*LoRA, error) {
	c, err := peft.Read(folder)
	if err != nil {
		return nil, fmt.Errorf("nn: %w", err)
	}
	config, err := loraConfig(c)
	if err != nil {
		return nil, fmt.Errorf("nn: %s: %w", filepath.Join(folder, peft.File), err)
	}
	list, err := formats.ReadSafetensors(filepath.Join(folder, peft.Weights), tensor.CPU())
	if err != nil {
		return nil, err
	}
	from := ParamsOf(list, dtype, dev)
	return &LoRA{Config: config, params: NewParams(dtype, dev), from: from, of: map[string]*adapter{}}, nil
}

// loraConfig is the settings that a file has.
func loraConfig(c *peft.Config) (LoRAConfig, error) {
	l := LoRAConfig{Rank: c.Rank, Alpha: c.Alpha, Dropout: c.Dropout, RootOfR: c.RSLoRA}
	for name, set := range map[string]bool{"fan_in_fan_out": c.FanInFanOut, "use_dora": c.DoRA,
		"rank_pattern": len(c.Ranks) > 0, "alpha_pattern": len(c.Alphas) > 0, "modules_to_save": len(c.Whole) > 0,
		"bias": c.Bias != "none" && c.Bias != ""} {
		if set {
			return l, fmt.Errorf("%s is not supported here, where adapters are pairs of matrices of one rank; "+
				"models.Open reads more", name)
		}
	}
	if len(c.Targets) > 0 && json.Unmarshal(c.Targets, &l.Targets) != nil {
		var one string // "all-linear", or a regular expression: the file says which layers these were
		if err := json.Unmarshal(c.Targets, &one); err != nil {
			return l, fmt.Errorf("target_modules is %s", c.Targets)
		}
		l.Targets = []string{one}
	}
	if len(l.Targets) == 0 { // of a file that leaves them to its tensors
		l.Targets = []string{peft.AllLinear}
	}
	return l, nil
}
