package models_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/quant"
)

// convertedGemma is what transformers and sentencepiece make of a model of testdata/gguf: see testdata/gemma.py.
type convertedGemma struct {
	IDs    []int
	Logits [][]float64 // of the first tokens of the vocabulary
	Texts  [][3]any    // text, tokens, and the text of those
}

func gemmaGGUF(t *testing.T, name string) (path string, g convertedGemma) {
	t.Helper()
	path = filepath.Join("testdata/gguf", name+".gguf")
	raw, err := os.ReadFile(filepath.Join("testdata/gguf", name+".json"))
	if err == nil {
		err = json.Unmarshal(raw, &g)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path, g
}

// TestGemmaGGUF: models that llama.cpp's converter has written give the logits of transformers, and their tokenizers the
// tokens of sentencepiece.
func TestGemmaGGUF(t *testing.T) {
	for _, dev := range devices(t) {
		for _, name := range []string{"gemma", "gemma2", "gemma3"} {
			path, g := gemmaGGUF(t, name)
			m, tok, err := models.OpenLlama(path, tensor.F32, dev)
			if err != nil {
				t.Fatal(err)
			}
			for i, row := range m.Forward(g.IDs).ToVec2() {
				near(t, row[:len(g.Logits[i])], g.Logits[i], 5e-5)
			}
			d := m.Decoder()
			for i, id := range g.IDs {
				near(t, d.Read([]int{id}).ToVec1()[:len(g.Logits[i])], g.Logits[i], 5e-5)
			}
			for _, row := range g.Texts {
				var want []int
				for _, id := range row[1].([]any) {
					want = append(want, int(id.(float64)))
				}
				if got := tok.EncodePrompt(row[0].(string)); !slices.Equal(got, want) {
					t.Errorf("%q: %v, want %v", row[0], got, want)
				} else if got := tok.Decode(got); got != row[2].(string) {
					t.Errorf("%v: %q, want %q", want, got, row[2])
				}
			}
		}
	}
}

// changedGGUF is a GGUF file with other metadata, of which nil ones are left out, and weights that change may change.
func changedGGUF(t *testing.T, path string, meta map[string]any, change func(name string, x *quant.QTensor) *quant.QTensor) string {
	t.Helper()
	f, err := formats.OpenGGUF(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := maps.Clone(f.Metadata)
	maps.Copy(all, meta)
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil })
	var list []formats.Packed
	for _, name := range f.Names() {
		x, err := f.Tensor(name)
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			x = change(name, x)
		}
		if x != nil {
			list = append(list, formats.Packed{Name: name, Tensor: x})
		}
	}
	to := filepath.Join(t.TempDir(), filepath.Base(path))
	if err := formats.WriteGGUF(to, list, all); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestGemmaMetadata: what a file says, or leaves out, of the parts of Gemma.
func TestGemmaMetadata(t *testing.T) {
	const pattern, swa = "gemma3.attention.sliding_window_pattern", "gemma3.rope.freq_base_swa"
	listed := []any{true, false, true, false, true, false, true}
	for _, c := range []struct {
		name, wrong string
		meta        map[string]any
		is          func(c models.LlamaConfig) bool
	}{
		{"gemma3", "", map[string]any{swa: nil}, func(c models.LlamaConfig) bool { return c.LocalRopeBase == 10000 }},
		{"gemma3", "", nil, func(c models.LlamaConfig) bool {
			return c.RopeFactors[3] == 8 && slices.Equal(c.Windowed, []bool{true, true, true, true, true, false, true}) && c.NormOffset == 0
		}},
		{"gemma3", "", map[string]any{pattern: uint32(2)}, func(c models.LlamaConfig) bool {
			return slices.Equal(c.Windowed, []bool{true, false, true, false, true, false, true})
		}},
		{"gemma3", "", map[string]any{pattern: listed}, func(c models.LlamaConfig) bool {
			return slices.Equal(c.Windowed, []bool{true, false, true, false, true, false, true})
		}},
		{"gemma3", "", map[string]any{pattern: []int32{1, 0, 0, 0, 0, 0, 1}}, func(c models.LlamaConfig) bool {
			return slices.Equal(c.Windowed, []bool{true, false, false, false, false, false, true})
		}},
		{"gemma3", "", map[string]any{pattern: uint32(0)}, func(c models.LlamaConfig) bool { return !slices.Contains(c.Windowed, false) }},
		{"gemma3", "", map[string]any{"gemma3.attention.sliding_window": nil}, func(c models.LlamaConfig) bool {
			return c.Window == 0 && c.Windowed == nil && c.LocalRopeBase == 0
		}},
		{"gemma3", "", map[string]any{"gemma3.rope.scaling.type": nil}, func(c models.LlamaConfig) bool { return c.RopeFactors[0] == 8 }},
		{"gemma3", "", map[string]any{"gemma3.rope.scaling.type": "none"}, func(c models.LlamaConfig) bool { return c.RopeFactors == nil }},
		{"gemma3", "", map[string]any{"gemma3.final_logit_softcapping": 3.0}, func(c models.LlamaConfig) bool { return c.LogitCap == 3 }},
		{"gemma2", "", map[string]any{"gemma2.attention.sliding_window": nil, "gemma2.attn_logit_softcapping": nil,
			"gemma2.final_logit_softcapping": nil}, func(c models.LlamaConfig) bool {
			return c.Window == 4096 && c.AttentionCap == 50 && c.LogitCap == 30
		}},
		{"gemma3", "gemma3.rope.scaling.type \"ntk\" is not supported: want linear, yarn or longrope", map[string]any{"gemma3.rope.scaling.type": "ntk"}, nil},
		{"gemma3", "gemma3.attention.sliding_window_pattern lists 2 layers of 7", map[string]any{pattern: []any{true, false}}, nil},
		{"gemma3", "gemma3.attention.sliding_window_pattern is -1", map[string]any{pattern: int32(-1)}, nil},
		{"gemma3", "gemma3.rope.scaling.factor is -2", map[string]any{"gemma3.rope.scaling.factor": -2.0}, nil},
		{"gemma3", `"gemma3n" is not supported: want one of apertus, arcee, bloom, cohere2, command-r`, map[string]any{"general.architecture": "gemma3n"}, nil},
	} {
		path, _ := gemmaGGUF(t, c.name)
		m, _, err := models.OpenLlama(changedGGUF(t, path, c.meta, nil), tensor.F32, tensor.CPU())
		switch {
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%v: %v, want …%s…", c.meta, err, c.wrong)
			}
		case err != nil || !c.is(m.Config):
			t.Errorf("%v: %v, %+v", c.meta, err, m)
		}
	}
}

// TestGemmaLargest: models of 27 billion weights, which only the number of their layers tells from others, scale the
// products of queries and keys by their width.
func TestGemmaLargest(t *testing.T) {
	for name, layers := range map[string]int{"gemma2": 46, "gemma3": 62} {
		path, _ := gemmaGGUF(t, name)
		f, err := formats.OpenGGUF(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var list []formats.Packed
		for _, from := range f.Names() {
			x, err := f.Tensor(from)
			if err != nil {
				t.Fatal(err)
			}
			rest, first := strings.CutPrefix(from, "blk.0.")
			if !first {
				if !strings.HasPrefix(from, "blk.") {
					list = append(list, formats.Packed{Name: from, Tensor: x})
				}
				continue
			}
			for i := range layers {
				list = append(list, formats.Packed{Name: fmt.Sprintf("blk.%d.%s", i, rest), Tensor: x})
			}
		}
		meta := maps.Clone(f.Metadata)
		meta[name+".block_count"] = uint32(layers)
		file := filepath.Join(t.TempDir(), "large.gguf")
		if err := formats.WriteGGUF(file, list, meta); err != nil {
			t.Fatal(err)
		}
		m, _, err := models.OpenLlama(file, tensor.F32, tensor.CPU())
		if err != nil || m.Config.AttentionScale != 0.5 {
			t.Errorf("%s: %v, %+v", name, err, m)
		}
	}
}

// TestGemmaPacked: matrices that are packed stay packed, beside norms and an embedding that are not.
func TestGemmaPacked(t *testing.T) {
	path, g := gemmaGGUF(t, "gemma3")
	packed := func(name string, x *quant.QTensor) *quant.QTensor {
		if len(x.Dims()) < 2 || x.Dims()[1]%32 != 0 {
			return x
		}
		return quant.Quantize(x.Dequantize(tensor.CPU()), quant.Q8_0)
	}
	for _, dev := range devices(t) {
		m, _, err := models.OpenLlama(changedGGUF(t, path, nil, packed), tensor.F32, dev)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range m.Forward(g.IDs).ToVec2() {
			near(t, row[:len(g.Logits[i])], g.Logits[i], 0.3)
		}
	}
}
