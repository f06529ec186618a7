package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// jsonQuantization is quantization_config of config.json.
type jsonQuantization map[string]json.RawMessage

// float8Settings are what settings of FP8 may be. Activations are not quantized, whatever activation_scheme says, which
// is what transformers computes on a CPU; scales are numbers in the file, whatever scale_fmt says of their values.
var float8Settings = map[string][]string{
	"quant_method":      {"fp8"},
	"fmt":               {"e4m3"},
	"activation_scheme": {"dynamic", "static"},
	"scale_fmt":         {"float", "ue8m0"},
	"expert_dtype":      {"fp8"},
}

// float8Others are settings that have any value: block checks the first, and the rest change nothing.
var float8Others = []string{"weight_block_size", "modules_to_not_convert", "ignored_layers", "dequantize"}

// quantized refuses what is not read of quantization_config.
func (j *JSON) quantized() error {
	q := j.Quantization
	method := q.Method()
	switch {
	case len(q) == 0, method == "mxfp4" && j.ModelType == "gpt_oss":
		return nil
	case method == "fp8":
		return q.float8()
	}
	return fmt.Errorf("models: quantization_config: %q is not supported: want floats, fp8, or a GGUF file", method)
}

// float8 refuses what is not read of FP8. The types of the weights say which modules are not converted.
func (q jsonQuantization) float8() error {
	if block, err := q.Block(); err != nil || block != nil && (len(block) != 2 || min(block[0], block[1]) < 1) {
		return fmt.Errorf("models: quantization_config: weight_block_size %s is not supported: want two sizes, or null",
			q["weight_block_size"])
	}
	for _, key := range slices.Sorted(maps.Keys(q)) {
		raw := q[key]
		if string(raw) == "null" || slices.Contains(float8Others, key) {
			continue
		}
		var value string
		if want := float8Settings[key]; want == nil {
			return fmt.Errorf("models: quantization_config: %s is not supported with fp8", key)
		} else if json.Unmarshal(raw, &value) != nil || !slices.Contains(want, value) {
			return fmt.Errorf("models: quantization_config: %s %s is not supported with fp8: want %s", key, raw,
				strings.Join(want, " or "))
		}
	}
	return nil
}

// Method is "" when there is none.
func (q jsonQuantization) Method() (method string) {
	_ = json.Unmarshal(q["quant_method"], &method)
	return method
}

// Block is how many rows and columns of a matrix have a scale; nil for all of them.
func (q jsonQuantization) Block() (block []int, err error) {
	raw, ok := q["weight_block_size"]
	if !ok {
		return []int{128, 128}, nil // as in transformers
	}
	return block, json.Unmarshal(raw, &block)
}
