package openai

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
)

// chatModel is the small model of package models' tests, which has a chat template.
func chatModel(t testing.TB) *models.Model {
	t.Helper()
	m, err := models.Open("../../tensor/models/testdata/chat/model", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

type answer struct {
	Choices []struct {
		Text     string
		Message  struct{ Content string }
		Logprobs struct {
			Content []struct {
				Token   string
				Logprob float64
				Bytes   []int
				Top     []struct {
					Token   string
					Logprob float64
				} `json:"top_logprobs"`
			}
			Tokens  []string
			Probs   []float64            `json:"token_logprobs"`
			Tops    []map[string]float64 `json:"top_logprobs"`
			Offsets []int                `json:"text_offset"`
		}
	}
}

func asked(t *testing.T, url, body string) (v answer) {
	t.Helper()
	status, text := post(t, url, body)
	if err := json.Unmarshal([]byte(text), &v); err != nil || status != http.StatusOK || len(v.Choices) == 0 {
		t.Fatal(status, text, err)
	}
	return v
}

// TestChatTemplate: the answer of a chat is the reply of a conversation.
func TestChatTemplate(t *testing.T) {
	m := chatModel(t)
	url, _ := served(t, m)
	c := m.NewConversation()
	c.System, c.Sampling, c.MaxTokens, c.Options = "Be brief.", nn.Sampling{}, 8, map[string]any{"loud": true}
	want, err := c.Ask("Hi")
	if err != nil {
		t.Fatal(err)
	}
	v := asked(t, url+"/v1/chat/completions", `{"model": "model", "max_tokens": 8, "temperature": 0, "chat_template_kwargs": {"loud": true}, "messages": [
		{"role": "developer", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "H"}, {"type": "text", "text": "i"}]}]}`)
	if got := v.Choices[0].Message.Content; got != want || len(got) < 4 {
		t.Errorf("%q, want %q", got, want)
	}
	m.Template = nil
	status, text := post(t, url+"/v1/chat/completions", `{"model": "model", "messages": [{"role": "user", "content": "a"}]}`)
	if status != 400 || !strings.Contains(text, "has no chat template") {
		t.Error(status, text)
	}
}

// TestRefusedChat: what the template refuses is an error of the request; so is a call without JSON.
func TestRefusedChat(t *testing.T) {
	m := chatModel(t)
	var err error
	m.Template, err = models.NewChatTemplate("{{ raise_exception('Roles must alternate') }}", nil)
	if err != nil {
		t.Fatal(err)
	}
	url, _ := served(t, m)
	for body, want := range map[string]string{
		`[{"role": "user", "content": "a"}]`:                                    "Roles must alternate",
		`[{"role": "user", "content": "a"}], "chat_template_kwargs": {"x": []}`: "Roles must alternate",
		`[{"role": "assistant", "content": null, "tool_calls": [{"id": "x", "type": "function", "function": {"name": "f", "arguments": "{"}}]}]`: "not JSON",
	} {
		status, text := post(t, url+"/v1/chat/completions", `{"model": "model", "messages": `+body+`}`)
		if status != 400 || !strings.Contains(text, want) {
			t.Error(status, text)
		}
	}
}

// TestLogprobs: probabilities are those of the model's logits.
func TestLogprobs(t *testing.T) {
	m := chatModel(t)
	url, _ := served(t, m)
	v := asked(t, url+"/v1/completions", `{"model": "model", "prompt": "Hi", "max_tokens": 5, "temperature": 0, "logprobs": 2}`)
	ids := m.Tokenizer.Encode("Hi")
	l := v.Choices[0].Logprobs
	if len(l.Tokens) != 5 || strings.Join(l.Tokens, "") != v.Choices[0].Text || fmt.Sprint(l.Offsets) != "[0 1 2 3 4]" {
		t.Fatalf("%+v", l)
	}
	for i, text := range l.Tokens {
		logits := m.Forward(ids)
		p := logits.Get(len(ids) - 1).LogSoftmax(0).ToVec1()
		id, ok := m.Tokenizer.ID(text)
		if !ok || math.Abs(p[id]-l.Probs[i]) > 1e-4 || len(l.Tops[i]) != 2 || l.Tops[i][text] != l.Probs[i] {
			t.Errorf("token %d, %q: %v, want %v; %v", i, text, l.Probs[i], p[id], l.Tops[i])
		}
		ids = append(ids, id)
	}
	v = asked(t, url+"/v1/chat/completions", `{"model": "model", "max_tokens": 4, "temperature": 1, "seed": 4, "logprobs": true, "top_logprobs": 3,
		"messages": [{"role": "user", "content": "a"}]}`)
	if len(v.Choices[0].Logprobs.Content) == 0 {
		t.Error("no tokens")
	}
	for _, c := range v.Choices[0].Logprobs.Content {
		if len(c.Top) != 3 || c.Top[0].Logprob < c.Top[1].Logprob || c.Logprob > c.Top[0].Logprob || len(c.Bytes) != len(c.Token) {
			t.Errorf("%+v", c)
		}
	}
}

// TestToolCalls: an answer that calls a function has the form that OpenAI documents, whole and in a stream.
func TestToolCalls(t *testing.T) {
	q := &request{chat: true, callable: []models.Tool{{Name: "add"}}}
	const text = `I add. <tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>`
	data, _ := json.Marshal(q.choice(0, text, "stop", nil))
	if want := `{"finish_reason":"tool_calls","index":0,"logprobs":null,"message":{"content":"I add.","refusal":null,"role":"assistant",` +
		`"tool_calls":[{"id":"call00000","type":"function","function":{"name":"add","arguments":"{\"a\": 1}"}}]}}`; string(data) != want {
		t.Errorf("%s, want\n%s", data, want)
	}
	_, calls := q.calls(text, true)
	data, _ = json.Marshal(calls)
	if want := `[{"index":0,"id":"call00000","type":"function","function":{"name":"add","arguments":"{\"a\": 1}"}}]`; string(data) != want {
		t.Errorf("%s", data)
	}
	data, _ = json.Marshal(q.choice(0, "no call", "stop", nil))
	if want := `{"finish_reason":"stop","index":0,"logprobs":null,"message":{"content":"no call","refusal":null,"role":"assistant"}}`; string(data) != want {
		t.Errorf("%s", data)
	}
	url, _ := served(t, chatModel(t))
	v := asked(t, url+"/v1/chat/completions", `{"model": "model", "max_tokens": 4, "temperature": 0, "messages": [{"role": "user", "content": "a"},
		{"role": "assistant", "content": null, "tool_calls": [{"id": "x", "type": "function", "function": {"name": "add", "arguments": "{\"a\": 1}"}}]},
		{"role": "tool", "tool_call_id": "x", "content": "2"}],
		"tools": [{"type": "function", "function": {"name": "add", "description": "Adds", "strict": false, "parameters": {"type": "object"}}}], "tool_choice": "auto"}`)
	if v.Choices[0].Message.Content == "" {
		t.Errorf("%+v", v)
	}
}

// TestResponseFormat: answers are what response_format, tool_choice and a grammar want, or say that they were cut off.
func TestResponseFormat(t *testing.T) {
	url, _ := served(t, chatModel(t))
	ask := func(rest string) (text, reason, calls string) {
		t.Helper()
		status, body := post(t, url+"/v1/chat/completions", `{"model": "model", "seed": 3, "messages": [{"role": "user", "content": "a"}], `+rest+`}`)
		var v struct {
			Choices []struct {
				Reason  string `json:"finish_reason"`
				Message struct {
					Content string
					Calls   json.RawMessage `json:"tool_calls"`
				}
			}
		}
		if err := json.Unmarshal([]byte(body), &v); err != nil || status != http.StatusOK {
			t.Fatal(status, body)
		}
		c := v.Choices[0]
		return c.Message.Content, c.Reason, string(c.Message.Calls)
	}
	const format = `"response_format": {"type": "json_schema", "json_schema": {"name": "x", "strict": true, "schema": {"type": "object",
		"properties": {"ok": {"type": "boolean"}}, "required": ["ok"], "additionalProperties": false}}}`
	var answer struct{ OK *bool }
	if text, reason, _ := ask(format); reason != "stop" || json.Unmarshal([]byte(text), &answer) != nil || answer.OK == nil {
		t.Errorf("%q, %s", text, reason)
	}
	if text, reason, _ := ask(format + `, "max_tokens": 3`); reason != "length" || !strings.HasPrefix(text, "{") {
		t.Errorf("%q, %s", text, reason)
	}
	var object map[string]any
	if text, reason, _ := ask(`"response_format": {"type": "json_object"}, "max_tokens": 200`); !strings.HasPrefix(text, "{") || (reason == "stop") != (json.Unmarshal([]byte(text), &object) == nil) {
		t.Errorf("%q, %s", text, reason)
	}
	if text, reason, _ := ask(`"grammar": "root ::= \"a\" [b-d]{2,3} \"e\""`); reason != "stop" || !regexp.MustCompile("^a[b-d]{2,3}e$").MatchString(text) {
		t.Errorf("%q, %s", text, reason)
	}
	const tools = `"tools": [{"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {"a": {"enum": [1, 2]}}, "required": ["a"]}}},
		{"type": "function", "function": {"name": "now", "parameters": {"type": "object", "additionalProperties": false}}}], `
	for choice, want := range map[string]string{`"required"`: `"name":"`, `{"type": "function", "function": {"name": "now"}}`: `"name":"now"`,
		`{"type": "function", "function": {"name": "add"}}`: `"name":"add"`} {
		if text, reason, calls := ask(tools + `"tool_choice": ` + choice); text != "" || reason != "tool_calls" || !strings.Contains(calls, want) {
			t.Errorf("%s: %q, %s, %s", choice, text, reason, calls)
		}
	}
	if status, body := post(t, url+"/v1/chat/completions", `{"model": "model", "messages": [{"role": "user", "content": "a"}], `+tools+format+`}`); status != http.StatusBadRequest {
		t.Error(status, body)
	}
}
