package models

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor/formats"
)

// ggufFamilies set what is particular to a general.architecture of llama.cpp. What the decoder does not do is an error.
var ggufFamilies = map[string]func(m *ggufConfig, c *LlamaConfig) error{
	"llama":   func(_ *ggufConfig, c *LlamaConfig) error { c.Interleaved = true; return nil },
	"qwen2":   func(_ *ggufConfig, c *LlamaConfig) error { c.QKVBias = true; return nil },
	"qwen2vl": ggufQwenVL,
	"qwen3":   func(_ *ggufConfig, c *LlamaConfig) error { c.QKNorm = true; return nil },
	"gemma":   ggufGemma,
	"gemma2":  ggufGemma2,
	"gemma3":  ggufGemma3,
}

func ggufQwenVL(m *ggufConfig, c *LlamaConfig) error {
	c.QKVBias, c.RopeSections = true, nil
	for _, n := range m.list("rope.dimension_sections") { // the last one may be 0
		if n := asNumber(n); n > 0 {
			c.RopeSections = append(c.RopeSections, int(min(n, 1<<30)))
		}
	}
	return nil
}

// ggufGemma is gemmaFamily, with weights of norms that the converter has added 1 to.
func ggufGemma(_ *ggufConfig, c *LlamaConfig) error {
	c.Activation, c.EmbeddingScale = "gelu_pytorch_tanh", math.Sqrt(float64(c.Dim))
	return nil
}

func ggufGemma2(m *ggufConfig, c *LlamaConfig) error {
	c.PostNorm = true // what older files do not say is as llama.cpp has it
	c.AttentionCap = or(m.number("attn_logit_softcapping"), 50)
	c.LogitCap = or(m.number("final_logit_softcapping"), 30)
	c.Window = int(or(float64(c.Window), 4096))
	if c.Layers == gemma2Largest {
		c.AttentionScale = ggufGemmaScale(c)
	}
	if err := m.windows(c, 2); err != nil {
		return err
	}
	return ggufGemma(m, c)
}

func ggufGemma3(m *ggufConfig, c *LlamaConfig) error {
	c.PostNorm, c.QKNorm, c.LogitCap = true, true, m.number("final_logit_softcapping")
	if c.Layers == gemma3Largest {
		c.AttentionScale = ggufGemmaScale(c)
	}
	if err := m.windows(c, 6); err != nil {
		return err
	}
	if c.Window > 0 {
		c.LocalRopeBase = or(m.number("rope.freq_base_swa"), 10000)
	}
	return ggufGemma(m, c)
}

// The layers of Gemma's models of 27 billion weights. Files do not say how they scale the products of queries and keys,
// which is by the width for each head of queries, in place of the size of a head.
const (
	gemma2Largest = 46
	gemma3Largest = 62
)

func ggufGemmaScale(c *LlamaConfig) float64 {
	return 1 / math.Sqrt(float64(c.Dim)/math.Max(1, float64(c.Heads)))
}

// ggufConfig is the metadata of a GGUF file that has a language model.
type ggufConfig struct {
	of   map[string]any
	arch string // general.architecture, which names of keys begin with
}

// number is that of a key, 0 without it.
func (m *ggufConfig) number(key string) float64 { return asNumber(m.of[m.arch+"."+key]) }

func (m *ggufConfig) int(key string) int { return int(m.number(key)) }

func (m *ggufConfig) list(key string) []any {
	list, _ := m.of[m.arch+"."+key].([]any)
	return list
}

func asNumber(x any) float64 {
	switch x := x.(type) {
	case uint64:
		return float64(x)
	case int64:
		return float64(x)
	case float64:
		return x
	}
	return 0
}

// windows sets the layers in which queries see a window: all but every pattern-th, unless the file has another pattern
// or lists them.
func (m *ggufConfig) windows(c *LlamaConfig, pattern int) error {
	const key = "attention.sliding_window_pattern"
	if c.Window == 0 {
		return nil
	}
	c.Windowed = make([]bool, max(0, min(c.Layers, 1<<16)))
	if list := m.list(key); list != nil {
		if len(list) < c.Layers {
			return fmt.Errorf("models: %s.%s lists %d layers of %d", m.arch, key, len(list), c.Layers)
		}
		for i := range c.Windowed {
			windowed, isBool := list[i].(bool)
			c.Windowed[i] = windowed || !isBool && asNumber(list[i]) != 0
		}
		return nil
	}
	if _, ok := m.of[m.arch+"."+key]; ok {
		pattern = m.int(key)
	}
	if pattern < 0 {
		return fmt.Errorf("models: %s.%s is %d", m.arch, key, pattern)
	}
	for i := range c.Windowed {
		c.Windowed[i] = pattern == 0 || (i+1)%pattern != 0
	}
	return nil
}

// rotary sets how much of a head the rotary embedding rotates, and how it is scaled to a longer context.
func (m *ggufConfig) rotary(c *LlamaConfig, f *formats.GGUF) error {
	head := c.HeadDim
	if head == 0 && c.Heads > 0 {
		head = c.Dim / c.Heads
	}
	if n := m.int("rope.dimension_count"); n != 0 && n != head {
		return fmt.Errorf("models: a rotary embedding of %d of the %d elements of a head (%s.rope.dimension_count) is not "+
			"supported", n, head, m.arch)
	}
	if slices.Contains(f.Names(), "rope_freqs.weight") {
		q, err := f.Tensor("rope_freqs.weight")
		if err != nil {
			return err
		}
		c.RopeFactors = q.Dequantize(cpu()).Float64s()
	}
	kind, _ := m.of[m.arch+".rope.scaling.type"].(string)
	factor := or(m.number("rope.scaling.factor"), m.number("rope.scale_linear"))
	switch {
	case kind != "" && kind != "none" && kind != "linear":
		return fmt.Errorf("models: %s.rope.scaling.type %q is not supported: want linear", m.arch, kind)
	case kind == "none" || factor == 0 || factor == 1:
		return nil
	case !(factor > 0) || head < 2 || head > 1<<16:
		return fmt.Errorf("models: %s.rope.scaling.factor is %v for heads of %d", m.arch, factor, head)
	}
	if c.RopeFactors == nil {
		c.RopeFactors = slices.Repeat([]float64{1}, head/2)
	}
	for i := range c.RopeFactors {
		c.RopeFactors[i] *= factor
	}
	return nil
}

// configOfGGUF reads the sizes of a model from the metadata of a GGUF file.
func configOfGGUF(f *formats.GGUF) (c LlamaConfig, err error) {
	m := &ggufConfig{of: f.Metadata}
	m.arch, _ = f.Metadata["general.architecture"].(string)
	family := ggufFamilies[m.arch]
	if family == nil {
		return c, fmt.Errorf("models: general.architecture %q is not supported: want one of %s", m.arch,
			strings.Join(slices.Sorted(maps.Keys(ggufFamilies)), ", "))
	}
	c = LlamaConfig{
		Dim: m.int("embedding_length"), Hidden: m.int("feed_forward_length"), Layers: m.int("block_count"),
		Heads: m.int("attention.head_count"), KVHeads: m.int("attention.head_count_kv"),
		HeadDim: m.int("attention.key_length"), Window: m.int("attention.sliding_window"), Context: m.int("context_length"),
		Eps: m.number("attention.layer_norm_rms_epsilon"), RopeBase: m.number("rope.freq_base"),
	}
	if c.KVHeads == 0 {
		c.KVHeads = c.Heads
	}
	if err := family(m, &c); err != nil {
		return c, err
	}
	if err := m.rotary(&c, f); err != nil {
		return c, err
	}
	q, err := f.Tensor("token_embd.weight")
	if err != nil {
		return c, err
	}
	if len(q.Dims()) != 2 {
		return c, fmt.Errorf("models: token_embd.weight has shape %v", q.Dims())
	}
	c.Vocab, c.Tied = q.Dims()[0], !slices.Contains(f.Names(), "output.weight")
	return c, c.check()
}
