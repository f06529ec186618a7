package models_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
)

// TestMeta: logits of folders as Meta distributes them are those of transformers with the same weights, and tokens those
// of tiktoken and sentencepiece: see testdata/meta.py.
func TestMeta(t *testing.T) {
	for _, dev := range devices(t) {
		for _, name := range []string{"llama2", "llama3"} {
			t.Run(dev.Location()+"/"+name, func(t *testing.T) {
				folder := filepath.Join("testdata/meta", name)
				data, err := os.ReadFile(filepath.Join(folder, "golden.json"))
				if err != nil {
					t.Fatal(err)
				}
				var g struct {
					Texts []struct {
						Text string
						IDs  []int
					}
					IDs    []int
					Logits [][]float64
				}
				if err := json.Unmarshal(data, &g); err != nil {
					t.Fatal(err)
				}
				m, err := models.OpenAs(folder, tensor.F32, dev)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range g.Texts {
					if ids := m.Tokenizer.Encode(c.Text); !slices.Equal(ids, c.IDs) {
						t.Errorf("%q: tokens %v, want %v", c.Text, ids, c.IDs)
					}
				}
				if text := m.Tokenizer.Decode(g.Texts[0].IDs); text != g.Texts[0].Text {
					t.Errorf("the text is %q, want %q", text, g.Texts[0].Text)
				}
				for i, row := range m.Forward(g.IDs).ToVec2() {
					near(t, row[:len(g.Logits[i])], g.Logits[i], 5e-5)
				}
				if m.Config.Vocab != m.Tokenizer.Size() || m.Config.Hidden != 24 || len(m.Config.EOS) == 0 {
					t.Errorf("%+v", m.Config)
				}
			})
		}
	}
}

// TestMetaMistakes: parts that are missing or do not fit, and what is no Llama 1 to 3, are errors that say so.
func TestMetaMistakes(t *testing.T) {
	const params = "params.json"
	for _, c := range []struct{ name, file, text, want string }{
		{"a part", "consolidated.00.pth", "", "consolidated.00.pth is missing"},
		{"all parts", "consolidated.00.pth,consolidated.01.pth", "", "no consolidated.00.pth"},
		{"tokens", params, `{"dim": 16, "n_layers": 2, "n_heads": 4, "vocab_size": 7}`, "params.json has 7 tokens, and the weights 532"},
		{"heads", params, `{"dim": 16, "n_layers": 2, "n_heads": 4}`, "attention.wk.weight"},
		{"no sizes", params, `{"dim": 16}`, "0 layers of width 16 with 0 heads"},
		{"experts", params, `{"dim": 16, "moe_args": {}}`, `unknown field "moe_args": only Llama 1 to 3`},
		{"tokenizer", "tokenizer.model", "IQ== 0\nIQ==\n", `line 2, "IQ==", is not a token in base64 and the rank 1`},
		{"few tokens", "tokenizer.model", "IQ== 0\n", "there is no token for the byte 0x00"},
		{"other part", "consolidated.02.pth", "", ""},
	} {
		dir := t.TempDir()
		entries, err := os.ReadDir("testdata/meta/llama3")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			data, err := os.ReadFile(filepath.Join("testdata/meta/llama3", e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if e.Name() == c.file {
				data = []byte(c.text)
			}
			if len(data) > 0 && !slices.Contains(strings.Split(c.file, ","), e.Name()) || c.text != "" {
				if err := os.WriteFile(filepath.Join(dir, e.Name()), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		_, err = models.OpenAs(dir, tensor.F32, tensor.CPU())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
