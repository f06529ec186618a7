package models_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
)

// encoders are the small encoders of testdata/encoders.py.
func encoders(t *testing.T) []string {
	t.Helper()
	folders, err := filepath.Glob("testdata/encoders/*")
	if err != nil || len(folders) < 10 {
		t.Fatal(folders, err)
	}
	return folders
}

// TestEncoders: vectors are those of sentence-transformers, rows and scores those of transformers.
func TestEncoders(t *testing.T) {
	for _, dev := range devices(t) {
		for _, folder := range some(dev, encoders(t), 0) {
			t.Run(dev.Location()+"/"+filepath.Base(folder), func(t *testing.T) {
				var g struct {
					Texts                       []string
					Pairs                       [][2]string
					Embeddings, Queries, Hidden [][]float64
					Logits                      [][]float64
					PairLogits                  [][]float64 `json:"pair_logits"`
				}
				data, err := os.ReadFile(filepath.Join(folder, "golden.json"))
				if err == nil {
					err = json.Unmarshal(data, &g)
				}
				if err != nil {
					t.Fatal(err)
				}
				e, err := models.OpenEncoder(folder, dev)
				if err != nil {
					t.Fatal(err)
				}
				same := func(what string, got *tensor.Tensor, want [][]float64) {
					t.Helper()
					rows := got.ToVec2()
					if len(rows) != len(want) {
						t.Fatalf("%s: %d rows, want %d", what, len(rows), len(want))
					}
					for i, row := range rows {
						near(t, row, want[i], 5e-5)
					}
				}
				if g.Embeddings != nil {
					same("embeddings", e.Embed(g.Texts...), g.Embeddings)
					same("queries", e.EmbedAs("query", g.Texts[:2]...), g.Queries)
					same("hidden", e.Hidden(e.Tokenizer.Encode(g.Texts[2]), nil), g.Hidden)
				}
				if g.Logits != nil {
					same("logits", e.Logits(g.Texts...), g.Logits)
					same("pair logits", e.PairLogits(g.Pairs...), g.PairLogits)
					if len(e.Labels) != len(g.Logits[0]) {
						t.Error(e.Labels)
					}
				}
				if g.Embeddings == nil && g.Logits == nil {
					if n := e.Embed("the cat").Dim(1); n != 16 {
						t.Error(n)
					}
				}
			})
		}
	}
}

// TestEmbedTogether: the vector of a text is the same alone and among others, in many batches.
func TestEmbedTogether(t *testing.T) {
	e, err := models.OpenEncoder("testdata/encoders/modernbert", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for i := range 700 {
		texts = append(texts, strings.Repeat("cat dog ", i%9)+string(rune('a'+i%26)))
	}
	all := e.Embed(texts...).ToVec2()
	for _, i := range []int{0, 1, 333, 512, 699} {
		near(t, all[i], e.Embed(texts[i]).ToVec2()[0], 1e-5)
	}
}

// TestEncoderMistakes: what is not supported, or not there, is an error that names it.
func TestEncoderMistakes(t *testing.T) {
	const modules = `[{"path": "", "type": "sentence_transformers.models.Transformer"}, {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}`
	for _, c := range []struct{ file, text, want string }{
		{"config.json", `{"model_type": "electra"}`, `"electra" is not supported: want a model_type of bert, camembert`},
		{"config.json", `{"model_type": "llama"}`, "Open reads language models"},
		{"config.json", `{"model_type": "bert", "hidden_size": -1}`, "sizes is not possible"},
		{"config.json", "", "config.json"},
		{"tokenizer.json", "", "tokenizer.json"},
		{"modules.json", modules + `, {"path": "2_Dense", "type": "sentence_transformers.models.Dense"}]`, "Dense of a sentence transformer is not supported"},
		{"modules.json", `[{"path": "../x", "type": "a.Pooling"}]`, "not a folder beside it"},
		{"modules.json", `[{"path": "0_Transformer", "type": "a.Transformer"}]`, "folder of their own"},
		{"1_Pooling/config.json", `{"pooling_mode_mean_tokens": true, "pooling_mode_max_tokens": true}`, "pooling modes"},
		{"1_Pooling/config.json", `{"pooling_mode": "lasttoken"}`, "lasttoken"},
		{"1_Pooling/config.json", `{"pooling_mode": "mean", "include_prompt": false}`, "include_prompt"},
		{"config_sentence_transformers.json", `{"default_prompt_name": "x"}`, `no prompt "x"`},
	} {
		folder := t.TempDir()
		if err := os.CopyFS(folder, os.DirFS("testdata/encoders/bert")); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, c.file)
		os.Remove(path)
		if c.text != "" {
			if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := models.OpenEncoder(folder, tensor.CPU()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want an error with %q", c.file, c.text, err, c.want)
		}
	}
	e, err := models.OpenEncoder("testdata/encoders/bert", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]func(){
		"has no classifier": func() { e.Logits("a") }, `no prompt "passage"`: func() { e.EmbedAs("passage", "a") },
		"at least one text": func() { e.Embed() }, "of at most 40": func() { e.Hidden(make([]int, 41), nil) },
		"no token 900": func() { e.Hidden([]int{900}, nil) },
	} {
		if err := tensor.Catch(func() error { f(); return nil }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// TestOlderSentenceFiles: older versions of sentence-transformers write the mode and the length in another way.
func TestOlderSentenceFiles(t *testing.T) {
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("testdata/encoders/bert")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"1_Pooling/config.json":             `{"word_embedding_dimension": 16, "pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}`,
		"sentence_bert_config.json":         `{"max_seq_length": 5, "do_lower_case": true}`,
		"config_sentence_transformers.json": `{"prompts": {"q": "cat "}, "default_prompt_name": "q"}`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	e, err := models.OpenEncoder(folder, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	if want := (models.Pooling{Mode: "cls", Normalize: true}); e.Pooling != want {
		t.Errorf("%+v", e.Pooling)
	}
	near(t, e.Embed("dog sat a b c d e").ToVec2()[0], e.Embed("DOG sat").ToVec2()[0], 1e-6) // five tokens, two of which are special
}

// TestIndex: the nearest vectors by cosine, compared with all of them one by one.
func TestIndex(t *testing.T) {
	for _, dev := range devices(t) {
		dev.SetSeed(2)
		vectors, queries := dev.Randn(tensor.F32, 50, 8), dev.Randn(tensor.F32, 3, 8)
		i := models.NewIndex(nil)
		if got := i.Search(queries, 2); len(got) != 3 || got[0] != nil || i.Len() != 0 {
			t.Error(got)
		}
		i.Add(vectors.Narrow(0, 0, 20))
		i.Add(vectors.Narrow(0, 20, 30).Mul(3)) // lengths do not matter
		found := i.Search(queries, 4)
		for q, matches := range found {
			scores := make([]float64, 50)
			for n := range scores {
				a, b := queries.Get(q), vectors.Get(n)
				scores[n] = a.Mul(b).Sum().ToScalar() / a.Norm().ToScalar() / b.Norm().ToScalar()
			}
			for n, m := range matches {
				better := 0
				for _, s := range scores {
					if s > scores[m.ID] {
						better++
					}
				}
				if better != n || m.Score-scores[m.ID] > 1e-5 || scores[m.ID]-m.Score > 1e-5 {
					t.Errorf("query %d: %+v at place %d has %d better: %v", q, m, n, better, scores[m.ID])
				}
			}
		}
		if all := i.Search(queries, 99); len(all[0]) != 50 {
			t.Error(len(all[0]))
		}
		for _, f := range []func(){func() { i.Add(dev.Ones(tensor.F32, 2, 7)) }, func() { i.Search(queries, 0) }, func() { i.Search(queries.Get(0), 1) }} {
			if err := tensor.Catch(func() error { f(); return nil }); err == nil {
				t.Error("a mistake is none")
			}
		}
	}
}

func ExampleOpenEncoder() {
	e, err := models.OpenEncoder("testdata/encoders/bert", tensor.CPU()) // a small one of random weights
	if err != nil {
		fmt.Println(err)
		return
	}
	texts := []string{"the cat sat on the mat", "the moon shines over the sea", "a dog"}
	index := models.NewIndex(e.Embed(texts...))
	for _, m := range index.Search(e.Embed("the cat sat on a mat?"), 1)[0] {
		fmt.Printf("%s (%.3f)\n", texts[m.ID], m.Score)
	}
	// Output: the cat sat on the mat (1.000)
}
