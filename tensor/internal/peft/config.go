// Package peft reads and writes the config of LoRA adapters as Hugging Face's PEFT has it, adapter_config.json.
package peft

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The files of adapters.
const (
	File      = "adapter_config.json"
	Weights   = "adapter_model.safetensors"
	OldFile   = "adapter_model.bin"
	Prefix    = "base_model.model." // of the names of tensors
	AllLinear = "all-linear"
)

// Config is what adapter_config.json says, as far as it matters.
type Config struct {
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

	DoRA   bool               `json:"use_dora,omitempty"`
	Ranks  map[string]int     `json:"rank_pattern,omitempty"`
	Alphas map[string]float64 `json:"alpha_pattern,omitempty"`
	Whole  []string           `json:"modules_to_save,omitempty"`
	Tying  bool               `json:"ensure_weight_tying,omitempty"`
	Begin  any                `json:"init_lora_weights,omitempty"`
}

// known are keys that change nothing of what trained adapters compute, and those of Config.
var known = strings.Fields(`peft_type task_type base_model_name_or_path r lora_alpha lora_dropout use_rslora bias target_modules
	fan_in_fan_out inference_mode use_dora rank_pattern alpha_pattern modules_to_save ensure_weight_tying init_lora_weights
	auto_mapping peft_version revision exclude_modules layers_to_transform layers_pattern megatron_core qalora_group_size eva_config`)

// begins are the values of init_lora_weights with which adapters are for the weights of the base as they are: others
// change those first.
var begins = []any{nil, true, false, "gaussian", "eva", "orthogonal"}

// Parse reads a config. Settings that change what adapters compute and that are not in Config are errors that name
// them.
func Parse(text []byte) (*Config, error) {
	var c Config
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		unset := []string{"null", "false", "{}", "[]", `""`}
		if !slices.Contains(known, key) && !slices.Contains(unset, string(all[key])) {
			return nil, fmt.Errorf("%s is not supported: adapters are pairs of matrices beside weights", key)
		}
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, err
	}
	if s, ok := c.Begin.(string); ok {
		c.Begin = strings.ToLower(s)
	}
	switch {
	case c.PeftType != "LORA":
		return nil, fmt.Errorf("peft_type is %q: LORA is supported", c.PeftType)
	case !slices.Contains(begins, c.Begin):
		return nil, fmt.Errorf("init_lora_weights is %v, which changes the weights of the base model first: convert the adapter "+
			"with PEFT's path_initial_model_for_weight_conversion", c.Begin)
	case c.Rank < 1:
		return nil, fmt.Errorf("r is %d", c.Rank)
	case math.IsNaN(c.Alpha) || math.IsInf(c.Alpha, 0):
		return nil, fmt.Errorf("lora_alpha is %v", c.Alpha)
	}
	return &c, nil
}

// Read reads the config of a folder.
func Read(folder string) (*Config, error) {
	file := filepath.Join(folder, File)
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

// Scale returns what the product of the matrices of a layer is multiplied by. Their rank is that of the config, or of
// a pattern for the layer.
func (c *Config) Scale(layer string, rank int) (float64, error) {
	want, err := matching(c.Ranks, layer, c.Rank)
	if err == nil && want != rank {
		err = fmt.Errorf("its rank is %d, and that of its config %d", rank, want)
	}
	alpha, err2 := matching(c.Alphas, layer, c.Alpha)
	if err == nil {
		err = err2
	}
	if c.RSLoRA {
		return alpha / math.Sqrt(float64(rank)), err
	}
	return alpha / float64(rank), err
}

// matching is the value whose pattern is the last part of the name of a layer.
func matching[T any](patterns map[string]T, layer string, otherwise T) (T, error) {
	for _, key := range slices.Sorted(maps.Keys(patterns)) {
		r, err := regexp.Compile(`^(.*\.)?(` + key + `)$`)
		if err != nil {
			return otherwise, err
		}
		if r.MatchString(layer) {
			return patterns[key], nil
		}
	}
	return otherwise, nil
}
