package models_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
	"google.golang.org/protobuf/encoding/protowire"
)

// goldenT5 is what transformers computed and generated: see testdata/t5.py.
type goldenT5 struct {
	Texts []struct {
		Text, Decoded  string
		IDs, Reply     []int
		Hidden, Logits [][]float64
	}
	Buckets map[string][]uint32
}

func readT5(t *testing.T, name string, dev *tensor.Device) (m *models.T5, g goldenT5) {
	t.Helper()
	folder := "testdata/t5/" + name
	data, err := os.ReadFile(filepath.Join(folder, "golden.json"))
	if err == nil {
		err = json.Unmarshal(data, &g)
	}
	if err == nil {
		m, err = models.OpenT5(folder, dev)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m, g
}

// TestT5: tokens, rows of the encoder, logits at once and token by token, and greedy replies are those of transformers.
func TestT5(t *testing.T) {
	for _, dev := range devices(t) {
		for _, name := range some(dev, []string{"t5", "flan", "mt5"}, 1) {
			t.Run(dev.Location()+"/"+name, func(t *testing.T) {
				m, g := readT5(t, name, dev)
				for i, c := range g.Texts {
					if dev.Emulated() && i != 0 {
						continue
					}
					if ids := m.Tokenizer.Encode(c.Text); !slices.Equal(ids, c.IDs) {
						t.Fatalf("tokens %v, want %v", ids, c.IDs)
					}
					for i, row := range m.Hidden(c.IDs).ToVec2()[:min(8, len(c.IDs))] {
						near(t, row, c.Hidden[i], 5e-5)
					}
					d := m.Decoder(c.IDs).(models.Rereader)
					for i, row := range d.ReadAll(c.Reply).ToVec2() {
						near(t, row, c.Logits[i], 5e-5)
					}
					d.Truncate(2)
					for i, id := range c.Reply[2:min(6, len(c.Reply))] {
						near(t, d.Read([]int{id}).ToVec1(), c.Logits[i+2], 5e-5)
					}
					m.MaxTokens = 30
					if got := m.Generate(c.Text); got != c.Decoded {
						t.Errorf("the reply is %q, want %q", got, c.Decoded)
					}
				}
			})
		}
	}
}

// TestT5SentencePiece: a folder with a spiece.model instead of a tokenizer.json has the same tokens, and those of
// <extra_id_0> and so on.
func TestT5SentencePiece(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"config.json", "generation_config.json", "model.safetensors"} {
		data, err := os.ReadFile("testdata/t5/t5/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile("testdata/t5/t5/tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ Model struct{ Vocab [][2]any } }
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	var model []byte
	for id, v := range f.Model.Vocab {
		kind := map[int]uint64{0: 3, 1: 3, 2: 2}[id] // control pieces, and the unknown one
		var piece []byte
		piece = protowire.AppendString(protowire.AppendTag(piece, 1, protowire.BytesType), v[0].(string))
		piece = protowire.AppendFixed32(protowire.AppendTag(piece, 2, protowire.Fixed32Type), math.Float32bits(float32(v[1].(float64))))
		piece = protowire.AppendVarint(protowire.AppendTag(piece, 3, protowire.VarintType), max(kind, 1))
		model = protowire.AppendBytes(protowire.AppendTag(model, 1, protowire.BytesType), piece)
	}
	for name, data := range map[string][]byte{"spiece.model": model, "tokenizer_config.json": []byte(`{"extra_ids": 3}`)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := models.OpenT5(dir, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	_, g := readT5(t, "t5", tensor.CPU())
	m.MaxTokens = 30
	for _, c := range g.Texts {
		if ids := m.Tokenizer.Encode(c.Text); !slices.Equal(ids, c.IDs) || m.Generate(c.Text) != c.Decoded {
			t.Errorf("%q: tokens %v, want %v", c.Text, ids, c.IDs)
		}
	}
	n := len(f.Model.Vocab)
	if ids := m.Tokenizer.Encode("the <extra_id_0> cat"); len(ids) < 3 || ids[1] != n+2 {
		t.Errorf("tokens %v, want %d as the second", ids, n+2)
	}
}

// TestT5Buckets: distances are in the buckets of transformers.
func TestT5Buckets(t *testing.T) {
	for _, name := range []string{"t5", "flan"} {
		m, g := readT5(t, name, tensor.CPU())
		for both, want := range g.Buckets {
			direction, err := strconv.ParseBool(strings.ToLower(both))
			if err != nil || len(want) != 301 {
				t.Fatal(both, err)
			}
			if got := models.T5Buckets(m, direction, -150, 150); !slices.Equal(got, want) {
				t.Errorf("%s, %v: %v, want %v", name, both, got, want)
			}
		}
	}
}

// TestT5Sampled: sampled replies repeat with the seed, and parts of a reply come one by one.
func TestT5Sampled(t *testing.T) {
	m, g := readT5(t, "t5", tensor.CPU())
	m.MaxTokens = 20
	m.Sampling = nn.Sampling{Temperature: 1, Seed: 3}
	first, greedy := m.Generate(g.Texts[0].Text), g.Texts[0].Decoded
	if again := m.Generate(g.Texts[0].Text); first != again || first == greedy {
		t.Errorf("%q, then %q; greedy %q", first, again, greedy)
	}
	var parts strings.Builder
	reply := m.Generator(g.Texts[1].Text, nn.Sampling{})
	for reply.Next() {
		parts.WriteString(reply.Text())
	}
	if want := g.Texts[1].Decoded; parts.String() != want {
		t.Errorf("%q, want %q", parts.String(), want)
	}
}

// TestT5Mistakes: what is not supported, or not there, is an error that names it.
func TestT5Mistakes(t *testing.T) {
	config, err := os.ReadFile("testdata/t5/t5/config.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, from, to, want string }{
		{"config.json", `"t5"`, `"pegasus"`, `"pegasus" is not a T5: want t5 or mt5`},
		{"config.json", `"d_model": 16`, `"d_model": 1600`, "config.json declares"},
		{"config.json", `"d_model": 16`, `"d_model": -3`, "sizes is not possible"},
		{"config.json", `"feed_forward_proj": "relu"`, `"feed_forward_proj": "gated-maxout"`, "maxout"},
		{"config.json", `"relative_attention_max_distance": 128`, `"relative_attention_max_distance": 16`, "32 buckets of distances up to 16"},
		{"config.json", `"num_layers": 2`, `"num_layers": 3`, "missing"},
		{"config.json", `"vocab_size": 43`, `"vocab_size": 20`, "the tokenizer has 40 tokens, and the model 20"},
		{"tokenizer.json", "", "", "tokenizer.json"},
	} {
		folder := t.TempDir()
		if err := os.CopyFS(folder, os.DirFS("testdata/t5/t5")); err != nil {
			t.Fatal(err)
		}
		os.Remove(filepath.Join(folder, c.file))
		if c.from != "" {
			changed := strings.Replace(string(config), c.from, c.to, 1)
			if changed == string(config) {
				t.Fatal(c.from)
			}
			put(t, folder, c.file, changed)
		}
		if _, err := models.OpenT5(folder, tensor.CPU()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.to, err, c.want)
		}
	}
	if _, err := models.Open("testdata/t5/t5", tensor.CPU()); err == nil || !strings.Contains(err.Error(), "models.OpenT5 reads t5") {
		t.Error(err)
	}
	m, _ := readT5(t, "t5", tensor.CPU())
	for want, f := range map[string]func(){"no tokens": func() { m.Hidden(nil) }, "no token 900": func() { m.Hidden([]int{900}) }} {
		if err := tensor.Catch(func() error { f(); return nil }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// FuzzT5Config: a config of any bytes is an error, or a model that replies.
func FuzzT5Config(f *testing.F) {
	for _, name := range []string{"t5", "flan", "mt5"} {
		data, err := os.ReadFile("testdata/t5/" + name + "/config.json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(name, data)
	}
	f.Fuzz(func(t *testing.T, name string, config []byte) {
		if name != "t5" && name != "flan" && name != "mt5" {
			t.Skip()
		}
		folder := t.TempDir()
		if err := os.CopyFS(folder, os.DirFS("testdata/t5/"+name)); err != nil {
			t.Fatal(err)
		}
		put(t, folder, "config.json", string(config))
		if m, err := models.OpenT5(folder, tensor.CPU()); err == nil {
			m.MaxTokens = 3
			m.Generate("the cat")
		}
	})
}

func ExampleOpenT5() {
	m, err := models.OpenT5("testdata/t5/t5", tensor.CPU()) // a small one of random weights
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Generate("a"))
	// Output: u.
}

// TestT5Half: a T5 computes in types of 16 bits too, near what it computes in F32.
func TestT5Half(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		full, g := readT5(t, "flan", dev)
		want := full.Decoder(g.Texts[0].IDs).Read([]int{0})
		for _, dtype := range []tensor.DType{tensor.F16, tensor.BF16} {
			m, err := models.OpenT5As("testdata/t5/flan", dtype, dev)
			if err != nil {
				t.Fatal(err)
			}
			got := m.Decoder(g.Texts[0].IDs).Read([]int{0}).ToDType(tensor.F32)
			if d := got.Sub(want).Norm().ToScalar() / want.Norm().ToScalar(); !(d > 0 && d < 0.1) {
				t.Errorf("%v on %v: logits differ by %v", dtype, dev, d)
			}
			m.MaxTokens = 3
			m.Generate("the cat")
		}
	}
}
