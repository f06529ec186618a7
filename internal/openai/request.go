package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"

	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
)

// The limits of requests.
const (
	maxBody    = 8 << 20 // bytes
	maxChoices = 128
	maxStops   = 4 // as OpenAI
)

// request is the body of a request, for completions and for chats.
type request struct {
	Model    string          `json:"model"`
	Prompt   json.RawMessage `json:"prompt"`   // completions: a text, texts, tokens, or lists of tokens
	Messages []message       `json:"messages"` // chats

	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"` // chats
	Temperature         *float64        `json:"temperature"`
	TopP                *float64        `json:"top_p"`
	TopK                int             `json:"top_k"`              // as vLLM
	MinP                float64         `json:"min_p"`              // as vLLM
	RepetitionPenalty   float64         `json:"repetition_penalty"` // as vLLM
	FrequencyPenalty    float64         `json:"frequency_penalty"`
	PresencePenalty     float64         `json:"presence_penalty"`
	Seed                *int64          `json:"seed"`
	N                   int             `json:"n"`
	Stop                json.RawMessage `json:"stop"`
	Stream              bool            `json:"stream"`
	StreamOptions       struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`

	Tools      []tool          `json:"tools"` // chats
	ToolChoice json.RawMessage `json:"tool_choice"`
	Parallel   *bool           `json:"parallel_tool_calls"` // of several calls in an answer all are taken, unless it is false
	Effort     *string         `json:"reasoning_effort"`    // chats: for the template
	// what the answer is: see constraint.go
	ResponseFormat *responseFormat `json:"response_format"`
	Grammar        string          `json:"grammar"` // as llama.cpp, in GBNF
	// as vLLM
	TemplateOptions map[string]json.RawMessage `json:"chat_template_kwargs"`
	Logprobs        json.RawMessage            `json:"logprobs"` // chats: a bool; completions: how many of the likeliest tokens
	TopLogprobs     *int                       `json:"top_logprobs"`

	llamaCpp

	// They do not change the answer.
	User           string          `json:"user"`
	Metadata       json.RawMessage `json:"metadata"`
	Store          json.RawMessage `json:"store"`
	CacheKey       json.RawMessage `json:"prompt_cache_key"`
	CacheRetention json.RawMessage `json:"prompt_cache_retention"`
	Safety         json.RawMessage `json:"safety_identifier"`

	// They would, and are not supported: see unsupported.
	BestOf    *int           `json:"best_of"`
	Echo      bool           `json:"echo"`
	Suffix    string         `json:"suffix"`
	LogitBias map[string]any `json:"logit_bias"`

	whole    bool // as many tokens as there is room for
	chat     bool
	callable []models.Tool         // that the model may call
	images   []*models.ImageTokens // of the prompt
	requests []models.Request      // of all choices: N for each prompt
}

// request reads a request and checks it.
func (a *api) request(w http.ResponseWriter, r *http.Request, chat bool) (*request, error) {
	most := int64(maxBody)
	if chat && a.model.Vision != nil {
		most = maxImageBody
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return nil, &apiError{status: http.StatusRequestEntityTooLarge,
			Message: fmt.Sprintf("the request has more than %d bytes", most)}
	} else if err != nil {
		return nil, &apiError{status: http.StatusBadRequest, Message: err.Error()}
	}
	q := &request{chat: chat, N: 1}
	if err := decode(body, q, idle); err != nil {
		return nil, err
	}
	switch {
	case q.Model == "":
		return nil, badParam("model", "you must provide a model parameter")
	case q.Model != a.name:
		return nil, noModel(q.Model)
	}
	if err := q.unsupported(); err != nil {
		return nil, err
	}
	prompts, err := a.prompts(q)
	if err != nil {
		return nil, err
	}
	return q, q.ask(prompts, a.server.Context())
}

// unsupported is the error of a parameter that asks for what is not there.
func (q *request) unsupported() error {
	set := func(raw json.RawMessage, none ...string) bool {
		text := string(raw)
		for _, s := range append(none, "", "null") {
			if text == s {
				return false
			}
		}
		return true
	}
	for _, p := range []struct {
		name string
		is   bool
	}{
		{"best_of", q.BestOf != nil && *q.BestOf != q.N}, {"echo", q.Echo}, {"suffix", q.Suffix != ""},
		{"logit_bias", len(q.LogitBias) > 0}, {"tools", !q.chat && len(q.Tools) > 0},
		{"tool_choice", !q.chat && set(q.ToolChoice)},
		{"parallel_tool_calls", !q.chat && q.Parallel != nil}, {"reasoning_effort", !q.chat && q.Effort != nil},
		{"chat_template_kwargs", !q.chat && len(q.TemplateOptions) > 0},
		{"prompt", q.chat && set(q.Prompt)}, {"messages", !q.chat && q.Messages != nil},
		{"max_completion_tokens", !q.chat && q.MaxCompletionTokens != nil},
	} {
		if p.is {
			return badParam(p.name, "%s is not supported", p.name)
		}
	}
	return nil
}

// prompts are the tokens of all prompts.
func (a *api) prompts(q *request) (all [][]int, err error) {
	if q.chat {
		ids, err := a.conversation(q)
		return [][]int{ids}, err
	}
	var text string
	var texts []string
	var ids []int
	switch {
	case json.Unmarshal(q.Prompt, &text) == nil && string(q.Prompt) != "null":
		texts = []string{text}
	case json.Unmarshal(q.Prompt, &texts) == nil && len(texts) > 0:
	case json.Unmarshal(q.Prompt, &ids) == nil && len(ids) > 0:
		return [][]int{ids}, nil
	case json.Unmarshal(q.Prompt, &all) == nil && len(all) > 0:
		return all, nil
	default:
		return nil, badParam("prompt", "want a text, a list of texts, a list of tokens, or a list of such lists")
	}
	for _, text := range texts {
		all = append(all, a.tok.Encode(text)) // with special tokens, of which callers make their own templates
	}
	return all, nil
}

// between reports an error unless a parameter is in its range.
func between(name string, x, low, high float64) error {
	if !(x >= low && x <= high) {
		return badParam(name, "want %s from %v to %v, not %v", name, low, high, x)
	}
	return nil
}

// ask makes the requests to the server.
func (q *request) ask(prompts [][]int, context int) error {
	temperature, topP := value(q.Temperature, 1), value(q.TopP, 1)
	if q.RepetitionPenalty == 0 {
		q.RepetitionPenalty = 1
	}
	err := errors.Join(between("temperature", temperature, 0, 2), between("top_p", topP, 0, 1),
		between("n", float64(q.N), 1, maxChoices), between("min_p", q.MinP, 0, 1),
		between("top_k", float64(q.TopK), -1, 1<<31), between("repetition_penalty", q.RepetitionPenalty, 1e-3, 1e3),
		between("frequency_penalty", q.FrequencyPenalty, -2, 2), between("presence_penalty", q.PresencePenalty, -2, 2))
	if err != nil {
		return err
	}
	if q.N*len(prompts) > maxChoices {
		return badParam("prompt", "want at most %d choices, not %d", maxChoices, q.N*len(prompts))
	}
	stops, err := q.stops()
	if err != nil {
		return err
	}
	if topP == 0 { // the likeliest token
		temperature = 0
	}
	s := nn.Sampling{Temperature: temperature, TopK: max(q.TopK, 0), TopP: topP, MinP: q.MinP,
		RepeatPenalty: q.RepetitionPenalty, FrequencyPenalty: q.FrequencyPenalty, PresencePenalty: q.PresencePenalty}
	if err := q.translate(&s, context); err != nil {
		return err
	}
	probs, top, err := q.probabilities()
	if err != nil {
		return err
	}
	grammar, err := q.constraint(stops)
	if err != nil {
		return err
	}
	for _, ids := range prompts {
		most, err := q.most(len(ids), context)
		if err != nil {
			return err
		}
		for i := range q.N {
			s.Seed = rand.Uint64()
			if q.Seed != nil {
				s.Seed = uint64(*q.Seed) + uint64(i)
			}
			q.requests = append(q.requests, models.Request{Prompt: ids, Images: q.images, Sampling: s, MaxTokens: most,
				Stop: stops, Grammar: grammar, LogProbs: probs, TopLogProbs: top})
		}
	}
	return nil
}

func value(p *float64, otherwise float64) float64 {
	if p == nil {
		return otherwise
	}
	return *p
}

// most is how many tokens a completion has at most; 0 is as many as there is room for.
func (q *request) most(prompt, context int) (int, error) {
	name, most := "max_tokens", q.MaxTokens
	if q.MaxCompletionTokens != nil {
		name, most = "max_completion_tokens", q.MaxCompletionTokens
	} else if q.NPredict != nil {
		name = "n_predict"
	}
	want := 16 // OpenAI's default for texts
	if q.chat {
		want = 0
	}
	if most != nil {
		if want = *most; want < 1 {
			return 0, badParam(name, "want %s of at least 1, not %d", name, want)
		}
	} else if q.whole {
		want = 0
	} else if !q.chat {
		want = max(1, min(want, context-prompt))
	}
	if prompt > context || want > context-prompt+1 { // the last token need not be read
		e := badParam(name, "This model's maximum context length is %d tokens, and you requested %d: %d in the prompt, %d for the completion",
			context, prompt+want, prompt, want)
		code := "context_length_exceeded"
		e.Code = &code
		return 0, e
	}
	return want, nil
}

// stops are the texts that end a completion.
func (q *request) stops() (stops []string, err error) {
	var one string
	switch raw := string(q.Stop); {
	case raw == "" || raw == "null":
	case json.Unmarshal(q.Stop, &one) == nil:
		stops = []string{one}
	case json.Unmarshal(q.Stop, &stops) != nil:
		return nil, badParam("stop", "want a text, or a list of texts")
	}
	if len(stops) > maxStops {
		return nil, badParam("stop", "want at most %d texts, not %d", maxStops, len(stops))
	}
	for _, s := range stops {
		if s == "" {
			return nil, badParam("stop", "an empty text cannot stop a completion")
		}
	}
	return stops, nil
}

// probabilities are whether those of tokens are asked for, and of how many others.
func (q *request) probabilities() (on bool, top int, err error) {
	raw := string(q.Logprobs)
	if raw == "" || raw == "null" {
		raw = "false"
	}
	most := 20
	switch {
	case q.chat && json.Unmarshal([]byte(raw), &on) != nil:
		return false, 0, badParam("logprobs", "want true or false, not %s", raw)
	case q.chat && q.TopLogprobs != nil:
		if top = *q.TopLogprobs; !on {
			return false, 0, badParam("top_logprobs", "top_logprobs needs logprobs")
		}
		err = between("top_logprobs", float64(top), 0, float64(most))
	case !q.chat && q.TopLogprobs != nil:
		err = badParam("top_logprobs", "top_logprobs is not supported")
	case !q.chat && raw != "false":
		if on = true; json.Unmarshal([]byte(raw), &top) != nil {
			return false, 0, badParam("logprobs", "want a number, not %s", raw)
		}
		err = between("logprobs", float64(top), 0, 5)
	}
	return on, top, err
}
