// Command llm times language models on the CPU for bench/llm.py, which runs it in turns with llama.cpp.
//
//	llm write FOLDER           writes a GGUF file for each format: a Llama of 125 million random weights
//	llm run FILE PROMPT TOKENS reads a prompt of so many tokens, then so many one by one, of another text, as llama-bench
//	                           does, or with "behind" after them behind the prompt
//	llm memory                 measures how fast the cores read memory
//
// The last two print one line of JSON.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/quant"
)

func main() {
	log.SetFlags(0)
	args := append(os.Args[1:], "", "", "", "")
	var err error
	switch args[0] {
	case "write":
		err = write(args[1])
	case "run":
		err = run(args[1], args[2], args[3], args[4] == "behind")
	case "memory":
		err = memory()
	default:
		err = fmt.Errorf("usage: llm write FOLDER, llm run FILE PROMPT TOKENS, or llm memory")
	}
	if err != nil {
		log.Fatal(err)
	}
}

// The sizes of the model.
const (
	width, hidden, layers, heads, groups = 768, 2048, 12, 12, 4
	vocab, context                       = 32000, 2048
)

// mixes are what the files hold: the types of most matrices, and of those that Q4_K_M gives more bits.
var mixes = []struct {
	name       string
	most, more quant.Type
}{
	{"q4_k", quant.Q4K, quant.Q4K}, {"q4_k_m", quant.Q4K, quant.Q6K}, {"q8_0", quant.Q8_0, quant.Q8_0},
	{"f16", quant.F16, quant.F16}, {"bf16", quant.BF16, quant.BF16},
}

func write(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	dev := tensor.CPU()
	dev.SetSeed(1)
	for _, mix := range mixes {
		var all []formats.Packed
		add := func(name string, t quant.Type, shape ...int) {
			x := dev.Ones(tensor.F32, shape...)
			if len(shape) > 1 {
				x = dev.Randn(tensor.F32, shape...).Mul(0.02)
			}
			all = append(all, formats.Packed{Name: name + ".weight", Tensor: quant.Quantize(x, t)})
		}
		add("token_embd", mix.most, vocab, width)
		add("output_norm", quant.F32, width)
		add("output", mix.more, vocab, width)
		for i := range layers {
			layer := func(name string, t quant.Type, shape ...int) {
				add(fmt.Sprintf("blk.%d.%s", i, name), t, shape...)
			}
			more := mix.most
			if i < layers/8 || i >= 7*layers/8 || (i-layers/8)%3 == 2 {
				more = mix.more
			}
			layer("attn_norm", quant.F32, width)
			layer("attn_q", mix.most, width, width)
			layer("attn_k", mix.most, width*groups/heads, width)
			layer("attn_v", more, width*groups/heads, width)
			layer("attn_output", mix.most, width, width)
			layer("ffn_norm", quant.F32, width)
			layer("ffn_gate", mix.most, hidden, width)
			layer("ffn_up", mix.most, hidden, width)
			layer("ffn_down", more, width, hidden)
		}
		if err := formats.WriteGGUF(filepath.Join(folder, mix.name+".gguf"), all, metadata()); err != nil {
			return err
		}
	}
	return nil
}

// metadata are the sizes and a vocabulary without meaning.
func metadata() map[string]any {
	tokens, scores, kinds := make([]string, vocab), make([]float32, vocab), make([]int32, vocab)
	for i := range vocab {
		tokens[i], scores[i], kinds[i] = fmt.Sprintf("t%d", i), float32(-i), 1
		switch {
		case i < 3:
			tokens[i], kinds[i] = []string{"<unk>", "<s>", "</s>"}[i], 3
		case i < 259:
			tokens[i], kinds[i] = fmt.Sprintf("<0x%02X>", i-3), 6
		}
	}
	return map[string]any{
		"general.architecture": "llama", "llama.embedding_length": uint32(width), "llama.block_count": uint32(layers),
		"llama.feed_forward_length": uint32(hidden), "llama.attention.head_count": uint32(heads),
		"llama.attention.head_count_kv": uint32(groups), "llama.context_length": uint32(context),
		"llama.attention.layer_norm_rms_epsilon": float32(1e-5), "llama.rope.freq_base": float32(10000),
		"llama.rope.dimension_count": uint32(width / heads), "llama.vocab_size": uint32(vocab),
		"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": tokens, "tokenizer.ggml.scores": scores,
		"tokenizer.ggml.token_type": kinds, "tokenizer.ggml.bos_token_id": uint32(1),
		"tokenizer.ggml.eos_token_id": uint32(2), "tokenizer.ggml.unknown_token_id": uint32(0),
	}
}

// rounds is how often each time is taken; the best one counts.
const rounds = 3

func run(file, prompt, tokens string, behind bool) error {
	n, err := strconv.Atoi(prompt)
	if err != nil {
		return err
	}
	steps, err := strconv.Atoi(tokens)
	if err != nil {
		return err
	}
	m, _, err := models.OpenLlama(file, tensor.F32, tensor.CPU())
	if err != nil {
		return err
	}
	if name := os.Getenv("LLM_PROFILE"); name != "" {
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	ids := make([]int, n)
	for i := range ids {
		ids[i] = (i*7919 + 13) % vocab
	}
	var reading, writing float64
	var sample float64
	d := m.Decoder()
	for range rounds {
		d.Reset()
		start := time.Now()
		if n > 0 {
			sample = d.Read(ids).Get(0).ToScalar()
			reading = max(reading, float64(n)/time.Since(start).Seconds())
		}
		if !behind {
			d.Reset()
		}
		start = time.Now()
		for i := range steps {
			sample = d.Read([]int{(i*104729 + 7) % vocab}).Get(0).ToScalar()
		}
		writing = max(writing, float64(steps)/time.Since(start).Seconds())
	}
	most := peak() // before the file is opened again
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	g, err := formats.OpenGGUF(file)
	if err != nil {
		return err
	}
	defer g.Close()
	table, err := g.Tensor("token_embd.weight") // of which a token reads one row
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]float64{"prefill": reading, "decode": writing, "peak": most,
		"file": float64(info.Size()), "weights": float64(int(info.Size()) - table.Bytes()), "logit": sample})
}

// peak is the most memory that the process had, in bytes, pages of mapped files included.
func peak() float64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kilobytes, _ := strconv.Atoi(strings.Fields(rest)[0])
			return float64(kilobytes) * 1024
		}
	}
	return 0
}

// memory measures how fast all cores read: the sum of 256 MiB.
func memory() error {
	x := tensor.CPU().Ones(tensor.F32, 1<<26)
	best := 0.0
	for range 20 {
		start := time.Now()
		x.Sum(0).ToScalar()
		best = max(best, float64(x.Bytes())/time.Since(start).Seconds())
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]float64{"read": best})
}
