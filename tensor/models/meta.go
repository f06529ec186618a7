package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// metaParams is params.json of a folder as Meta distributes it.
type metaParams struct {
	Dim      int     `json:"dim"`
	Layers   int     `json:"n_layers"`
	Heads    int     `json:"n_heads"`
	KVHeads  int     `json:"n_kv_heads"`
	HeadDim  int     `json:"head_dim"`
	Vocab    int     `json:"vocab_size"`
	Eps      float64 `json:"norm_eps"`
	RopeBase float64 `json:"rope_theta"`
	Scaled   bool    `json:"use_scaled_rope"`
	Factor   float64 `json:"rope_scaling_factor"`
	Context  int     `json:"max_seq_len"`

	Multiple  int     `json:"multiple_of"` // these two are how wide layers are, which the weights say
	FFNFactor float64 `json:"ffn_dim_multiplier"`
}

// isMeta reports whether a folder is one as Meta distributes it.
func isMeta(path string) bool {
	return fileExists(filepath.Join(path, "params.json")) && !fileExists(filepath.Join(path, "config.json"))
}

// openMeta opens a Llama 1 to 3 in a folder as Meta distributes it: params.json, consolidated.00.pth and further parts,
// and tokenizer.model, which may be in the folder above it.
func openMeta(path string, dtype tensor.DType, dev *tensor.Device, adapters []Adapter) (o opened, err error) {
	if len(adapters) > 0 {
		return o, errors.New("models: adapters name layers as Hugging Face's folders do, and this one is Meta's: open the folder of " +
			"Hugging Face that has the same model")
	}
	p, err := readMetaParams(filepath.Join(path, "params.json"))
	if err != nil {
		return o, err
	}
	list, err := metaWeights(path, p.Dim)
	if err != nil {
		return o, err
	}
	c, err := p.config(list)
	if err != nil {
		return o, err
	}
	file := filepath.Join(path, "tokenizer.model")
	if !fileExists(file) {
		file = filepath.Join(filepath.Dir(filepath.Clean(path)), "tokenizer.model")
	}
	if o.tok, err = tokenizers.ReadMeta(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return o, err
	}
	if o.tok != nil {
		for _, name := range []string{"<|end_of_text|>", "<|eom_id|>", "<|eot_id|>"} {
			if id, ok := o.tok.ID(name); ok {
				c.EOS = append(c.EOS, id)
			}
		}
		if len(c.EOS) == 0 && o.tok.EOS >= 0 {
			c.EOS = []int{o.tok.EOS}
		}
	}
	o.llama, err = NewLlama(c, nn.ParamsOf(list, dtype, dev))
	return o, err
}

func readMetaParams(file string) (p metaParams, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return p, err
	}
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields() // Llama 4, vision and quantized models have more
	if err := d.Decode(&p); err != nil {
		return p, fmt.Errorf("params.json: %w: only Llama 1 to 3 without images are read from Meta's files", err)
	}
	if p.Dim < 1 || p.Layers < 1 || p.Heads < 1 {
		return p, fmt.Errorf("params.json: %d layers of width %d with %d heads are not possible", p.Layers, p.Dim, p.Heads)
	}
	if p.KVHeads == 0 {
		p.KVHeads = p.Heads
	}
	return p, nil
}

// metaWeights reads the parts of the weights and joins them: each has a share of the rows of matrices, or of the
// columns of those that take what such rows have made, and all of the norms.
func metaWeights(path string, dim int) ([]formats.Named, error) {
	entries, err := os.ReadDir(path) // sorted
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if ok, _ := filepath.Match("consolidated.*.pth", e.Name()); ok {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, errors.New("there is a params.json and no consolidated.00.pth")
	}
	shares := map[string][]*tensor.Tensor{}
	var names []string
	for i, file := range files {
		if want := fmt.Sprintf("consolidated.%02d.pth", i); filepath.Base(file) != want {
			return nil, fmt.Errorf("%s is missing: parts are numbered from 00 on", want)
		}
		list, err := formats.ReadPth(file, "", cpu())
		if err != nil {
			return nil, err
		}
		for _, n := range list {
			if len(shares[n.Name]) != i {
				return nil, fmt.Errorf("%s is not in all of the parts before %s", n.Name, filepath.Base(file))
			}
			if shares[n.Name] = append(shares[n.Name], n.Tensor); i == 0 {
				names = append(names, n.Name)
			}
		}
	}
	var out []formats.Named
	for _, name := range names {
		all := shares[name]
		if len(all) != len(files) {
			return nil, fmt.Errorf("%s is in %d of %d parts", name, len(all), len(files))
		}
		if name == "rope.freqs" {
			continue
		}
		t, err := joinedParts(name, all, dim)
		if err != nil {
			return nil, err
		}
		out = append(out, formats.Named{Name: name, Tensor: t})
	}
	return out, nil
}

// joinedParts joins the parts of one tensor.
func joinedParts(name string, all []*tensor.Tensor, dim int) (*tensor.Tensor, error) {
	if all[0].Rank() == 1 || len(all) == 1 {
		return all[0], nil // norms are the same in all
	}
	along := 0
	switch {
	case strings.HasSuffix(name, ".wo.weight"), strings.HasSuffix(name, ".w2.weight"):
		along = 1
	case name == "tok_embeddings.weight" && all[0].Dim(1) != dim: // of Llama 1 and 2
		along = 1
	}
	return tensor.Try(func() *tensor.Tensor { return tensor.Cat(all, along) })
}

// config is that of the model with these weights.
func (p *metaParams) config(list []formats.Named) (LlamaConfig, error) {
	shape := map[string][]int{}
	for _, n := range list {
		shape[n.Name] = n.Tensor.Dims()
	}
	words, first := shape["tok_embeddings.weight"], shape["layers.0.feed_forward.w1.weight"]
	if len(words) != 2 || len(first) != 2 {
		return LlamaConfig{}, errors.New("the weights have no tok_embeddings, or no layers.0.feed_forward.w1")
	}
	if p.Vocab > 0 && p.Vocab != words[0] {
		return LlamaConfig{}, fmt.Errorf("params.json has %d tokens, and the weights %d", p.Vocab, words[0])
	}
	c := LlamaConfig{Dim: p.Dim, Hidden: first[0], Layers: p.Layers, Heads: p.Heads, KVHeads: p.KVHeads,
		HeadDim: p.HeadDim, Vocab: words[0], Context: p.Context, Eps: p.Eps, RopeBase: p.RopeBase, Interleaved: true,
		Tied: shape["output.weight"] == nil}
	const llama3 = 128256 // tokens
	if c.Context == 0 {
		switch { // which the files do not say
		case p.Scaled:
			c.Context = 1 << 17
		case c.RopeBase > 5e5: // Code Llama
			c.Context = 1 << 14
		case c.Vocab >= llama3:
			c.Context = 1 << 13
		default:
			c.Context = 1 << 12
		}
	}
	if p.Scaled {
		factor := p.Factor
		if factor == 0 {
			factor = 8
			if c.Vocab == llama3 && c.Dim < 4096 { // Llama 3.2, as transformers has it
				factor = 32
			}
		}
		if !(factor > 0) || math.IsInf(factor, 0) {
			return c, fmt.Errorf("params.json: a rope_scaling_factor of %v is not possible", factor)
		}
		c.RopeScaling = RopeScaling{Factor: factor, Low: 1, High: 4, Context: 8192}
	}
	return c, nil
}
