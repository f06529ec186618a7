package openai

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// serve starts a server of a small model with random weights, whose tokens are characters.
func serve(t testing.TB) (url string, server *models.Server) {
	t.Helper()
	tok := tokenizers.Characters("abcdefghijklmnopqrstuvwxyz :\né")
	dev := tensor.CPU()
	dev.SetSeed(3)
	config := models.LlamaConfig{Dim: 16, Hidden: 24, Layers: 1, Heads: 2, KVHeads: 1, Vocab: tok.Size(), Context: 64,
		Tied: true}
	p := nn.NewParams(tensor.F32, dev)
	if _, err := models.NewLlama(config, p); err != nil {
		t.Fatal(err)
	}
	for _, v := range p.Vars() {
		v.Set(v.Detach().Mul(30)) // texts that are not one letter
	}
	m, err := models.NewLlama(config, p)
	if err != nil {
		t.Fatal(err)
	}
	template, err := models.NewChatTemplate("{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}assistant:", nil)
	if err != nil {
		t.Fatal(err)
	}
	return served(t, &models.Model{Llama: m, Tokenizer: tok, Name: "small", Template: template})
}

func served(t testing.TB, m *models.Model) (string, *models.Server) {
	t.Helper()
	blocks := 24
	if m.Config.Context > 64 {
		blocks = 100
	}
	s, err := models.NewServer(m.Llama, m.Tokenizer, models.ServerConfig{BlockSize: 4, MaxSequences: 4, Blocks: blocks})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(NewHandler(s, m))
	t.Cleanup(func() {
		h.Close()
		s.Close()
		if got := s.Stats(); got.FreeBlocks != s.Config().Blocks {
			t.Errorf("blocks were lost: %+v", got)
		}
	})
	return h.URL, s
}

// post returns the answer to a request.
func post(t testing.TB, url, body string) (status int, answer string) {
	t.Helper()
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(data)
}

// shape is a JSON value with what differs from call to call replaced: texts, numbers and identifiers.
func shape(t testing.TB, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	var replace func(key string, v any) any
	replace = func(key string, v any) any {
		switch v := v.(type) {
		case map[string]any:
			for k, x := range v {
				v[k] = replace(k, x)
			}
		case []any:
			for i, x := range v {
				v[i] = replace(key, x)
			}
		case string:
			switch key {
			case "text", "content":
				return "…"
			case "id":
				if prefix, _, cut := strings.Cut(v, "-"); cut {
					return prefix + "-…"
				}
			}
		case float64:
			if key == "created" {
				return 1
			}
		}
		return v
	}
	data, _ := json.Marshal(replace("", v))
	return string(data)
}

// TestShapes: answers have the form that OpenAI documents.
func TestShapes(t *testing.T) {
	url, _ := serve(t)
	for _, c := range []struct{ path, body, want string }{
		{"completions", `{"model": "small", "prompt": "hello", "max_tokens": 5, "temperature": 0}`,
			`{"choices":[{"finish_reason":"length","index":0,"logprobs":null,"text":"…"}],"created":1,"id":"cmpl-…",` +
				`"model":"small","object":"text_completion",` +
				`"usage":{"completion_tokens":5,"prompt_tokens":5,"total_tokens":10}}`},
		{"completions", `{"model": "small", "prompt": ["ab", "c"], "n": 2, "max_tokens": 3, "seed": 1, "user": "me"}`,
			`{"choices":[{"finish_reason":"length","index":0,"logprobs":null,"text":"…"},` +
				`{"finish_reason":"length","index":1,"logprobs":null,"text":"…"},` +
				`{"finish_reason":"length","index":2,"logprobs":null,"text":"…"},` +
				`{"finish_reason":"length","index":3,"logprobs":null,"text":"…"}],"created":1,"id":"cmpl-…",` +
				`"model":"small","object":"text_completion",` +
				`"usage":{"completion_tokens":12,"prompt_tokens":3,"total_tokens":15}}`},
		{"chat/completions", `{"model": "small", "messages": [{"role": "user", "content": "hi"},
			{"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}],
			"max_completion_tokens": 2}`,
			`{"choices":[{"finish_reason":"length","index":0,"logprobs":null,` +
				`"message":{"content":"…","refusal":null,"role":"assistant"}}],"created":1,"id":"chatcmpl-…",` +
				`"model":"small","object":"chat.completion",` +
				`"usage":{"completion_tokens":2,"prompt_tokens":33,"total_tokens":35}}`},
	} {
		status, answer := post(t, url+"/v1/"+c.path, c.body)
		if got := shape(t, answer); status != 200 || got != c.want {
			t.Errorf("%s %s: %d\n%s\nwant\n%s", c.path, c.body, status, got, c.want)
		}
	}
	for path, want := range map[string]string{
		"/v1/models":       `{"data":[{"created":1,"id":"small","object":"model","owned_by":"gorocm"}],"object":"list"}`,
		"/v1/models/small": `{"created":1,"id":"small","object":"model","owned_by":"gorocm"}`,
		"/v1/models/other": `{"error":{"code":"model_not_found","message":"The model \"other\" does not exist",` +
			`"param":"model","type":"invalid_request_error"}}`,
		"/v2": `{"error":{"code":null,"message":"there is no GET /v2","param":null,"type":"invalid_request_error"}}`,
	} {
		r, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if got := shape(t, string(data)); got != want || strings.Contains(want, "error") != (r.StatusCode == 404) {
			t.Errorf("%s: %s\n%s, want\n%s", path, r.Status, got, want)
		}
	}
}

// texts reads a stream: the texts of its choices, and the shapes of the events before and after those of text.
func texts(t testing.TB, r io.Reader) (all map[int]string, events []string) {
	all = map[int]string{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		if line == "" {
			continue
		}
		data, found := strings.CutPrefix(line, "data: ")
		if !found {
			t.Fatalf("line %q", line)
		}
		if data == "[DONE]" {
			events = append(events, data)
			continue
		}
		var e struct {
			Choices []struct {
				Index int
				Text  string
				Delta struct{ Content string }
			}
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, c := range e.Choices {
			text += c.Text + c.Delta.Content
			all[c.Index] += c.Text + c.Delta.Content
		}
		if s := shape(t, data); text == "" || len(events) == 0 || events[len(events)-1] != s {
			events = append(events, s)
		}
	}
	return all, events
}

// TestStreams: a stream has the text that an answer has, in events of the form that OpenAI documents.
func TestStreams(t *testing.T) {
	url, _ := serve(t)
	const chunk = `{"choices":[{"delta":%s,"finish_reason":%s,"index":0,"logprobs":null}],"created":1,"id":"chatcmpl-…",` +
		`"model":"small","object":"chat.completion.chunk"}`
	const part = `{"choices":[{"finish_reason":%s,"index":0,"logprobs":null,"text":"…"}],"created":1,"id":"cmpl-…",` +
		`"model":"small","object":"text_completion","usage":null}`
	for _, c := range []struct {
		path, body string
		want       []string
	}{
		{"completions", `"prompt": "hello", "max_tokens": 9, "temperature": 0.5, "seed": 5`, []string{
			fmt.Sprintf(part, "null"), fmt.Sprintf(part, `"length"`),
			`{"choices":[],"created":1,"id":"cmpl-…","model":"small","object":"text_completion",` +
				`"usage":{"completion_tokens":9,"prompt_tokens":5,"total_tokens":14}}`, "[DONE]"}},
		{"chat/completions", `"messages": [{"role": "user", "content": "hi"}], "max_tokens": 7, "temperature": 0`, []string{
			fmt.Sprintf(chunk, `{"content":"…","role":"assistant"}`, "null"), fmt.Sprintf(chunk, `{"content":"…"}`, "null"),
			fmt.Sprintf(chunk, `{}`, `"length"`), "[DONE]"}},
	} {
		_, answer := post(t, url+"/v1/"+c.path, `{"model": "small", `+c.body+`}`)
		var whole struct {
			Choices []struct {
				Text    string
				Message struct{ Content string }
			}
		}
		if err := json.Unmarshal([]byte(answer), &whole); err != nil {
			t.Fatal(err)
		}
		options := `, "stream": true}`
		if c.path == "completions" {
			options = `, "stream": true, "stream_options": {"include_usage": true}}`
		}
		r, err := http.Post(url+"/v1/"+c.path, "application/json", strings.NewReader(`{"model": "small", `+c.body+options))
		if err != nil {
			t.Fatal(err)
		}
		got, events := texts(t, r.Body)
		r.Body.Close()
		if want := whole.Choices[0].Text + whole.Choices[0].Message.Content; got[0] != want || len(want) < 7 {
			t.Errorf("%s: the stream has %q, the answer %q", c.path, got[0], want)
		}
		if fmt.Sprint(events) != fmt.Sprint(c.want) {
			t.Errorf("%s: events\n%s\nwant\n%s", c.path, strings.Join(events, "\n"), strings.Join(c.want, "\n"))
		}
		if kind := r.Header.Get("Content-Type"); kind != "text/event-stream" {
			t.Error(kind)
		}
	}
}

// TestBadRequests: each is an error of the form that OpenAI documents, and the server goes on.
func TestBadRequests(t *testing.T) {
	thorough.Slow(t)
	url, server := serve(t)
	const ask = `{"model": "small", "prompt": "a", `
	const chat = `{"model": "small", "messages": [{"role": "user", "content": "a"}], `
	for _, c := range []struct {
		path, body string
		status     int
		param      string // of the error
		says       string
	}{
		{"completions", ``, 400, "", "not JSON"},
		{"completions", `[]`, 400, "", "the body is a JSON array, want an object"},
		{"chat/completions", `{"model": "small", "messages": "x"}`, 400, "messages", "messages is a JSON string, want an array"},
		{"chat/completions", `{"model": "small", "messages": [{"role": 1}]}`, 400, "messages.role", "messages.role is a JSON number, want a string"},
		{"chat/completions", `{"model": "small", "messages": [{"role": "user", "content": "a", "Role": "system"}]}`, 400,
			"messages.[0].Role", "use role"},
		{"chat/completions", `{"model": "small", "messages": [{"role": "assistant", "function_call": {}}]}`, 400,
			"messages.[0].function_call", "use tool_calls"},
		{"completions", ask + `"n_predict": "x"}`, 400, "n_predict", "n_predict is a JSON string, want an integer"},
		{"completions", ask + `"STREAM": true}`, 400, "STREAM", "Unrecognized request argument supplied: STREAM: use stream"},
		{"completions", ask + `"stream": 1}`, 400, "stream", "stream is a JSON number, want true or false"},
		{"completions", ask + `"stream_options": {"usage": true}}`, 400, "stream_options.usage", "Unrecognized"},
		{"chat/completions", chat + `"service_tier": "flex"}`, 400, "service_tier", `want "auto" or "default" or null`},
		{"chat/completions", chat + `"modalities": ["text", "audio"]}`, 400, "modalities", `want ["text"] or null`},
		{"chat/completions", chat + `"reasoning_effort": "high"}`, 400, "reasoning_effort", "changes nothing for small"},
		{"completions", ask + `"reasoning_effort": "medium"}`, 400, "reasoning_effort", "not supported"},
		{"completions", `{"model": "small", "prompt": "a"`, 400, "", "not JSON"},
		{"completions", `{"model": "small", "prompt": "a"} {}`, 400, "", "more than one"},
		{"completions", `{"prompt": "a"}`, 400, "model", "must provide"},
		{"completions", `{"model": "big", "prompt": "a"}`, 404, "model", "does not exist"},
		{"completions", `{"model": "small"}`, 400, "prompt", "want a text"},
		{"completions", `{"model": "small", "prompt": null}`, 400, "prompt", "want a text"},
		{"completions", `{"model": "small", "prompt": []}`, 400, "prompt", "want a text"},
		{"completions", `{"model": "small", "prompt": {"a": 1}}`, 400, "prompt", "want a text"},
		{"completions", `{"model": "small", "prompt": ""}`, 400, "", "at least one token"},
		{"completions", `{"model": "small", "prompt": [1, 999]}`, 400, "", "no token 999"},
		{"completions", `{"model": "small", "prompt": [[1], [-3]]}`, 400, "", "no token -3"},
		{"completions", `{"model": "small", "prompt": [[1], []]}`, 400, "", "at least one token"},
		{"completions", ask + `"max_tokens": 0}`, 400, "max_tokens", "at least 1"},
		{"completions", ask + `"max_tokens": 65}`, 400, "max_tokens", "maximum context length is 64 tokens, and you requested 66"},
		{"completions", ask + `"max_tokens": "many"}`, 400, "max_tokens", "max_tokens is a JSON string, want an integer"},
		{"completions", ask + `"temperature": -1}`, 400, "temperature", "from 0 to 2"},
		{"completions", ask + `"temperature": 2.5}`, 400, "temperature", "from 0 to 2"},
		{"completions", ask + `"top_p": 1.01}`, 400, "top_p", "from 0 to 1"},
		{"completions", ask + `"n": 0}`, 400, "n", "from 1"},
		{"completions", ask + `"n": 1000000000}`, 400, "n", "from 1"},
		{"completions", ask + `"presence_penalty": 3}`, 400, "presence_penalty", "from -2"},
		{"completions", ask + `"stop": ["a", "b", "c", "d", "e"]}`, 400, "stop", "at most 4"},
		{"completions", ask + `"stop": ""}`, 400, "stop", "empty"},
		{"completions", ask + `"stop": 3}`, 400, "stop", "want a text"},
		{"completions", ask + `"logprobs": 6}`, 400, "logprobs", "from 0 to 5"},
		{"completions", ask + `"logprobs": true}`, 400, "logprobs", "want a number"},
		{"chat/completions", chat + `"logprobs": 2}`, 400, "logprobs", "want true or false"},
		{"chat/completions", chat + `"top_logprobs": 2}`, 400, "top_logprobs", "needs logprobs"},
		{"chat/completions", chat + `"logprobs": true, "top_logprobs": 21}`, 400, "top_logprobs", "from 0 to 20"},
		{"completions", ask + `"echo": true}`, 400, "echo", "not supported"},
		{"completions", ask + `"temprature": 1}`, 400, "temprature", "Unrecognized"},
		{"completions", ask + `"n_predict": 0}`, 400, "n_predict", "at least 1"},
		{"completions", ask + `"n_predict": 5, "max_tokens": 5}`, 400, "n_predict", "one of n_predict and max_tokens"},
		{"completions", ask + `"n_probs": 5}`, 400, "n_probs", "n_probs is not supported: use logprobs"},
		{"completions", ask + `"num_predict": 5}`, 400, "num_predict", "use max_tokens"},
		{"completions", ask + `"repeat_penalty": 1.1, "repetition_penalty": 1.2}`, 400, "repeat_penalty", "one of repeat_penalty and repetition_penalty"},
		{"completions", ask + `"repeat_last_n": -2}`, 400, "repeat_last_n", "at least -1"},
		{"completions", ask + `"typical_p": 1.5}`, 400, "typical_p", "from 0 to 1"},
		{"completions", ask + `"mirostat": 1}`, 400, "mirostat", "want 2, or 0"},
		{"completions", ask + `"mirostat": 2, "mirostat_tau": 0}`, 400, "mirostat_tau", "above 0"},
		{"chat/completions", chat + `"json_schema": {"type": "object"}, "response_format": {"type": "json_object"}}`, 400, "json_schema", "one of json_schema and response_format"},
		{"completions", ask + `"messages": []}`, 400, "messages", "not supported"},
		{"completions", `{"model": "small", "prompt": "` + strings.Repeat("a", 65) + `"}`, 400, "max_tokens", "context length"},
		{"completions", `{"model": "small", "prompt": "` + strings.Repeat("a", maxBody) + `"}`, 413, "", "bytes"},
		{"chat/completions", `{"model": "small"}`, 400, "messages", "at least one message"},
		{"chat/completions", `{"model": "small", "messages": [{"role": "critic", "content": "a"}]}`, 400, "messages.[0].role",
			`not "critic"`},
		{"chat/completions", `{"model": "small", "messages": [{"role": "user"}]}`, 400, "messages.[0].content", "want a text"},
		{"chat/completions", `{"model": "small", "messages": [{"role": "user", "content": [{"type": "image_url"}]}]}`, 400,
			"messages.[0].content", "image_url"},
		{"chat/completions", chat + `"tools": [{}]}`, 400, "tools.[0].type", "want the type function"},
		{"chat/completions", chat + `"tools": [{"type": "function", "function": {}}]}`, 400, "tools.[0].function.name", "want a name"},
		{"chat/completions", chat + `"tools": [], "tool_choice": "required"}`, 400, "tool_choice", "no tools"},
		{"chat/completions", chat + `"tool_choice": "some"}`, 400, "tool_choice", "want auto"},
		{"chat/completions", chat + `"tool_choice": {"type": "function", "function": {"name": "f"}}}`, 400, "tool_choice", "no function"},
		{"completions", ask + `"tools": [{"type": "function"}]}`, 400, "tools", "not supported"},
		{"chat/completions", chat + `"response_format": {"type": "grammar"}}`, 400, "response_format.type", "json_schema"},
		{"chat/completions", chat + `"response_format": {"type": "json_schema"}}`, 400, "response_format.json_schema.schema", "want a schema"},
		{"chat/completions", chat + `"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "string", "pattern": "a"}}}}`, 400, "response_format.json_schema.schema", "pattern"},
		{"chat/completions", chat + `"response_format": {"type": "json_object"}, "stop": "}"}`, 400, "stop", "cut off the text"},
		{"completions", ask + `"grammar": "root ::= \"a\"\nroot ::= b"}`, 400, "grammar", "line 2, column 1: the rule root is defined twice"},
		{"completions", ask + `"grammar": ["a"]}`, 400, "grammar", "string"},
		{"chat/completions", chat + `"grammar": "root ::= [0-9]", "response_format": {"type": "json_object"}}`, 400, "grammar", "one of grammar and response_format"},
		{"chat/completions", chat + `"grammar": "root ::= [0-9]", "stop": "5"}`, 400, "stop", "cut off the text"},
		{"chat/completions", chat + `"grammar": "root ::= [0-9]", "tools": [{"type": "function", "function": {"name": "f"}}]}`, 400, "grammar", "grammar with tools"},
		{"chat/completions", chat + `"logit_bias": {"5": 100}}`, 400, "logit_bias", "not supported"},
	} {
		status, answer := post(t, url+"/v1/"+c.path, c.body)
		var e struct {
			Error struct {
				Message, Type string
				Param         *string
			}
		}
		if err := json.Unmarshal([]byte(answer), &e); err != nil {
			t.Errorf("%.100s: %q: %v", c.body, answer, err)
			continue
		}
		param := ""
		if e.Error.Param != nil {
			param = *e.Error.Param
		}
		if status != c.status || param != c.param || e.Error.Type != "invalid_request_error" ||
			!strings.Contains(e.Error.Message, c.says) {
			t.Errorf("%.100s: %d %s", c.body, status, answer)
		}
	}
	if got := server.Stats(); got.Running+got.Waiting > 4 {
		t.Errorf("%+v", got)
	}
	if status, answer := post(t, url+"/v1/completions", ask+`"max_tokens": 2}`); status != 200 {
		t.Errorf("afterwards: %d %s", status, answer)
	}
}

// TestManyClients: requests that come together get what each gets alone; clients that go away have their blocks freed.
func TestManyClients(t *testing.T) {
	url, _ := serve(t)
	ask := func(i int) string {
		return fmt.Sprintf(`{"model": "small", "prompt": "%s", "max_tokens": 30, "seed": %d, "temperature": 0.8}`,
			strings.Repeat("ab", 1+i%5), i)
	}
	want := make([]string, 12)
	for i := range want {
		_, want[i] = post(t, url+"/v1/completions", ask(i))
	}
	textOf := func(answer string) string {
		var v struct{ Choices []struct{ Text string } }
		if err := json.Unmarshal([]byte(answer), &v); err != nil || len(v.Choices) != 1 {
			t.Errorf("%s: %v", answer, err)
			return ""
		}
		return v.Choices[0].Text
	}
	var all sync.WaitGroup
	for i := range want {
		all.Go(func() {
			if _, got := post(t, url+"/v1/completions", ask(i)); textOf(got) != textOf(want[i]) {
				t.Errorf("%d: %s, alone %s", i, got, want[i])
			}
		})
		all.Go(func() { // gone after the first event
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			body := strings.Replace(ask(i), "{", `{"stream": true, `, 1)
			r, _ := http.NewRequestWithContext(ctx, "POST", url+"/v1/completions", strings.NewReader(body))
			if answer, err := http.DefaultClient.Do(r); err == nil {
				bufio.NewReader(answer.Body).ReadString('\n')
				answer.Body.Close()
			}
		})
	}
	all.Wait()
}

// TestStories: a real model continues a story as the program that it was made for.
func TestStories(t *testing.T) {
	root := os.Getenv("GOROCM_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	path := filepath.Join(root, "models", "stories260k", "stories260K.bin")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("there is no %s; GOROCM_SHARED names the folder that has it", path)
	}
	m, tok, err := models.OpenLlama(path, tensor.F32, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	url, _ := served(t, &models.Model{Llama: m, Tokenizer: tok, Name: "stories260K"})
	_, answer := post(t, url+"/v1/completions",
		`{"model": "stories260K", "prompt": "Once upon a time, Tim", "max_tokens": 60, "temperature": 0, "stop": "\n"}`)
	g := models.NewGenerator(m.Decoder(), tok, nn.Sampling{})
	g.Prompt("Once upon a time, Tim")
	want := ""
	for i := 0; i < 60 && g.Next(); i++ {
		want += g.Text()
	}
	want, _, _ = strings.Cut(want, "\n")
	var v struct{ Choices []struct{ Text string } }
	if err := json.Unmarshal([]byte(answer), &v); err != nil || len(v.Choices) != 1 || v.Choices[0].Text != want {
		t.Errorf("%s, %v, want %q", answer, err, want)
	}
}

// FuzzRequests: whatever comes is answered with JSON, or with events.
func FuzzRequests(f *testing.F) {
	url, _ := serve(f)
	for _, body := range []string{`{"model": "small", "prompt": "a", "max_tokens": 1}`, `{"model": "small", "prompt": [[3]]}`,
		`{"model": "small", "messages": [{"role": "user", "content": "a"}], "max_tokens": 1}`, `{"n": 1e9}`, `nul`,
		`{"model": "small", "prompt": "0"}`,
		`{"model": "small", "prompt": "a", "max_tokens": 2, "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"const": "#"}}}}`,
		`{"model": "small", "prompt": "a", "max_tokens": 2, "grammar": "root ::= [a-z]{1,9} <[3]>?"}`,
		`{"model": "small", "messages": [{"role": "user", "content": "a"}], "max_tokens": 2, "tools": [{"type": "function", "function": {"name": "f"}}], "tool_choice": "required"}`} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"completions", "chat/completions"} {
			status, answer := post(t, url+"/v1/"+path, body)
			if status >= 500 || !json.Valid([]byte(answer)) && !strings.HasPrefix(answer, "data: ") {
				t.Errorf("%s %q: %d %q", path, body, status, answer)
			}
		}
	})
}
