package models_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// adapted is adapters for a model, and its logits with them: see testdata/adapters.py.
type adapted struct {
	golden
	Base   string
	Scales []float64
}

func (a *adapted) adapters() (all []models.Adapter) {
	for i, scale := range a.Scales {
		all = append(all, models.Adapter{Path: filepath.Join(a.folder, fmt.Sprint(i)), Scale: scale})
	}
	return all
}

func readAdapted(t *testing.T) (all []adapted) {
	t.Helper()
	files, err := filepath.Glob("testdata/adapters/*/logits.json")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		a := adapted{golden: golden{folder: filepath.Dir(file)}}
		a.name = filepath.Base(a.folder)
		raw, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(raw, &a)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	return all
}

// compare compares what a model computes at once and token by token.
func (a *adapted) compare(t *testing.T, m *models.Llama) {
	t.Helper()
	for i, row := range m.Forward(a.IDs).ToVec2() {
		a.near(t, row, i)
	}
	d := m.Decoder()
	for i, id := range a.IDs {
		a.near(t, d.Read([]int{id}).ToVec1(), i)
	}
}

// TestAdapters: models with adapters give the logits of PEFT.
func TestAdapters(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		for i, a := range readAdapted(t) {
			if dev.Emulated() && i%4 != 0 && !thorough.On() {
				continue
			}
			t.Run(dev.Location()+"/"+a.name, func(t *testing.T) {
				base, adapters := filepath.Join("testdata", a.Base), a.adapters()
				if a.name == "gguf" { // by llama.cpp's converters
					base, adapters[0].Path = "testdata/gguf/llama3.gguf", adapters[0].Path+".gguf"
				}
				m, _, err := models.OpenLlama(base, tensor.F32, dev, adapters...)
				if err != nil {
					t.Fatal(err)
				}
				a.compare(t, m)
			})
		}
	}
}

// TestAdapterBeside: adapters of matrices that stay in BF16 or packed give what those give whose weights they are added
// to.
func TestAdapterBeside(t *testing.T) {
	thorough.Slow(t)
	config := models.LlamaConfig{Dim: 64, Hidden: 96, Layers: 2, Heads: 4, KVHeads: 2, Vocab: 40, Context: 32, Interleaved: true}
	tensor.CPU().SetSeed(6)
	p := nn.NewParams(tensor.F32, tensor.CPU())
	if _, err := models.NewLlama(config, p); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	rows := map[string][2]int{"attn_q": {64, 64}, "attn_v": {32, 64}, "ffn_up": {96, 64}, "ffn_down": {64, 96}}
	var pairs []formats.Packed
	for i, name := range slices.Sorted(maps.Keys(rows)) {
		a, b := tensor.Randn(1+i, rows[name][1]).Mul(0.3), tensor.Randn(rows[name][0], 1+i).Mul(0.3)
		pairs = append(pairs, formats.Packed{Name: "blk.1." + name + ".weight.lora_a", Tensor: quant.Quantize(a, quant.F32)},
			formats.Packed{Name: "blk.1." + name + ".weight.lora_b", Tensor: quant.Quantize(b, quant.F32)})
	}
	lora := models.Adapter{Path: filepath.Join(folder, "lora.gguf")}
	if err := formats.WriteGGUF(lora.Path, pairs, map[string]any{"general.type": "adapter", "general.architecture": "llama", "adapter.type": "lora",
		"adapter.lora.alpha": float32(3)}); err != nil {
		t.Fatal(err)
	}
	for _, format := range []quant.Type{quant.BF16, quant.Q8_0, quant.Q4_0} {
		path, dense := filepath.Join(folder, format.String()+".gguf"), filepath.Join(folder, "dense.gguf")
		var packed, plain []formats.Packed
		for _, w := range p.All() {
			name, as := ggufName(w.Name), quant.F32
			if w.Tensor.Rank() == 2 {
				as = format
			}
			q := quant.Quantize(w.Tensor.Detach(), as)
			packed = append(packed, formats.Packed{Name: name, Tensor: q})
			plain = append(plain, formats.Packed{Name: name, Tensor: quant.Quantize(q.Dequantize(tensor.CPU()), quant.F32)})
		}
		meta := map[string]any{"general.architecture": "llama", "llama.embedding_length": 64, "llama.feed_forward_length": 96, "llama.block_count": 2,
			"llama.attention.head_count": 4, "llama.attention.head_count_kv": 2, "llama.context_length": 32, "llama.attention.layer_norm_rms_epsilon": float32(1e-5)}
		if err := errors.Join(formats.WriteGGUF(path, packed, meta), formats.WriteGGUF(dense, plain, meta)); err != nil {
			t.Fatal(err)
		}
		for _, dev := range devices(t) {
			without, _, err := models.OpenLlama(path, tensor.F32, dev)
			if err != nil {
				t.Fatal(err)
			}
			m, _, err := models.OpenLlama(path, tensor.F32, dev, lora)
			if err != nil {
				t.Fatal(err)
			}
			merged, _, err := models.OpenLlama(dense, tensor.F32, dev, lora)
			if err != nil {
				t.Fatal(err)
			}
			ids := []int{3, 1, 4, 1, 5, 9, 2, 6}
			want, least := merged.Forward(ids), 1e-5
			if format != quant.BF16 { // products round what they multiply
				least = 0.02
			}
			if got := m.Forward(ids).Sub(want).Norm().ToScalar() / want.Norm().ToScalar(); !(got < least) {
				t.Errorf("%v, %v: logits differ by %v", dev, format, got)
			}
			if got := without.Forward(ids).Sub(want).Norm().ToScalar() / want.Norm().ToScalar(); got < 0.2 {
				t.Errorf("%v, %v: the adapter changes logits by %v alone", dev, format, got)
			}
			if n := models.Beside(m); n != 3 && !(n == 0 && format == quant.BF16 && !dev.IsCPU()) {
				t.Errorf("%v, %v: %d matrices stay as they are", dev, format, n)
			}
			d, all := m.Decoder(), m.Forward(ids).ToVec2()
			for i, id := range ids {
				near(t, d.Read([]int{id}).ToVec1(), all[i], 1e-4)
			}
		}
	}
}

// ggufName is the name that a weight of Hugging Face's Llama has in GGUF files.
func ggufName(name string) string {
	return strings.NewReplacer("model.embed_tokens", "token_embd", "model.norm", "output_norm", "lm_head", "output", "model.layers", "blk",
		"input_layernorm", "attn_norm", "post_attention_layernorm", "ffn_norm", "self_attn.q_proj", "attn_q", "self_attn.k_proj", "attn_k",
		"self_attn.v_proj", "attn_v", "self_attn.o_proj", "attn_output", "mlp.gate_proj", "ffn_gate", "mlp.up_proj", "ffn_up", "mlp.down_proj", "ffn_down").Replace(name)
}

// TestAdapterFolder: the folder of an adapter is opened with the model that it names, and a tokenizer beside it.
func TestAdapterFolder(t *testing.T) {
	var a adapted
	for _, a = range readAdapted(t) {
		if a.name == "plain" {
			break
		}
	}
	m, _, err := models.OpenLlama(filepath.Join(a.folder, "0"), tensor.F32, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	a.compare(t, m)
	root := t.TempDir() // the base lies beside the adapter
	for from, to := range map[string]string{a.folder + "/0": "mine", "testdata/qwen2": "qwen2"} {
		if err := os.CopyFS(filepath.Join(root, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	err = os.WriteFile(filepath.Join(root, "mine", "adapter_config.json"), []byte(`{"peft_type": "LORA", "r": 2, "base_model_name_or_path": "Qwen/qwen2"}`), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := models.OpenLlama(filepath.Join(root, "mine"), tensor.F32, tensor.CPU()); err != nil {
		t.Error(err)
	}
}

// TestAdapterChat: the template of a folder with an adapter is that of the conversation, and what it lacks is that of
// the model.
func TestAdapterChat(t *testing.T) {
	root := t.TempDir()
	base, mine := filepath.Join(root, "base"), filepath.Join(root, "mine")
	if err := os.CopyFS(base, os.DirFS("testdata/chat/model")); err != nil {
		t.Fatal(err)
	}
	plain, err := models.Open(base, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	c := plain.Config
	named := []formats.Named{
		{Name: "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight", Tensor: tensor.Ones(1, c.Dim)},
		{Name: "base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight", Tensor: tensor.Ones(c.Heads*c.HeadDim, 1)}}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(mine, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(mine, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := formats.WriteSafetensors(filepath.Join(mine, "adapter_model.safetensors"), named, nil); err != nil {
		t.Fatal(err)
	}
	write("adapter_config.json", `{"peft_type": "LORA", "r": 1, "lora_alpha": 1, "base_model_name_or_path": "base"}`)
	m, err := models.Open(mine, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	prompt := func(m *models.Model) string {
		text, err := m.Template.Prompt([]models.Message{{Role: "user", Content: "Hi"}}, nil, nil)
		if err != nil {
			t.Error(err)
		}
		return text
	}
	if m.Template == nil || m.Tokenizer == nil || prompt(m) != prompt(plain) || m.Defaults != plain.Defaults {
		t.Errorf("%v: a template %v and a tokenizer %v, sampling %v", m, m.Template, m.Tokenizer, m.Defaults)
	}
	ids := []int{1, 2, 3}
	if got := m.Forward(ids).Sub(plain.Forward(ids)).Abs().Max().ToScalar(); got < 1e-6 {
		t.Error("the adapter changes nothing")
	}
	write("tokenizer_config.json", `{"chat_template": "{{ messages[0].content }}!"}`)
	if m, err = models.Open(mine, tensor.CPU()); err != nil || prompt(m) != "Hi!" {
		t.Errorf("%v, %v", m, err)
	}
}

// TestAdapterMistakes: adapters that do not fit are errors with names and shapes, and so are settings that are not
// supported.
func TestAdapterMistakes(t *testing.T) {
	dev := tensor.CPU()
	open := func(base string, adapters ...models.Adapter) error {
		_, _, err := models.OpenLlama(filepath.Join("testdata", base), tensor.F32, dev, adapters...)
		return err
	}
	of := func(config string, names ...string) models.Adapter {
		folder := t.TempDir()
		var all []formats.Named
		for _, name := range names {
			all = append(all, formats.Named{Name: name, Tensor: tensor.Ones(2, 16)})
		}
		if err := os.WriteFile(filepath.Join(folder, "adapter_config.json"), []byte(`{"peft_type": "LORA", "r": 2, "lora_alpha": 2`+config+`}`), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := formats.WriteSafetensors(filepath.Join(folder, "adapter_model.safetensors"), all, nil); err != nil {
			t.Fatal(err)
		}
		return models.Adapter{Path: folder}
	}
	const layer = "base_model.model.model.layers.0.self_attn.q_proj."
	for _, c := range []struct {
		name, base string
		adapter    models.Adapter
		want       []string
	}{
		{"another model", "gpt2", models.Adapter{Path: "testdata/adapters/plain/0"}, []string{"14 parameters of 0 are not in this model", "q_proj.weight ([16 2] × [2 16])", "the model has"}},
		{"other shapes", "mistral", models.Adapter{Path: "testdata/adapters/plain/0"}, []string{"self_attn.q_proj.weight", "[16 2] × [2 16] for a parameter of shape [24 16]"}},
		{"no folder", "qwen2", models.Adapter{Path: "testdata/none"}, []string{"adapter testdata/none", "no such file"}},
		{"GGUF", "qwen2", models.Adapter{Path: "a.gguf"}, []string{"wants a folder of PEFT"}},
		{"a scale", "qwen2", models.Adapter{Path: "testdata/adapters/whole/0", Scale: 2}, []string{"takes the place", "want a Scale of 1"}},
		{"half a pair", "qwen2", of("", layer+"lora_A.weight"), []string{"one matrix of a pair alone"}},
		{"another rank", "qwen2", of(`, "rank_pattern": {"q_proj": 3}`, layer+"lora_A.weight", layer+"lora_B.weight"), []string{"its rank is 2, and that of its config 3"}},
		{"no pair", "qwen2", of("", layer+"lora_A.weight", layer+"lora_B.weight"), []string{"shapes [2 16] and [2 16]"}},
		{"DoRA without lengths", "qwen2", of(`, "use_dora": true`, layer+"lora_A.weight", layer+"lora_B.weight"), []string{"no lora_magnitude_vector"}},
		{"another tensor", "qwen2", of("", layer+"lora_C.weight"), []string{"lora_C.weight is not supported"}},
		{"biases", "qwen2", of("", layer+"lora_B.bias"), []string{"lora_B.bias is not supported"}},
		{"another prefix", "qwen2", of("", "q_proj.lora_A.weight"), []string{"does not begin with base_model.model."}},
		{"PiSSA", "qwen2", of(`, "init_lora_weights": "pissa"`, layer+"lora_A.weight"), []string{"pissa", "path_initial_model_for_weight_conversion"}},
		{"a new setting", "qwen2", of(`, "trainable_token_indices": [3]`, layer+"lora_A.weight"), []string{"trainable_token_indices is not supported"}},
		{"nothing", "qwen2", of(""), []string{"has no tensors"}},
	} {
		err := open(c.base, c.adapter)
		if err == nil || slices.ContainsFunc(c.want, func(want string) bool { return !strings.Contains(err.Error(), want) }) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	dora := models.Adapter{Path: "testdata/adapters/dora/0"}
	if err := open("llama3", dora, dora); err == nil || !strings.Contains(err.Error(), "one of them with use_dora") {
		t.Error(err)
	}
	lost := of(`, "base_model_name_or_path": "meta-llama/Llama-3.2-1B"`, layer+"lora_A.weight")
	if _, err := models.Open(lost.Path, dev); err == nil || !strings.Contains(err.Error(), "open that model with models.Adapter{Path:") {
		t.Error(err)
	}
}
