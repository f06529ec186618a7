package models_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// tiny is a Llama of random weights, under Meta's names.
var tiny = formats.Llama2c{Dim: 32, Hidden: 64, Layers: 2, Heads: 4, KVHeads: 2, Vocab: 40, Context: 32, Tied: true}

func tinyWeights() []formats.Named {
	cpu := tensor.CPU()
	cpu.SetSeed(9)
	var list []formats.Named
	add := func(name string, shape ...int) {
		w := cpu.Randn(tensor.F32, shape...).Mul(0.3)
		if len(shape) == 1 {
			w = w.Add(1)
		}
		list = append(list, formats.Named{Name: name, Tensor: w})
	}
	kv := tiny.Dim / tiny.Heads * tiny.KVHeads
	add("tok_embeddings.weight", tiny.Vocab, tiny.Dim)
	for i := range tiny.Layers {
		at := fmt.Sprintf("layers.%d.", i)
		add(at+"attention_norm.weight", tiny.Dim)
		add(at+"attention.wq.weight", tiny.Dim, tiny.Dim)
		add(at+"attention.wk.weight", kv, tiny.Dim)
		add(at+"attention.wv.weight", kv, tiny.Dim)
		add(at+"attention.wo.weight", tiny.Dim, tiny.Dim)
		add(at+"ffn_norm.weight", tiny.Dim)
		add(at+"feed_forward.w1.weight", tiny.Hidden, tiny.Dim)
		add(at+"feed_forward.w2.weight", tiny.Dim, tiny.Hidden)
		add(at+"feed_forward.w3.weight", tiny.Hidden, tiny.Dim)
	}
	add("norm.weight", tiny.Dim)
	return list
}

// renamed gives weights the names of another kind of file.
func renamed(list []formats.Named, names ...string) []formats.Named {
	r := strings.NewReplacer(names...)
	var out []formats.Named
	for _, n := range list {
		out = append(out, formats.Named{Name: r.Replace(n.Name), Tensor: n.Tensor})
	}
	return out
}

var (
	ggufNames = []string{"ffn_norm", "ffn_norm", "tok_embeddings", "token_embd", "layers.", "blk.", "attention_norm",
		"attn_norm", "attention.wq", "attn_q", "attention.wk", "attn_k",
		"attention.wv", "attn_v", "attention.wo", "attn_output", "feed_forward.w1", "ffn_gate", "feed_forward.w2",
		"ffn_down", "feed_forward.w3", "ffn_up", "norm.weight", "output_norm.weight"}
	huggingFaceNames = []string{"tok_embeddings", "model.embed_tokens", "layers.", "model.layers.", "attention_norm",
		"input_layernorm", "ffn_norm", "post_attention_layernorm",
		"attention.wq", "self_attn.q_proj", "attention.wk", "self_attn.k_proj", "attention.wv", "self_attn.v_proj",
		"attention.wo", "self_attn.o_proj",
		"feed_forward.w1", "mlp.gate_proj", "feed_forward.w2", "mlp.down_proj", "feed_forward.w3", "mlp.up_proj",
		"norm.weight", "model.norm.weight"}
)

var tinyIDs = []int{1, 17, 39, 5, 5, 20, 8}

func tinyLlama(t *testing.T, dev *tensor.Device) *models.Llama {
	t.Helper()
	m, err := models.NewLlama(models.Llama2cConfig(&tiny), nn.ParamsOf(tinyWeights(), tensor.F32, dev))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestLlamaDecoder: token by token, in parts and at once give the same, on every device.
func TestLlamaDecoder(t *testing.T) {
	want := tinyLlama(t, tensor.CPU()).Forward(tinyIDs).ToVec2()
	for _, dev := range devices(t) {
		m := tinyLlama(t, dev)
		for i, row := range m.Forward(tinyIDs).ToVec2() {
			near(t, row, want[i], 1e-4)
		}
		d := m.Decoder()
		for i, id := range tinyIDs {
			near(t, d.Read([]int{id}).ToVec1(), want[i], 1e-4)
		}
		d.Reset()
		near(t, d.Read(tinyIDs[:3]).ToVec1(), want[2], 1e-4)
		near(t, d.Read(tinyIDs[3:]).ToVec1(), want[6], 1e-4)
		if d.Len() != len(tinyIDs) || d.Context() != tiny.Context {
			t.Errorf("%d of %d tokens were read", d.Len(), d.Context())
		}
	}
}

// TestDefaultDType: GPUs without instructions for BF16 compute in F16.
func TestDefaultDType(t *testing.T) {
	for _, c := range []struct {
		host, bf16 bool
		want       tensor.DType
	}{{true, false, tensor.F32}, {true, true, tensor.F32}, {false, true, tensor.BF16}, {false, false, tensor.F16}} {
		if got := models.DefaultDTypeOf(c.host, c.bf16); got != c.want {
			t.Errorf("on the host %v, with BF16 %v: %v, want %v", c.host, c.bf16, got, c.want)
		}
	}
	for _, dev := range devices(t) {
		if got := dev.SupportsBF16(); dev.IsCPU() && got || dev.Emulated() && !got {
			t.Errorf("%v supports BF16: %v", dev, got)
		}
	}
}

// TestLlamaHalf: the small floats give about the same.
func TestLlamaHalf(t *testing.T) {
	want := tinyLlama(t, tensor.CPU()).Forward(tinyIDs).ToVec2()
	for _, dev := range devices(t) {
		if dt := models.DefaultDType(dev); (dt == tensor.F32) != (dev.IsCPU() || dev.Emulated()) {
			t.Errorf("%v computes in %v", dev, dt)
		}
		for dt, within := range map[tensor.DType]float64{tensor.F16: 0.05, tensor.BF16: 0.5} {
			m, err := models.NewLlama(models.Llama2cConfig(&tiny), nn.ParamsOf(tinyWeights(), dt, dev))
			if err != nil {
				t.Fatal(err)
			}
			d := m.Decoder()
			d.Read(tinyIDs[:4])
			logits := d.Read(tinyIDs[4:])
			if logits.DType() != dt || m.DType() != dt || m.Device() != dev {
				t.Errorf("logits %v", logits.DType())
			}
			near(t, logits.ToVec1(), want[6], within)
		}
	}
}

// reference computes what a Llama computes, by its definition, for one text and in float64: halves says how pairs are
// rotated.
func reference(weights []formats.Named, c models.LlamaConfig, ids []int) [][]float64 {
	w := map[string]*tensor.Tensor{}
	for _, n := range weights {
		w[n.Name] = n.Tensor.ToDType(tensor.F64)
	}
	norm := func(x *tensor.Tensor, name string) *tensor.Tensor {
		return x.Div(x.Sqr().MeanKeepDim(1).Add(1e-5).Sqrt()).Mul(w[name])
	}
	list := make([]uint32, len(ids))
	for i, id := range ids {
		list[i] = uint32(id)
	}
	x := w["tok_embeddings.weight"].IndexSelect(tensor.New(list), 0)
	size := c.Dim / c.Heads
	cos, sin := nn.RopeTables(len(ids), size, 10000, tensor.CPU())
	cos, sin = cos.ToDType(tensor.F64), sin.ToDType(tensor.F64)
	head := func(y *tensor.Tensor, i int, turn bool) *tensor.Tensor {
		y = y.Narrow(1, i*size, size)
		if !turn {
			return y
		}
		y = y.Reshape(1, 1, len(ids), size)
		if c.Interleaved {
			y = y.RopeI(cos, sin)
		} else {
			y = y.Rope(cos, sin)
		}
		return y.Reshape(len(ids), size)
	}
	for i := range c.Layers {
		at := fmt.Sprintf("layers.%d.", i)
		h := norm(x, at+"attention_norm.weight")
		q, k, v := h.MatMul(w[at+"attention.wq.weight"].T()), h.MatMul(w[at+"attention.wk.weight"].T()),
			h.MatMul(w[at+"attention.wv.weight"].T())
		var heads []*tensor.Tensor
		for j := range c.Heads {
			g := j / (c.Heads / c.KVHeads)
			s := head(q, j, true).MatMul(head(k, g, true).T()).Div(tensor.Of(float64(size)).ToDType(tensor.F64).Sqrt())
			s = s.Add(nn.CausalMask(len(ids), len(ids), 0, tensor.CPU()).ToDType(tensor.F64).Mul(-1e30))
			heads = append(heads, s.Softmax(1).MatMul(head(v, g, false)))
		}
		x = x.Add(tensor.Cat(heads, 1).MatMul(w[at+"attention.wo.weight"].T()))
		h = norm(x, at+"ffn_norm.weight")
		up := h.MatMul(w[at+"feed_forward.w1.weight"].T()).Silu().Mul(h.MatMul(w[at+"feed_forward.w3.weight"].T()))
		x = x.Add(up.MatMul(w[at+"feed_forward.w2.weight"].T()))
	}
	return norm(x, "norm.weight").MatMul(w["tok_embeddings.weight"].T()).ToVec2()
}

func TestLlamaReference(t *testing.T) {
	for _, interleaved := range []bool{true, false} {
		c := models.Llama2cConfig(&tiny)
		c.Interleaved = interleaved
		m, err := models.NewLlama(c, nn.ParamsOf(tinyWeights(), tensor.F32, tensor.CPU()))
		if err != nil {
			t.Fatal(err)
		}
		want := reference(tinyWeights(), c, tinyIDs)
		for i, row := range m.Forward(tinyIDs).ToVec2() {
			near(t, row, want[i], 1e-4)
		}
	}
}

// TestLlamaFiles: one model in files of every kind.
func TestLlamaFiles(t *testing.T) {
	folder := t.TempDir()
	weights := tinyWeights()
	bin := filepath.Join(folder, "tiny.bin")
	if err := formats.WriteLlama2c(bin, &tiny, weights); err != nil {
		t.Fatal(err)
	}
	want := tinyLlama(t, tensor.CPU()).Forward(tinyIDs).ToVec2()
	check := func(path string, want [][]float64, within float64) *models.Llama {
		t.Helper()
		m, tok, err := models.OpenLlama(path, tensor.F32, tensor.CPU())
		if err != nil {
			t.Fatal(err)
		}
		if tok != nil {
			t.Errorf("%s has a tokenizer", path)
		}
		for i, row := range m.Forward(tinyIDs).ToVec2() {
			near(t, row, want[i], within)
		}
		return m
	}
	check(bin, want, 1e-5)

	meta := map[string]any{"general.architecture": "llama", "llama.embedding_length": uint32(32),
		"llama.feed_forward_length": uint32(64), "llama.block_count": uint32(2),
		"llama.attention.head_count": uint32(4), "llama.attention.head_count_kv": uint32(2),
		"llama.context_length": uint32(32), "llama.attention.layer_norm_rms_epsilon": float32(1e-5)}
	for _, kind := range []struct {
		t      quant.Type
		within float64
	}{{quant.F32, 1e-5}, {quant.Q8_0, 0.4}} {
		var packed []formats.Packed
		for _, w := range renamed(weights, ggufNames...) {
			as := kind.t
			if w.Tensor.Rank() == 1 {
				as = quant.F32
			}
			packed = append(packed, formats.Packed{Name: w.Name, Tensor: quant.Quantize(w.Tensor, as)})
		}
		path := filepath.Join(folder, kind.t.String()+".gguf")
		if err := formats.WriteGGUF(path, packed, meta); err != nil {
			t.Fatal(err)
		}
		check(path, want, kind.within)
	}

	// Hugging Face: pairs are halves.
	hf := filepath.Join(folder, "hf")
	if err := os.Mkdir(hf, 0o755); err != nil {
		t.Fatal(err)
	}
	config := map[string]any{"model_type": "llama", "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
		"num_attention_heads": 4, "num_key_value_heads": 2,
		"vocab_size": 40, "max_position_embeddings": 32, "rms_norm_eps": 1e-5, "tie_word_embeddings": true,
		"hidden_act": "silu", "eos_token_id": []int{2, 3}}
	writeJSON := func() {
		data, err := json.Marshal(config)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(hf, "config.json"), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	writeJSON()
	named := renamed(weights, huggingFaceNames...)
	for i, part := range [][]formats.Named{named[:7], named[7:]} {
		if err := formats.WriteSafetensors(filepath.Join(hf, fmt.Sprintf("model-%d.safetensors", i)), part,
			nil); err != nil {
			t.Fatal(err)
		}
	}
	c := models.Llama2cConfig(&tiny)
	c.Interleaved = false
	m := check(hf, reference(weights, c, tinyIDs), 1e-4)
	if d := m.Decoder(); !d.Ends(3) || d.Ends(1) {
		t.Error("the tokens that end a text are not those of the config")
	}
	config["num_hidden_layers"] = 3
	writeJSON()
	_, _, err := models.OpenLlama(hf, tensor.F32, tensor.CPU())
	var e *nn.ParamsError
	if !errors.As(err, &e) || len(e.Missing) != 9 || e.Missing[0] != "model.layers.2.input_layernorm.weight" {
		t.Errorf("a layer too many: %v", err)
	}
	config["model_type"] = "rwkv"
	writeJSON()
	if _, _, err := models.OpenLlama(hf, tensor.F32, tensor.CPU()); err == nil ||
		!strings.Contains(err.Error(), "rwkv") {
		t.Errorf("another model: %v", err)
	}
}

// TestQwen: a bias for queries, keys and values, and norms of queries and keys, change what the reference does not
// have.
func TestQwen(t *testing.T) {
	c := models.Llama2cConfig(&tiny)
	c.Interleaved, c.QKVBias, c.QKNorm, c.Layers = false, true, true, 1
	weights := slices.DeleteFunc(renamed(tinyWeights(), huggingFaceNames...),
		func(n formats.Named) bool { return strings.Contains(n.Name, "layers.1.") })
	zeros := func(name string, n int) {
		weights = append(weights, formats.Named{Name: name, Tensor: tensor.Zeros(n)})
	}
	for i := range c.Layers {
		at := fmt.Sprintf("model.layers.%d.self_attn.", i)
		zeros(at+"q_proj.bias", 32)
		zeros(at+"k_proj.bias", 16)
		zeros(at+"v_proj.bias", 16)
		// Queries that are all zero see every key alike.
		zeros(at+"q_norm.weight", 8)
		zeros(at+"k_norm.weight", 8)
	}
	m, err := models.NewLlama(c, nn.ParamsOf(weights, tensor.F32, tensor.CPU()))
	if err != nil {
		t.Fatal(err)
	}
	same := m.Forward([]int{7, 3, 9}).Get(2).ToVec1()
	near(t, m.Forward([]int{3, 7, 9}).Get(2).ToVec1(), same, 1e-4) // the order of what is seen alike does not matter
	c.QKNorm = false
	if _, err := models.NewLlama(c, nn.ParamsOf(weights, tensor.F32, tensor.CPU())); err == nil ||
		!strings.Contains(err.Error(), "2 unexpected") {
		t.Errorf("norms that are not in the config: %v", err)
	}
}

// TestLlamaRandom: a model of random weights, as they are and packed.
func TestLlamaRandom(t *testing.T) {
	for _, dev := range devices(t) {
		dev.SetSeed(1)
		m, err := models.NewLlama(models.Llama2cConfig(&tiny), nn.NewParams(tensor.F32, dev))
		if err != nil {
			t.Fatal(err)
		}
		logits := m.Forward(tinyIDs)
		if logits.TrackOp() {
			t.Error("the logits of a model that is not trained are tracked")
		}
		want := logits.Float64s()
		if slices.Max(want) == slices.Min(want) {
			t.Error("all logits are the same")
		}
		near(t, m.Pack(quant.Q8_0).Forward(tinyIDs).Float64s(), want, 0.02*slices.Max(want))
		near(t, m.Forward(tinyIDs).Float64s(), want, 0)
	}
}

// TestLlamaWindow: what is beyond the window of all layers together changes nothing.
func TestLlamaWindow(t *testing.T) {
	c := models.Llama2cConfig(&tiny)
	c.Window = 2
	m, err := models.NewLlama(c, nn.ParamsOf(tinyWeights(), tensor.F32, tensor.CPU()))
	if err != nil {
		t.Fatal(err)
	}
	all := m.Forward([]int{1, 2, 3, 4, 5, 6}).ToVec2()
	other := m.Forward([]int{1, 9, 9, 4, 5, 6}).ToVec2() // two layers see two positions back
	near(t, other[5], all[5], 1e-4)
	if d := math.Abs(other[4][0] - all[4][0]); d < 1e-4 {
		t.Error("what is in the window changes nothing")
	}
	d := m.Decoder()
	for i, id := range []int{1, 2, 3, 4, 5, 6} {
		near(t, d.Read([]int{id}).ToVec1(), all[i], 1e-4)
	}
}

// TestRopeScaling: of Llama 3.1's rotary embedding low frequencies are slower, and high ones as they were.
func TestRopeScaling(t *testing.T) {
	c := models.Llama2cConfig(&tiny)
	forward := func() []float64 {
		m, err := models.NewLlama(c, nn.ParamsOf(tinyWeights(), tensor.F32, tensor.CPU()))
		if err != nil {
			t.Fatal(err)
		}
		return m.Forward(tinyIDs).Get(6).ToVec1()
	}
	plain := forward()
	c.RopeScaling = models.RopeScaling{Factor: 8, Low: 1e-9, High: 1e-8, Context: 8192}
	near(t, forward(), plain, 1e-6) // every frequency is high
	c.RopeScaling = models.RopeScaling{Factor: 8, Low: 1e8, High: 1e9, Context: 8192}
	scaled := forward() // every frequency is low
	c.RopeScaling, c.RopeFactors = models.RopeScaling{}, []float64{8, 8, 8, 8}
	near(t, forward(), scaled, 1e-5)
	if math.Abs(scaled[0]-plain[0]) < 1e-5 {
		t.Error("scaling changes nothing")
	}
}

func TestLlamaMistakes(t *testing.T) {
	m := tinyLlama(t, tensor.CPU())
	for _, c := range []struct {
		ids  []int
		kind error
	}{{nil, tensor.ErrShape}, {make([]int, 33), tensor.ErrShape}, {[]int{40}, tensor.ErrIndex},
		{[]int{1, -1}, tensor.ErrIndex}} {
		if _, err := tensor.Try(func() *tensor.Tensor { return m.Forward(c.ids) }); !errors.Is(err, c.kind) {
			t.Errorf("tokens %v: %v", c.ids, err)
		}
	}
	if _, err := models.NewLlama(models.Llama2cConfig(&tiny),
		nn.ParamsOf(tinyWeights(), tensor.I64, tensor.CPU())); err == nil ||
		!strings.Contains(err.Error(), "not in i64") {
		t.Errorf("whole numbers: %v", err)
	}
	bad := models.Llama2cConfig(&tiny)
	bad.KVHeads = 3
	if _, err := models.NewLlama(bad, nn.ParamsOf(tinyWeights(), tensor.F32, tensor.CPU())); err == nil ||
		!strings.Contains(err.Error(), "3 heads") {
		t.Errorf("4 heads that share 3: %v", err)
	}
	if _, err := models.NewLlama(models.Llama2cConfig(&tiny), nn.ParamsOf(nil, tensor.F32, tensor.CPU())); err == nil ||
		!strings.Contains(err.Error(), "tok_embeddings.weight") {
		t.Errorf("no weights: %v", err)
	}
}

// TestGenerator: a text ends where the context does, and a seed repeats it.
func TestGenerator(t *testing.T) {
	m := tinyLlama(t, tensor.CPU())
	run := func(seed uint64) []int {
		g := models.NewGenerator(m.Decoder(), nil, nn.Sampling{Temperature: 1, Seed: seed})
		g.PromptTokens([]int{1, 2})
		for g.Next() {
		}
		if g.Next() || g.Stats().Prompt != 2 || g.Stats().Tokens != len(g.Tokens())-3 {
			t.Errorf("%v after %d tokens", g.Stats(), len(g.Tokens()))
		}
		return g.Tokens()
	}
	one := run(1)
	if len(one) != tiny.Context+1 || fmt.Sprint(run(1)) != fmt.Sprint(one) || fmt.Sprint(run(2)) == fmt.Sprint(one) {
		t.Errorf("%d tokens: %v", len(one), one)
	}
}

// A new text owes nothing to the last one.
func TestGeneratorBeginsAnew(t *testing.T) {
	g := models.NewGenerator(tinyLlama(t, tensor.CPU()).Decoder(), nil, nn.Sampling{RepeatPenalty: 5})
	run := func() []int {
		g.PromptTokens([]int{1, 2})
		for g.Next() {
		}
		return g.Tokens()
	}
	if one, other := run(), run(); fmt.Sprint(one) != fmt.Sprint(other) {
		t.Errorf("%v and then %v", one, other)
	}
	if _, err := tensor.Try(func() *tensor.Tensor {
		g.PromptTokens(make([]int,
			tiny.Context+1))
		return nil
	}); err == nil || !strings.Contains(err.Error(), "a prompt of 33 tokens, of at most 32") {
		t.Errorf("a prompt that does not fit: %v", err)
	}
	if _, err := tensor.Try(func() *tensor.Tensor { g.Prompt("Once"); return nil }); err == nil ||
		!strings.Contains(err.Error(), "tokenizer") {
		t.Errorf("words without a tokenizer: %v", err)
	}
}

func TestLlama2cFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tiny.bin")
	if err := formats.WriteLlama2c(path, &tiny, tinyWeights()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	angles := 4 * tiny.Context * tiny.Dim / tiny.Heads
	for _, n := range []int{0, 3, 27, 28, 100, len(data) / 2, len(data) - angles - 1} {
		if err := os.WriteFile(path, data[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := formats.ReadLlama2c(path, tensor.CPU()); err == nil || !strings.Contains(err.Error(), path) ||
			!strings.Contains(err.Error(), "byte") {
			t.Errorf("%d of %d bytes: %v", n, len(data), err)
		}
	}
	for i := range 7 {
		for _, v := range []byte{0xFF, 0x7F, 0} {
			bad := append([]byte{}, data...)
			bad[4*i], bad[4*i+3] = v, v&0x7F
			if err := os.WriteFile(path, bad, 0o644); err != nil {
				t.Fatal(err)
			}
			if _, _, err := formats.ReadLlama2c(path, tensor.CPU()); err == nil {
				t.Errorf("size %d with a byte of %#x is read", i, v)
			}
		}
	}
}
