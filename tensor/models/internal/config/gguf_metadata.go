package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor/formats"
)

// ggufConfig is the metadata of a GGUF file that has a language model. A key below the name of the architecture that
// nothing has read is an error, since it may change results.
type ggufConfig struct {
	file    *formats.GGUF
	of      map[string]any
	arch    string // general.architecture, which names of keys begin with
	weights map[string]bool
	layers  map[string]string // of a weight in some layer, such as attn_q.bias, the name with the layer's number
	read    map[string]bool   // the keys, without the architecture
	err     error             // the first one
	count   float64           // of numbers in the weights

	freqs []float64 // of rope_freqs.weight, or nil
	gain  float64   // of rope.scaling.attn_factor, 0 without
}

// ggufHarmless are keys that change no logits: sizes that tensors tell, and what is said twice.
var ggufHarmless = []string{"vocab_size", "tensor_data_layout", "pooling_type", "rope.scaling.finetuned",
	"rope.scaling.original_context_length", "attention.layer_norm_epsilon", "attention.layer_norm_rms_epsilon",
	"mm.tokens_per_image"}

func newGGUFConfig(f *formats.GGUF) *ggufConfig {
	m := &ggufConfig{file: f, of: f.Metadata, weights: map[string]bool{}, layers: map[string]string{},
		read: map[string]bool{}}
	m.arch, _ = f.Metadata["general.architecture"].(string)
	for _, name := range f.Names() {
		m.weights[name] = true
		if q, err := f.Tensor(name); err == nil {
			n := 1.0
			for _, d := range q.Dims() {
				n *= float64(d)
			}
			m.count += n
		}
		if below, ok := strings.CutPrefix(name, "blk."); ok {
			_, below, _ = strings.Cut(below, ".")
			m.layers[below] = name
		}
	}
	for _, key := range ggufHarmless {
		m.read[key] = true
	}
	return m
}

// has reports whether the file has a tensor.
func (m *ggufConfig) has(name string) bool { return m.weights[name] }

// inLayers reports whether the file has a weight in some layer.
func (m *ggufConfig) inLayers(name string) bool { return m.layers[name] != "" }

// value is that of a key, nil without it.
func (m *ggufConfig) value(key string) any {
	m.read[key] = true
	return m.of[m.arch+"."+key]
}

// wrong notes what is wrong with a key.
func (m *ggufConfig) wrong(key, format string, args ...any) {
	if m.err == nil {
		m.err = fmt.Errorf("models: %s.%s "+format, append([]any{m.arch, key}, args...)...)
	}
}

// number is that of a key, 0 without it. A list, with a number for each layer, must have the same for all, or 0.
func (m *ggufConfig) number(key string) float64 {
	value := m.value(key)
	if value == nil {
		return 0
	}
	if list, ok := value.([]any); ok && len(list) > 0 {
		first := max(0, slices.IndexFunc(list, func(x any) bool { return !isZero(x) }))
		value = list[first]
		one, _ := asNumber(value)
		if slices.ContainsFunc(list, func(x any) bool { n, ok := asNumber(x); return !ok || n != one && n != 0 }) {
			m.wrong(key, "is %v: layers that differ are not supported", list)
		}
	}
	x, ok := asNumber(value)
	if !ok {
		m.wrong(key, "is %v, not a number", value)
	}
	return x
}

func (m *ggufConfig) int(key string) int { return int(m.number(key)) }

// need is the number of a key without which there is no model, more than 0.
func (m *ggufConfig) need(key string) float64 {
	x := m.number(key)
	if m.value(key) == nil {
		m.wrong(key, "is missing")
	} else if !(x > 0) {
		m.wrong(key, "is %v", x)
	}
	return x
}

// text is that of a key, "" without it.
func (m *ggufConfig) text(key string) string {
	value := m.value(key)
	text, ok := value.(string)
	if value != nil && !ok {
		m.wrong(key, "is %v, not a text", value)
	}
	return text
}

func (m *ggufConfig) list(key string) []any {
	list, _ := m.value(key).([]any)
	return list
}

// allow notes a key that has another value than these, which are what the decoder does.
func (m *ggufConfig) allow(key string, values ...any) {
	value := m.value(key)
	if value == nil {
		return
	}
	if x, ok := asNumber(value); ok {
		value = x
	}
	if !slices.ContainsFunc(values, func(x any) bool { return x == value }) {
		m.wrong(key, "is %v, which is not supported: want %v", value, values[0])
	}
}

// check returns the first error, or that of a key that nothing has read, or of sizes that are more than the file has,
// before memory is allocated for them.
func (m *ggufConfig) check(c *LlamaConfig) error {
	declared := c.Count()
	if x := c.Mixture; x != nil {
		declared += float64(x.Experts) * float64(x.Hidden) * float64(c.Dim)
	}
	if m.err == nil && declared > m.count {
		return fmt.Errorf("models: the metadata declare about %.3g weights, and the file has %.0f", declared, m.count)
	}
	var unread []string
	for full, value := range m.of {
		key, ok := strings.CutPrefix(full, m.arch+".")
		if ok && !m.read[key] && !isZero(value) {
			unread = append(unread, full)
		}
	}
	if m.err == nil && len(unread) > 0 {
		slices.Sort(unread)
		return fmt.Errorf("models: %s, which may change results, is not supported", strings.Join(unread, ", "))
	}
	return m.err
}

// isZero reports whether a value of metadata says that something is not there.
func isZero(value any) bool {
	switch value := value.(type) {
	case bool:
		return !value
	case string:
		return value == ""
	case []any:
		return !slices.ContainsFunc(value, func(x any) bool { return !isZero(x) })
	}
	x, ok := asNumber(value)
	return ok && x == 0
}

func asNumber(x any) (float64, bool) {
	switch x := x.(type) {
	case uint64:
		return float64(x), true
	case int64:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}

// windows sets the layers in which queries see a window: all but every pattern-th, unless the file has another pattern
// or lists them.
func (m *ggufConfig) windows(j *JSON, pattern int) {
	const key = "attention.sliding_window_pattern"
	value := m.value(key)
	if j.Window == 0 {
		return
	}
	list, listed := value.([]any)
	switch {
	case listed && len(list) < j.Layers:
		m.wrong(key, "lists %d layers of %d", len(list), j.Layers)
		return
	case value != nil && !listed:
		pattern = m.int(key)
	}
	if pattern < 0 {
		m.wrong(key, "is %d", pattern)
		return
	}
	j.Kinds = everyLayer(j.Layers, func(layer int) bool {
		if listed {
			return !isZero(list[layer])
		}
		return pattern == 0 || (layer+1)%pattern != 0
	})
}
