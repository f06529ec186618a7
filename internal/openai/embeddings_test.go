package openai

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
)

// TestEmbeddings: vectors are the encoder's, as numbers and in base64; mistakes are errors of the form that OpenAI
// documents.
func TestEmbeddings(t *testing.T) {
	e, err := models.OpenEncoder("../../tensor/models/testdata/encoders/bert", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(NewEmbeddingHandler(e))
	defer h.Close()
	status, text := post(t, h.URL+"/v1/embeddings", `{"model": "bert", "input": ["the cat", "a dog"], "encoding_format": "float"}`)
	var v struct {
		Data []struct {
			Index     int
			Embedding []float64
		}
		Usage struct {
			Prompt int `json:"prompt_tokens"`
		}
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil || status != 200 || len(v.Data) != 2 || v.Usage.Prompt == 0 {
		t.Fatal(status, text, err)
	}
	for i, row := range e.Embed("the cat", "a dog").ToVec2() {
		for k, x := range row {
			if d := v.Data[i].Embedding[k] - x; v.Data[i].Index != i || d > 1e-6 || d < -1e-6 {
				t.Fatalf("%v, want %v", v.Data[i], row)
			}
		}
	}
	query, _ := json.Marshal(encoded(e.EmbedAs("query", "the cat").ToVec2()[0], "base64"))
	if _, text := post(t, h.URL+"/v1/embeddings",
		`{"model": "bert", "input": "the cat", "encoding_format": "base64", "prompt_name": "query"}`); !strings.Contains(text, string(query)) {
		t.Errorf("%s, want %s", text, query)
	}
	for body, want := range map[string]string{
		`{"input": "a"}`: "must provide a model", `{"model": "x", "input": "a"}`: "does not exist", `{"model": "bert"}`: "want a text",
		`{"model": "bert", "input": []}`: "want a text", `{"model": "bert", "input": [[1, 2]]}`: "want a text",
		`{"model": "bert", "input": "a", "dimensions": 8}`: "16 dimensions", `{"model": "bert", "input": "a", "encoding_format": "hex"}`: "float or base64",
		`{"model": "bert", "input": "a", "prompt_name": "x"}`: "no prompt", `{"model": "bert", "inputs": "a"}`: "Unrecognized", `{`: "not JSON",
		`{"model": "bert", "input": ["` + strings.Repeat(`a","`, maxInputs) + `"]}`: "at most 2048",
	} {
		if status, text := post(t, h.URL+"/v1/embeddings", body); status < 400 || status >= 500 || !strings.Contains(text, want) {
			t.Errorf("%.60s: %d %s; want %q", body, status, text, want)
		}
	}
	if status, text := post(t, h.URL+"/v1/completions", `{}`); status != 404 || !strings.Contains(text, "bert has embeddings") {
		t.Error(status, text)
	}
	url, _ := serve(t)
	if status, text := post(t, url+"/v1/embeddings", `{"model": "small", "input": "a"}`); status != 400 || !strings.Contains(text, "has no embeddings") {
		t.Error(status, text)
	}
}
