package openai

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
)

// maxInputs is how many texts a request may have, as OpenAI.
const maxInputs = 2048

// embedder answers requests for vectors with one encoder.
type embedder struct {
	mu      sync.Mutex // one request at a time has the device's memory
	encoder *models.Encoder
	created int64
}

// NewEmbeddingHandler returns the handler of all paths for an encoder, which is known by its Name: /v1/models and
// /v1/embeddings.
func NewEmbeddingHandler(e *models.Encoder) http.Handler {
	m := &embedder{encoder: e, created: time.Now().Unix()}
	mux := http.NewServeMux()
	serveModels(mux, e.Name, m.created)
	mux.HandleFunc("POST /v1/embeddings", m.embed)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, &apiError{status: http.StatusNotFound,
			Message: fmt.Sprintf("there is no %s %s: %s has embeddings", r.Method, r.URL.Path, e.Name)})
	})
	return mux
}

// embeddingRequest is the body of a request.
type embeddingRequest struct {
	Model      string          `json:"model"`
	Input      json.RawMessage `json:"input"` // a text, or texts
	Format     string          `json:"encoding_format"`
	Dimensions *int            `json:"dimensions"`
	Prompt     string          `json:"prompt_name"` // as sentence-transformers: one of Encoder.Prompts
	User       string          `json:"user"`
}

func (m *embedder) embed(w http.ResponseWriter, r *http.Request) {
	texts, q, err := m.request(w, r)
	if err != nil {
		fail(w, err)
		return
	}
	var rows [][]float64
	tokens := 0
	m.mu.Lock()
	err = tensor.Catch(func() error {
		if q.Prompt != "" {
			rows = m.encoder.EmbedAs(q.Prompt, texts...).ToVec2()
		} else {
			rows = m.encoder.Embed(texts...).ToVec2()
		}
		return nil
	})
	m.mu.Unlock()
	if err != nil {
		fail(w, err)
		return
	}
	data := []any{}
	for i, row := range rows {
		tokens += len(m.encoder.Tokenizer.Encode(texts[i]))
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": encoded(row, q.Format)})
	}
	reply(w, http.StatusOK, map[string]any{"object": "list", "model": m.encoder.Name, "data": data,
		"usage": map[string]int{"prompt_tokens": tokens, "total_tokens": tokens}})
}

// encoded is a vector as numbers, or as its bytes in base64.
func encoded(row []float64, format string) any {
	if format != "base64" {
		return row
	}
	var data []byte
	for _, x := range row {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(x)))
	}
	return base64.StdEncoding.EncodeToString(data)
}

func (m *embedder) request(w http.ResponseWriter, r *http.Request) (texts []string, q embeddingRequest, err error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return nil, q, &apiError{status: http.StatusRequestEntityTooLarge,
			Message: fmt.Sprintf("the request has more than %d bytes", maxBody)}
	} else if err != nil {
		return nil, q, &apiError{status: http.StatusBadRequest, Message: err.Error()}
	}
	if err := decode(body, &q, nil); err != nil {
		return nil, q, err
	}
	_, named := m.encoder.Prompts[q.Prompt]
	switch {
	case q.Model == "":
		return nil, q, badParam("model", "you must provide a model parameter")
	case q.Model != m.encoder.Name:
		return nil, q, noModel(q.Model)
	case q.Format != "" && q.Format != "float" && q.Format != "base64":
		return nil, q, badParam("encoding_format", "want float or base64, not %q", q.Format)
	case q.Dimensions != nil && *q.Dimensions != m.encoder.Config.Dim:
		return nil, q, badParam("dimensions", "vectors have %d dimensions: others are not supported", m.encoder.Config.Dim)
	case q.Prompt != "" && !named:
		return nil, q, badParam("prompt_name", "there is no prompt %q", q.Prompt)
	}
	var one string
	if json.Unmarshal(q.Input, &one) == nil && string(q.Input) != "null" {
		texts = []string{one}
	} else if json.Unmarshal(q.Input, &texts) != nil || len(texts) == 0 {
		return nil, q, badParam("input", "want a text, or a list of texts")
	}
	if len(texts) > maxInputs {
		return nil, q, badParam("input", "want at most %d texts, not %d", maxInputs, len(texts))
	}
	return texts, q, nil
}
