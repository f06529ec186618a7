package finetune_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/models/finetune"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/nn/train"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// configs are one of each kind, of 300 tokens.
func configs() map[string]models.LlamaConfig {
	llama := models.LlamaConfig{Dim: 16, Hidden: 24, Layers: 2, Heads: 4, KVHeads: 2, Vocab: 300, Context: 64}
	all := map[string]models.LlamaConfig{"llama": llama}
	scaled := llama
	scaled.Tied, scaled.RopeBase, scaled.QKVBias, scaled.OutBias = true, 500000, true, true
	scaled.RopeScaling = models.RopeScaling{Factor: 8, Low: 1, High: 4, Context: 16}
	all["llama with scaling and biases"] = scaled
	mistral := llama
	mistral.Window = 3
	all["mistral"] = mistral
	qwen2 := llama
	qwen2.QKVBias, qwen2.Eps = true, 1e-6
	all["qwen2"] = qwen2
	qwen3 := llama
	qwen3.QKNorm, qwen3.HeadDim, qwen3.Tied = true, 8, true
	all["qwen3"] = qwen3
	return all
}

const template = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}" +
	"{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"

func newTokenizer(t *testing.T) *tokenizers.Tokenizer {
	t.Helper()
	tok, err := tokenizers.TrainBPE([]string{"which colour is the sky? blue! which colour is grass? green!"},
		tokenizers.BPETraining{Size: 300, Special: []string{"<|im_start|>", "<|im_end|>"}})
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func nearly(t *testing.T, what string, got, want *tensor.Tensor, within float64) {
	t.Helper()
	if d := got.Sub(want).Abs().Max(0).Max(0).ToScalar(); !(d < within) {
		t.Errorf("%s: differs by %g", what, d)
	}
}

// TestDecoder: a model that was saved gives the logits of the decoder that models.Open makes of the folder, before and
// after a training, on every device.
func TestDecoder(t *testing.T) {
	thorough.Slow(t)
	tok := newTokenizer(t)
	for name, c := range configs() {
		for _, dev := range []*tensor.Device{tensor.CPU(), emulated(t)} {
			dev.SetSeed(3)
			p := nn.NewParams(tensor.F32, dev)
			m, err := finetune.New(c, p)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			ids := []int{5, 250, 17, 5, 99, 31, 2, 2, 140}
			x := dev.New([][]int{ids})
			opt := nn.NewAdamW(p.Vars(), nn.DefaultAdamW())
			for range 2 {
				nn.TrainStep(opt, func() *tensor.Tensor { return m.Loss(x.Narrow(1, 0, 8), x.Narrow(1, 1, 8)) })
			}
			folder := filepath.Join(t.TempDir(), "model")
			if err := finetune.Save(folder, c, p, finetune.Files{Tokenizer: tok, Template: template, EOS: "<|im_end|>"}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			opened, err := models.OpenAs(folder, tensor.F32, dev)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			want := m.Forward(x).Get(0).Detach()
			nearly(t, name, opened.Forward(ids), want, 2e-5)
			m.Checkpoint = true
			nearly(t, name+" with checkpoints", m.Forward(x).Get(0).Detach(), want, 1e-6)
			base, err := finetune.Read(folder, tensor.F32, dev)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			again, err := finetune.New(base.Config, base.Params)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			nearly(t, name+" read", again.Forward(x).Get(0), want, 1e-6)
		}
	}
}

// TestAdapters: adapters that were trained beside a folder's weights are those that models.Open reads, and merged
// weights give the same.
func TestAdapters(t *testing.T) {
	dev := tensor.CPU()
	dev.SetSeed(4)
	c := configs()["qwen3"]
	p := nn.NewParams(tensor.F32, dev)
	if _, err := finetune.New(c, p); err != nil {
		t.Fatal(err)
	}
	folder, adapter := filepath.Join(t.TempDir(), "model"), filepath.Join(t.TempDir(), "adapter")
	if err := finetune.Save(folder, c, p, finetune.Files{Tokenizer: newTokenizer(t)}); err != nil {
		t.Fatal(err)
	}
	base, err := finetune.Read(folder, tensor.F32, dev)
	if err != nil {
		t.Fatal(err)
	}
	lora := nn.NewLoRA(nn.LoRAConfig{Rank: 2, Alpha: 8, Targets: []string{"q_proj", "v_proj", "down_proj"}}, tensor.F32, dev)
	m, err := finetune.New(base.Config, base.Params.Adapt(lora))
	if err != nil {
		t.Fatal(err)
	}
	ids := []int{7, 8, 9, 7, 8, 9, 7, 8}
	x := dev.New([][]int{ids})
	config := nn.DefaultAdamW()
	config.LR = 0.05
	opt := nn.NewAdamW(lora.Params().Vars(), config)
	loss := func() *tensor.Tensor { return m.Loss(x.Narrow(1, 0, 7), x.Narrow(1, 1, 7)) }
	first := loss().ToScalar()
	for range 60 {
		nn.TrainStep(opt, loss)
	}
	// rows of the embedding, which logits are products with, are short
	if last := loss().ToScalar(); !(last < first-0.2) {
		t.Errorf("the loss went from %v to %v", first, last)
	}
	if err := lora.Save(adapter); err != nil {
		t.Fatal(err)
	}
	want := m.Forward(x).Get(0).Detach()
	opened, err := models.OpenAs(folder, tensor.F32, dev, models.Adapter{Path: adapter})
	if err != nil {
		t.Fatal(err)
	}
	nearly(t, "opened with its adapter", opened.Forward(ids), want, 2e-5)
	merged, err := finetune.New(base.Config, lora.Merged(base.Params))
	if err != nil {
		t.Fatal(err)
	}
	nearly(t, "merged", merged.Forward(x).Get(0), want, 2e-5)
}

// TestTurn: a model that is trained on a conversation says its reply, and knows where that ends.
func TestTurn(t *testing.T) {
	dev := tensor.CPU()
	dev.SetSeed(5)
	tok := newTokenizer(t)
	jinja, err := models.NewChatTemplate(template, nil)
	if err != nil {
		t.Fatal(err)
	}
	turn := func(question, answer string) []*tensor.Tensor {
		item, err := finetune.Turn(jinja, tok, "<|im_end|>", models.Message{Role: "user", Content: question},
			models.Message{Role: "assistant", Content: answer})
		if err != nil {
			t.Fatal(err)
		}
		return item
	}
	items := []train.Item{turn("which colour is the sky?", "blue!"), turn("which colour is grass?", "it is green!")}
	ids, targets := items[0][0].ToVec1(), items[0][1].ToVec1()
	answer := tok.EncodePlain("blue!")
	for i, id := range append(answer, 1) {
		if at := len(targets) - len(answer) - 1 + i; targets[at] != float64(id) || i > 0 && ids[at] != targets[at-1] {
			t.Errorf("targets %v of %v", targets, ids)
		}
	}
	if n := len(targets) - len(answer) - 1; slices.Max(targets[:n]) != finetune.Ignored {
		t.Errorf("%v counts questions", targets)
	}
	batch, err := train.Padded(train.PadOptions{Values: []float64{0, finetune.Ignored}})(items)
	if err != nil {
		t.Fatal(err)
	}
	c := configs()["llama"]
	c.EOS = []int{1}
	p := nn.NewParams(tensor.F32, dev)
	m, err := finetune.New(c, p)
	if err != nil {
		t.Fatal(err)
	}
	config := nn.DefaultAdamW()
	config.LR = 0.02
	opt := nn.NewAdamW(p.Vars(), config)
	for range 60 {
		nn.TrainStep(opt, func() *tensor.Tensor { return m.Loss(batch[0], batch[1]) })
	}
	folder := filepath.Join(t.TempDir(), "model")
	if err := finetune.Save(folder, c, p, finetune.Files{Tokenizer: tok, Template: template, EOS: "<|im_end|>"}); err != nil {
		t.Fatal(err)
	}
	chat, err := models.Open(folder, dev)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := chat.Ask("which colour is grass?"); err != nil || got != "it is green!" || chat.FinishReason() != "stop" {
		t.Errorf("%q, %v, %s", got, err, chat.FinishReason())
	}
}

// TestMistakes: what is not trained or not written is an error that says why.
func TestMistakes(t *testing.T) {
	dev := tensor.CPU()
	c := configs()["llama"]
	gemma := c
	gemma.NormOffset = 1
	p := nn.NewParams(tensor.F32, dev)
	if _, err := finetune.New(c, p); err != nil {
		t.Fatal(err)
	}
	factors := c
	factors.RopeFactors = make([]float64, 2)
	folder := filepath.Join(t.TempDir(), "x")
	tok := newTokenizer(t)
	small := c
	small.Vocab = 200
	for want, f := range map[string]func() error{
		"the model has NormOffset":     func() error { _, err := finetune.New(gemma, p); return err },
		"trained in floats":            func() error { _, err := finetune.New(c, nn.NewParams(tensor.I64, dev)); return err },
		"cannot say all of the config": func() error { return finetune.Save(folder, factors, p, finetune.Files{}) },
		"there is no tokenizer":        func() error { return finetune.Save(folder, c, p, finetune.Files{EOS: "x"}) },
		"which the tokenizer does not have": func() error {
			return finetune.Save(folder, c, p, finetune.Files{Tokenizer: tok, EOS: "<end>"})
		},
		"tokens, and the model 200":     func() error { return finetune.Save(folder, small, p, finetune.Files{Tokenizer: tok}) },
		"of no use without a tokenizer": func() error { return finetune.Save(folder, c, p, finetune.Files{Template: "x"}) },
		"no such file":                  func() error { _, err := finetune.Read(filepath.Join(folder, "no"), tensor.F32, dev); return err },
		"the role assistant":            func() error { _, err := finetune.Turn(nil, tok, "<|im_end|>"); return err },
		"has no token <end>": func() error {
			_, err := finetune.Turn(nil, tok, "<end>", models.Message{Role: "assistant"})
			return err
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// emulated returns an emulated GPU.
func emulated(t *testing.T) *tensor.Device {
	t.Helper()
	t.Setenv("GOROCM_EMULATE", "1")
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	return dev
}
