package models_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// openChat opens the model of testdata/chat.py.
func openChat(t testing.TB, dev *tensor.Device) *models.Model {
	t.Helper()
	m, err := models.Open("testdata/chat/model", dev)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestConversations: prompts, their tokens, and greedy replies are those of transformers.
func TestConversations(t *testing.T) {
	type function struct {
		Name, Description string
		Parameters        json.RawMessage
		Arguments         json.RawMessage
	}
	var cases []struct {
		Messages []struct {
			Role, Content, Name string
			ToolCallID          string `json:"tool_call_id"`
			ToolCalls           []struct {
				ID       string
				Function function
			} `json:"tool_calls"`
		}
		Tools         []struct{ Function function }
		Options       map[string]any
		Prompt, Reply string
		IDs           []int
	}
	data, err := os.ReadFile("testdata/chat/golden.json")
	if err == nil {
		err = json.Unmarshal(data, &cases)
	}
	if err != nil || len(cases) < 5 {
		t.Fatal(err, len(cases))
	}
	for _, dev := range devices(t) {
		m := openChat(t, dev)
		if want := (nn.Sampling{Temperature: 0.7, TopK: 20, TopP: 0.9}); m.Defaults != want || m.Name != "model" {
			t.Errorf("%s samples by %+v", m.Name, m.Defaults)
		}
		for _, g := range cases {
			c := m.NewConversation()
			c.Sampling, c.MaxTokens, c.Options = nn.Sampling{}, 24, g.Options
			for _, message := range g.Messages {
				one := models.Message{Role: message.Role, Content: message.Content, Name: message.Name, ToolCallID: message.ToolCallID}
				for _, call := range message.ToolCalls {
					one.ToolCalls = append(one.ToolCalls, models.ToolCall{ID: call.ID, Name: call.Function.Name, Arguments: call.Function.Arguments})
				}
				c.Messages = append(c.Messages, one)
			}
			for _, tool := range g.Tools {
				c.Tools = append(c.Tools, models.Tool{Name: tool.Function.Name, Description: tool.Function.Description, Parameters: tool.Function.Parameters})
			}
			prompt, err := c.Prompt()
			if err != nil || prompt != g.Prompt {
				t.Errorf("prompt %q, want %q: %v", prompt, g.Prompt, err)
			}
			if ids := m.Tokenizer.EncodePrompt(prompt); !slices.Equal(ids, g.IDs) {
				t.Errorf("tokens %v, want %v", ids, g.IDs)
			}
			shown := ""
			reply, err := c.Reply(func(part string) bool { shown += part; return true })
			if err != nil || reply.Content != g.Reply || shown != g.Reply || c.Messages[len(c.Messages)-1].Content != g.Reply {
				t.Errorf("reply %q, shown %q, want %q: %v", reply.Content, shown, g.Reply, err)
			}
		}
	}
}

// TestChatAgain: a further message reads only what is new, and has the reply of a conversation that is read at once.
func TestChatAgain(t *testing.T) {
	m := openChat(t, tensor.CPU())
	var out strings.Builder
	m.System, m.MaxTokens, m.Sampling, m.Output = "Be brief.", 12, nn.Sampling{}, &out
	for i, text := range []string{"Hi", "What is the longest river?", "and the highest mountain?"} {
		if err := m.Chat(text); err != nil {
			t.Fatal(err)
		}
		other := m.NewConversation()
		other.System, other.MaxTokens, other.Sampling = m.System, m.MaxTokens, m.Sampling
		other.Messages = slices.Clone(m.Messages[:2*i])
		want, err := other.Ask(text)
		if got := m.Messages[2*i+1].Content; err != nil || got != want || !strings.HasSuffix(out.String(), want+"\n") {
			t.Errorf("%q: %q, want %q: %v", text, got, want, err)
		}
		g := m.Conversation.Generator()
		if all := len(g.Tokens()); i > 0 && (g.Cached() < 30 || g.Cached()+g.Stats().Prompt+g.Stats().Tokens+1 != all) {
			t.Errorf("%d of %d tokens were not read again: %v", g.Cached(), all, g.Stats())
		}
	}
	m.Forget()
	if m.Sampling = m.Defaults; len(m.Messages) != 0 {
		t.Error(m.Messages)
	}
	if _, err := m.Ask("sampled"); err != nil {
		t.Error(err)
	}
}

// TestReplyEnds: a reply ends at a stop, at MaxTokens, and where show says so.
func TestReplyEnds(t *testing.T) {
	m := openChat(t, tensor.CPU())
	m.Sampling = nn.Sampling{}
	ask := func(show func(string) bool) string {
		t.Helper()
		m.Forget()
		m.Messages = []models.Message{{Role: "user", Content: "Hi"}}
		reply, err := m.Reply(show)
		if err != nil {
			t.Fatal(err)
		}
		return reply.Content
	}
	m.MaxTokens = 10
	whole := ask(nil)
	if len(whole) != 10 {
		t.Fatalf("%q", whole)
	}
	m.Stop = []string{"nowhere", whole[4:7]}
	if got := ask(nil); got != whole[:strings.Index(whole, whole[4:7])] {
		t.Errorf("%q ends with %q", got, whole[4:7])
	}
	m.Stop = []string{whole[8:] + "more"} // which the text begins, and does not have
	if got := ask(nil); got != whole {
		t.Errorf("%q, want %q", got, whole)
	}
	n := 0
	m.Stop = nil
	if got := ask(func(string) bool { n++; return n < 3 }); got != whole[:3] {
		t.Errorf("%q", got)
	}
}

// TestInterrupt: a reply can be ended from elsewhere, and there is one at a time.
func TestInterrupt(t *testing.T) {
	m := openChat(t, tensor.CPU())
	m.Sampling, m.MaxTokens = nn.Sampling{}, 50
	m.Messages = []models.Message{{Role: "user", Content: "Hi"}}
	parts := 0
	var second error
	reply, err := m.Reply(func(string) bool {
		if parts++; parts == 4 {
			_, second = m.Ask("another")
			m.Interrupt()
		}
		return true
	})
	if err != nil || len(reply.Content) != 4 || second == nil || !strings.Contains(second.Error(), "Interrupt ends it") || len(m.Messages) != 2 {
		t.Errorf("%q, %v, %v, %d messages", reply.Content, err, second, len(m.Messages))
	}
	if again, err := m.Ask("more"); err != nil || len(again) < 5 {
		t.Errorf("%q, %v", again, err)
	}
}

// TestChatMistakes: after an error the conversation is what it was.
func TestChatMistakes(t *testing.T) {
	m := openChat(t, tensor.CPU())
	m.Messages = []models.Message{{Role: "critic", Content: "no"}}
	if err := m.Chat("Hi"); !errors.Is(err, models.ErrConversation) || !strings.Contains(err.Error(), "There is no role critic") || len(m.Messages) != 1 {
		t.Error(err, m.Messages)
	}
	m.Forget()
	if err := m.Chat(strings.Repeat("long ", 200)); err == nil || !strings.Contains(err.Error(), "of at most 512") || len(m.Messages) != 0 {
		t.Error(err, m.Messages)
	}
	broken := errors.New("broken")
	m.Output, m.MaxTokens = writer(func([]byte) (int, error) { return 0, broken }), 3
	if err := m.Chat("Hi"); !errors.Is(err, broken) {
		t.Error(err)
	}
	m.Template = nil
	if _, err := m.Ask("Hi"); err == nil || !strings.Contains(err.Error(), "no chat template") {
		t.Error(err)
	}
	m.Tokenizer = nil
	if _, err := m.Ask("Hi"); err == nil || !strings.Contains(err.Error(), "no tokenizer") {
		t.Error(err)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// copied copies the model of testdata/chat.py, with other files.
func copied(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("testdata/chat/model")); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(folder, name)
		if text == "" {
			os.Remove(path)
		} else if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// TestTemplateFiles: where a chat template may be, and what is wrong in one.
func TestTemplateFiles(t *testing.T) {
	const none = "no chat template"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string // a prompt, or an error
	}{
		{"own file", map[string]string{"chat_template.jinja": "{{ bos_token }}{{ messages[0].content }}"}, "<s>Hi"},
		{"config", map[string]string{"chat_template.jinja": "",
			"tokenizer_config.json": `{"chat_template": "{{ eos_token }}!", "eos_token": {"content": "</s>"}}`}, "</s>!"},
		{"named", map[string]string{"chat_template.jinja": "", "tokenizer_config.json": `{"chat_template": [
			{"name": "rag", "template": "{% nonsense %}"}, {"name": "default", "template": "a"}, {"name": "tool_use", "template": "b"}]}`}, "a"},
		{"none", map[string]string{"chat_template.jinja": "", "tokenizer_config.json": "{}"}, none},
		{"no files", map[string]string{"chat_template.jinja": "", "tokenizer_config.json": "", "generation_config.json": ""}, none},
		{"unsupported", map[string]string{"chat_template.jinja": "a\n{% extends 'b' %}"}, `line 2: the tag "extends" is not supported`},
		{"number", map[string]string{"chat_template.jinja": "", "tokenizer_config.json": `{"chat_template": 5}`}, "neither a text nor a list"},
		{"no default", map[string]string{"chat_template.jinja": "", "tokenizer_config.json": `{"chat_template": [{"name": "x"}]}`}, "none of the chat templates is the default"},
		{"sampling", map[string]string{"generation_config.json": `{"do_sample": true, "top_p": 7}`}, "TopP"},
	} {
		m, err := models.Open(copied(t, c.files), tensor.CPU())
		got := fmt.Sprint(err)
		if err == nil {
			m.Messages = []models.Message{{Role: "user", Content: "Hi"}}
			if got, err = m.Prompt(); err != nil {
				got = err.Error()
			}
			if c.name == "named" {
				m.Tools = []models.Tool{{Name: "f"}}
				if with, err := m.Prompt(); with != "b" {
					t.Errorf("with tools %q, %v", with, err)
				}
			}
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s; want %q", c.name, got, c.want)
		}
	}
}

// TestGGUFChat: a GGUF file has its template, and the tokens that end a message.
func TestGGUFChat(t *testing.T) {
	dev := tensor.CPU()
	pieces := []string{"<unk>", "<s>", "</s>", "<|im_end|>", "▁", "a", "b", "H", "i", "c"}
	meta := map[string]any{
		"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": pieces, "tokenizer.ggml.scores": make([]float32, len(pieces)),
		"tokenizer.ggml.token_type": []int32{2, 3, 3, 3, 1, 1, 1, 1, 1, 1}, "tokenizer.ggml.bos_token_id": uint32(1),
		"tokenizer.ggml.eos_token_id": uint32(2), "tokenizer.ggml.eot_token_id": uint32(9), "tokenizer.chat_template": "{{ bos_token }}{{ messages[0].content }}{{ eos_token }}",
		"tokenizer.chat_template.tool_use": "{{ tools | length }}",
		"general.architecture":             "llama", "llama.embedding_length": uint32(8), "llama.feed_forward_length": uint32(8), "llama.block_count": uint32(1),
		"llama.attention.layer_norm_rms_epsilon": 1e-5,
		"llama.attention.head_count":             uint32(2), "llama.context_length": uint32(32),
	}
	var tensors []formats.Packed
	for name, dims := range map[string][]int{"token_embd.weight": {10, 8}, "output_norm.weight": {8}, "blk.0.attn_norm.weight": {8}, "blk.0.ffn_norm.weight": {8},
		"blk.0.attn_q.weight": {8, 8}, "blk.0.attn_k.weight": {8, 8}, "blk.0.attn_v.weight": {8, 8}, "blk.0.attn_output.weight": {8, 8},
		"blk.0.ffn_gate.weight": {8, 8}, "blk.0.ffn_up.weight": {8, 8}, "blk.0.ffn_down.weight": {8, 8}} {
		tensors = append(tensors, formats.Packed{Name: name, Tensor: quant.Quantize(dev.Rand(tensor.F32, dims...), quant.F32)})
	}
	path := filepath.Join(t.TempDir(), "small.gguf")
	if err := formats.WriteGGUF(path, tensors, meta); err != nil {
		t.Fatal(err)
	}
	m, err := models.Open(path, dev)
	if err != nil {
		t.Fatal(err)
	}
	m.Messages = []models.Message{{Role: "user", Content: "Hi"}}
	prompt, err := m.Prompt()
	if err != nil || prompt != "<s>Hi</s>" || m.Name != "small" {
		t.Errorf("%s: %q, %v", m.Name, prompt, err)
	}
	for _, id := range []int{3, 9} {
		if !m.Decoder().Ends(id) {
			t.Errorf("token %d does not end a text: %v", id, m.Config.EOS)
		}
	}
	m.Tools = []models.Tool{{Name: "f"}}
	if prompt, err := m.Prompt(); err != nil || prompt != "1" {
		t.Errorf("with tools %q, %v", prompt, err)
	}
	if _, err := m.Reply(nil); err != nil {
		t.Error(err)
	}
	meta["tokenizer.ggml.tokens"] = []string{"<unk>", "<s>", "</s>", "<|return|>", "▁", "a", "b", "H", "i", "<|end|>"}
	if err := formats.WriteGGUF(path, tensors, meta); err != nil {
		t.Fatal(err)
	}
	if m, err = models.Open(path, dev); err != nil || !m.Decoder().Ends(3) || m.Decoder().Ends(9) {
		t.Errorf("thoughts of gpt-oss end its reply: %v", err)
	}
}

// TestParseToolCalls: the ways in which models write calls.
func TestParseToolCalls(t *testing.T) {
	tools := []models.Tool{{Name: "add"}, {Name: "now"}}
	for _, c := range []struct{ text, rest, calls string }{
		{"just text", "just text", ""},
		{"I look.\n<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 1}}\n</tool_call>", "I look.", `add{"a": 1}`},
		{`<tool_call>{"name": "add", "arguments": {}}</tool_call><tool_call>{"name": "now", "arguments": {}}`, "", "add{}now{}"},
		{`[TOOL_CALLS][{"name": "now", "arguments": {"x": [1]}, "id": "123456789"}]`, "", `now{"x": [1]}`},
		{` {"name": "add", "parameters": {"a": 2}} `, "", `add{"a": 2}`},
		{`{"name": "add", "arguments": "{\"a\": 3}"}`, "", `add{"a": 3}`},
		{`{"name": "other", "parameters": {}}`, `{"name": "other", "parameters": {}}`, ""},
		{`{"name": "add", "parameters": [1]}`, `{"name": "add", "parameters": [1]}`, ""},
		{`<tool_call>{"name": "add"`, `<tool_call>{"name": "add"`, ""},
		{`{"name": "add"}`, `{"name": "add"}`, ""},
	} {
		rest, calls := models.ParseToolCalls(c.text, tools)
		got := ""
		for _, call := range calls {
			if got += call.Name + string(call.Arguments); len(call.ID) != 9 {
				t.Errorf("%s: id %q", c.text, call.ID)
			}
		}
		if rest != c.rest || got != c.calls {
			t.Errorf("%s: %q, %s", c.text, rest, got)
		}
	}
}

// TestContinueTokens: a generator reads what a text has not in common with the one before.
func TestContinueTokens(t *testing.T) {
	m := openChat(t, tensor.CPU())
	g := models.NewGenerator(m.Decoder(), nil, nn.Sampling{})
	g.PromptTokens([]int{5, 6, 7, 8})
	g.Next()
	g.Next() // has read the first token it made
	first := g.Tokens()
	for _, c := range []struct {
		ids    []int
		cached int
	}{{append(slices.Clone(first[:5]), 9, 9), 5}, {first[:5], 4}, {[]int{5, 6, 9}, 2}, {[]int{9}, 0}, {[]int{9}, 0}} {
		g.ContinueTokens(c.ids)
		g.Next()
		if g.Cached() != c.cached {
			t.Errorf("%v: %d tokens were read before, want %d", c.ids, g.Cached(), c.cached)
		}
		fresh := models.NewGenerator(m.Decoder(), nil, nn.Sampling{})
		fresh.PromptTokens(c.ids)
		if fresh.Next(); g.Token() != fresh.Token() {
			t.Errorf("%v: token %d, want %d", c.ids, g.Token(), fresh.Token())
		}
	}
}
