package openai

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"sync"
	"time"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// api answers requests with one model.
type api struct {
	server  *models.Server
	model   *models.Model
	tok     *tokenizers.Tokenizer
	name    string
	created int64
	images  sync.Mutex // is locked by a request that reads images
}

// NewHandler returns the handler of all paths. The server is one of the model, which is known by its Name.
func NewHandler(s *models.Server, m *models.Model) http.Handler {
	a := &api{server: s, model: m, tok: m.Tokenizer, name: m.Name, created: time.Now().Unix()}
	mux := http.NewServeMux()
	serveModels(mux, a.name, a.created)
	mux.HandleFunc("POST /v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		fail(w, badParam("model", "%s generates text and has no embeddings: serve an encoder for those", a.name))
	})
	mux.HandleFunc("POST /v1/completions", func(w http.ResponseWriter, r *http.Request) { a.complete(w, r, false) })
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) { a.complete(w, r, true) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, &apiError{status: http.StatusNotFound, Message: fmt.Sprintf("there is no %s %s", r.Method, r.URL.Path)})
	})
	return mux
}

// serveModels answers which models there are: the one.
func serveModels(mux *http.ServeMux, name string, created int64) {
	model := map[string]any{"id": name, "object": "model", "created": created, "owned_by": "gorocm"}
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, r *http.Request) {
		reply(w, http.StatusOK, map[string]any{"object": "list", "data": []any{model}})
	})
	mux.HandleFunc("GET /v1/models/{model}", func(w http.ResponseWriter, r *http.Request) {
		if other := r.PathValue("model"); other != name {
			fail(w, noModel(other))
			return
		}
		reply(w, http.StatusOK, model)
	})
}

// apiError is an error as OpenAI's API gives it.
type apiError struct {
	status  int
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

func (e *apiError) Error() string { return e.Message }

// badParam is the error of a parameter.
func badParam(param, format string, args ...any) *apiError {
	return &apiError{status: http.StatusBadRequest, Message: fmt.Sprintf(format, args...), Param: &param}
}

func noModel(name string) *apiError {
	code, param := "model_not_found", "model"
	return &apiError{status: http.StatusNotFound, Message: fmt.Sprintf("The model %q does not exist", name),
		Code: &code, Param: &param}
}

// asAPI returns any error as one of the API. What is not the request's fault is logged.
func asAPI(err error) *apiError {
	var e *apiError
	switch {
	case errors.As(err, &e):
	case errors.Is(err, models.ErrServerClosed):
		e = &apiError{status: http.StatusServiceUnavailable, Message: "the server is shutting down"}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e = &apiError{status: 499, Message: "the request was cancelled"}
	case errors.Is(err, tensor.ErrShape), errors.Is(err, tensor.ErrIndex), errors.Is(err, tensor.ErrValue),
		errors.Is(err, tensor.ErrDType):
		e = &apiError{status: http.StatusBadRequest, Message: err.Error()}
	default:
		log.Printf("%+v", err)
		e = &apiError{status: http.StatusInternalServerError, Message: "the device failed"}
	}
	if e.Type == "" {
		e.Type = "invalid_request_error"
		if e.status >= 500 {
			e.Type = "server_error"
		}
	}
	return e
}

func fail(w http.ResponseWriter, err error) {
	e := asAPI(err)
	reply(w, e.status, map[string]any{"error": e})
}

func reply(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(answer)
}

// usage counts tokens.
type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

func (u *usage) add(prompt, completion int) {
	u.Prompt, u.Completion, u.Total = u.Prompt+prompt, u.Completion+completion, u.Total+prompt+completion
}

// head is what all answers to a request begin with.
type head struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	Model   string `json:"model"`
}

func (a *api) head(chat, stream bool) head {
	h := head{"cmpl-" + rand.Text(), "text_completion", time.Now().Unix(), a.name}
	if chat {
		h.ID, h.Object = "chat"+h.ID, "chat.completion"
		if stream {
			h.Object = "chat.completion.chunk"
		}
	}
	return h
}

// complete answers a request for completions, of texts or of a chat.
func (a *api) complete(w http.ResponseWriter, r *http.Request, chat bool) {
	q, err := a.request(w, r, chat)
	if err != nil {
		fail(w, err)
		return
	}
	ctx, cancel := context.WithCancel(r.Context()) // where one choice fails, the others end
	defer cancel()
	prompts := 0
	var all []*models.Completion
	for i, ask := range q.requests {
		c, err := a.server.Submit(ctx, ask)
		if err != nil {
			fail(w, err)
			return
		}
		if all = append(all, c); i%q.N == 0 { // choices of one prompt share it
			prompts += c.Prompt()
		}
	}
	if q.Stream {
		a.stream(w, q, all, prompts)
		return
	}
	count, choices := usage{}, []any{}
	count.add(prompts, 0)
	for i, c := range all {
		probs := a.logProbs(q)
		text := ""
		for c.Next() {
			text += c.Text()
			probs.add(c)
		}
		if err := c.Err(); err != nil {
			fail(w, err)
			return
		}
		count.add(0, c.Made())
		choices = append(choices, q.choice(i, text, c.FinishReason(), probs.take()))
	}
	reply(w, http.StatusOK, struct {
		head
		Choices []any `json:"choices"`
		Usage   usage `json:"usage"`
	}{a.head(chat, false), choices, count})
}

// logProbs is where the probabilities of a choice go, nil where none are asked for.
func (a *api) logProbs(q *request) *logProbs {
	if !q.requests[0].LogProbs {
		return nil
	}
	return &logProbs{chat: q.chat, piece: func(id int) string { return a.tok.Text(id) }}
}

// choice is one of the completions.
func (q *request) choice(index int, text, reason string, probs any) any {
	out := map[string]any{"index": index, "logprobs": probs, "finish_reason": reason}
	if !q.chat {
		out["text"] = text
		return out
	}
	message := map[string]any{"role": "assistant", "content": text, "refusal": nil}
	if rest, calls := q.calls(text, false); calls != nil {
		message["content"], message["tool_calls"], out["finish_reason"] = rest, calls, "tool_calls"
		if rest == "" {
			message["content"] = nil
		}
	}
	out["message"] = message
	return out
}
