package formats_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
)

// llama2cFile writes a model of 2 layers and returns its bytes.
func llama2cFile(t testing.TB, tied bool) []byte {
	t.Helper()
	m := &formats.Llama2c{Dim: 8, Hidden: 6, Layers: 2, Heads: 2, KVHeads: 1, Vocab: 5, Context: 3, Tied: tied}
	var list []formats.Named
	n := 0.0
	add := func(name string, shape ...int) {
		count := 1
		for _, d := range shape {
			count *= d
		}
		n += 100
		list = append(list, formats.Named{Name: name,
			Tensor: tensor.Arange(n, n+float64(count)).Reshape(shape...)})
	}
	add("tok_embeddings.weight", 5, 8)
	for _, at := range []string{"layers.0.", "layers.1."} {
		add(at+"attention_norm.weight", 8)
		add(at+"attention.wq.weight", 8, 8)
		add(at+"attention.wk.weight", 4, 8)
		add(at+"attention.wv.weight", 4, 8)
		add(at+"attention.wo.weight", 8, 8)
		add(at+"ffn_norm.weight", 8)
		add(at+"feed_forward.w1.weight", 6, 8)
		add(at+"feed_forward.w2.weight", 8, 6)
		add(at+"feed_forward.w3.weight", 6, 8)
	}
	add("norm.weight", 8)
	if !tied {
		add("output.weight", 5, 8)
	}
	path := filepath.Join(t.TempDir(), "model.bin")
	if err := formats.WriteLlama2c(path, m, list); err != nil {
		t.Fatal(err)
	}
	head, again, err := formats.ReadLlama2c(path, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	if *head != *m || len(again) != len(list) {
		t.Errorf("%+v with %d weights came back as %+v with %d", *m, len(list), *head, len(again))
	}
	first := map[string]string{}
	for _, w := range again {
		first[w.Name] = w.Tensor.String()
	}
	for _, w := range list {
		if first[w.Name] != w.Tensor.String() {
			t.Errorf("%s came back as %s", w.Name, first[w.Name])
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestLlama2c(t *testing.T) {
	llama2cFile(t, true)
	llama2cFile(t, false)
}

// FuzzLlama2c: a file is an error, or weights of the shapes in its head.
func FuzzLlama2c(f *testing.F) {
	f.Add(llama2cFile(f, true))
	f.Add(llama2cFile(f, false))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "model.bin")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		m, list, err := formats.ReadLlama2c(path, tensor.CPU())
		if err != nil {
			return
		}
		elements := 0
		for _, w := range list {
			elements += w.Tensor.ElemCount()
		}
		if 4*elements > len(data) || list[0].Tensor.Dim(0) != m.Vocab {
			t.Errorf("%d elements of %d bytes, head %+v", elements, len(data), *m)
		}
	})
}
