// Package chat has the messages of conversations, the templates that make prompts of them, and the calls of tools in
// replies.
package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorocm/gorocm/internal/jinja"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// Message is one of a conversation, as OpenAI's API has it.
type Message struct {
	Role    string `json:"role"` // system, user, assistant or tool
	Content string `json:"content"`
	Parts   []Part `json:"-"` // texts and images, in the place of Content, for models that read images
	// what the assistant calls, in place of an answer or beside it
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	// of the role tool: the function that has answered, and the call that it answers
	Name       string `json:"name,omitempty"`
	ToolCallID string `json:"tool_call_id,omitempty"`
}

// Part is a piece of a message: a text, or an image.
type Part struct {
	Text  string
	Image *tensor.Tensor // U8 [channels height width], as formats.ReadImage gives it; nil for a text
}

// String returns the text, or the size of the image.
func (p Part) String() string {
	if p.Image == nil {
		return p.Text
	}
	d := p.Image.Dims()
	if len(d) == 0 {
		return "an image"
	}
	return fmt.Sprintf("an image of %v pixels", d[1:])
}

// ToolCall is a call of a function that the model asks for.
type ToolCall struct {
	ID        string
	Name      string
	Arguments json.RawMessage // an object
}

// Tool is a function that the model may call.
type Tool struct {
	Name, Description string
	Parameters        json.RawMessage // a JSON schema of the arguments
}

// Template makes the prompt of a conversation: the Jinja of a tokenizer_config.json, a chat_template.jinja or a
// GGUF file, rendered as Hugging Face's transformers do. Its methods may be called by several goroutines.
type Template struct {
	usual, tools *jinja.Template // tools is for conversations with tools, or nil
	special      map[string]string
	reads        func() (texts, parts bool) // what contents the template reads: texts, lists of parts
}

// New parses a template. special are the texts of special tokens that it may name, such as bos_token. The
// error names what of Jinja is not supported, and its line.
func New(source string, special map[string]string) (*Template, error) {
	t, err := jinja.Parse(source)
	if err != nil {
		return nil, fmt.Errorf("models: the chat template: %w", err)
	}
	c := &Template{usual: t, special: maps.Clone(special)}
	c.reads = sync.OnceValues(c.contents)
	return c, nil
}

// contents tries what the template reads: those of some vision-language models read lists of parts only, and those of
// language models texts only.
func (t *Template) contents() (texts, parts bool) {
	const probe = "gorocm"
	shown := func(content any) bool {
		list := jinja.List(jinja.Dict("role", "user", "content", content))
		vars := []any{"messages", list, "tools", nil, "documents", nil, "add_generation_prompt", true,
			"strftime_now", jinja.Strftime(time.Now)}
		for name, text := range t.special {
			vars = append(vars, name, text)
		}
		text, err := t.usual.Render(jinja.Dict(vars...))
		return err == nil && strings.Contains(text, probe) && !strings.Contains(text, "'"+probe) // the list itself
	}
	return shown(probe), shown(partList([]Part{{Text: probe}}))
}

// ErrConversation is what errors wrap when a chat template refuses a conversation, as Gemma's does one with a system
// message.
var ErrConversation = errors.New("the chat template refuses the conversation")

// Prompt returns the text of a conversation, up to where the assistant's next message begins. options are further
// variables of the template, such as enable_thinking; values are bools, ints, float64s, strings, []strings, nil, or
// JSON as a json.RawMessage.
//
// The error wraps ErrConversation when the template refuses the messages.
func (t *Template) Prompt(messages []Message, tools []Tool, options map[string]any) (string, error) {
	vars := []any{"add_generation_prompt", true, "documents", nil,
		"strftime_now", jinja.Strftime(time.Now)}
	for _, name := range slices.Sorted(maps.Keys(t.special)) {
		vars = append(vars, name, t.special[name])
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		v := options[name]
		if raw, ok := v.(json.RawMessage); ok {
			var err error
			if v, err = jinja.JSON(raw); err != nil {
				return "", fmt.Errorf("models: the option %s of the chat template: %w", name, err)
			}
		}
		vars = append(vars, name, v)
	}
	list, err := t.messageList(messages)
	if err != nil {
		return "", err
	}
	of, functions, err := t.usual, any(nil), error(nil)
	if len(tools) > 0 {
		if functions, err = toolList(tools); err != nil {
			return "", err
		}
		if t.tools != nil {
			of = t.tools
		}
	}
	text, err := of.Render(jinja.Dict(append(vars, "messages", list, "tools", functions)...))
	if refused := new(jinja.Raised); errors.As(err, &refused) {
		return "", fmt.Errorf("models: %w: %s", ErrConversation, refused.Message)
	}
	if err != nil {
		return "", fmt.Errorf("models: the chat template: %w", err)
	}
	return text, nil
}

// partList is the value of the content of a message in parts.
func partList(parts []Part) any {
	list := make([]any, len(parts))
	for i, p := range parts {
		if list[i] = jinja.Dict("type", "text", "text", p.Text); p.Image != nil {
			list[i] = jinja.Dict("type", "image")
		}
	}
	return jinja.List(list...)
}

// content is the value of the content of a message.
func (t *Template) content(m *Message) (any, error) {
	if m.Parts != nil && m.Content != "" {
		return nil, errors.New("has Content and Parts: want one of them")
	}
	texts, lists := t.reads()
	switch {
	case m.Parts == nil && (texts || !lists):
		return m.Content, nil
	case m.Parts == nil:
		return partList([]Part{{Text: m.Content}}), nil
	case lists:
		return partList(m.Parts), nil
	}
	text := ""
	for _, p := range m.Parts {
		if text += p.Text; p.Image != nil {
			return nil, errors.New("has an image, and the chat template reads none")
		}
	}
	return text, nil
}

// messageList is the value of messages in a template.
func (t *Template) messageList(messages []Message) (any, error) {
	var list []any
	for i, m := range messages {
		content, err := t.content(&m)
		if err != nil {
			return nil, fmt.Errorf("models: message %d %w", i, err)
		}
		fields := []any{"role", m.Role, "content", content}
		if m.Name != "" {
			fields = append(fields, "name", m.Name)
		}
		if m.ToolCallID != "" {
			fields = append(fields, "tool_call_id", m.ToolCallID)
		}
		var calls []any
		for _, c := range m.ToolCalls {
			arguments, err := jinja.JSON(c.Arguments)
			if err != nil {
				return nil, fmt.Errorf("models: the arguments of %s in message %d: %w", c.Name, i, err)
			}
			calls = append(calls, jinja.Dict("id", c.ID, "type", "function",
				"function", jinja.Dict("name", c.Name, "arguments", arguments)))
		}
		if calls != nil {
			fields = append(fields, "tool_calls", jinja.List(calls...))
		}
		list = append(list, jinja.Dict(fields...))
	}
	return jinja.List(list...), nil
}

func toolList(tools []Tool) (any, error) {
	var list []any
	for _, t := range tools {
		parameters := t.Parameters
		if parameters == nil {
			parameters = json.RawMessage(`{"type": "object", "properties": {}}`)
		}
		schema, err := jinja.JSON(parameters)
		if err != nil {
			return nil, fmt.Errorf("models: the parameters of the tool %s: %w", t.Name, err)
		}
		list = append(list, jinja.Dict("type", "function", "function",
			jinja.Dict("name", t.Name, "description", t.Description, "parameters", schema)))
	}
	return jinja.List(list...), nil
}

// OfFolder reads the chat template of a folder of Hugging Face, or returns nil when there is none:
// chat_template.jinja, else those of chat_template.json and tokenizer_config.json.
func OfFolder(folder string) (*Template, error) {
	special, err := parts.SpecialTokens(folder)
	if err != nil {
		return nil, err
	}
	source, err := os.ReadFile(filepath.Join(folder, "chat_template.jinja"))
	if err == nil {
		return New(string(source), special)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, file := range []string{"chat_template.json", "tokenizer_config.json"} {
		var config struct {
			Template json.RawMessage `json:"chat_template"`
		}
		if _, err := parts.OptionalJSON(filepath.Join(folder, file), &config); err != nil {
			return nil, err
		}
		if config.Template == nil || string(config.Template) == "null" {
			continue
		}
		var one string
		if json.Unmarshal(config.Template, &one) == nil {
			return New(one, special)
		}
		return namedTemplates(config.Template, special)
	}
	return nil, nil
}

// namedTemplates are several, of which one is for conversations with tools.
func namedTemplates(data []byte, special map[string]string) (*Template, error) {
	var named []struct{ Name, Template string }
	if err := json.Unmarshal(data, &named); err != nil {
		return nil, fmt.Errorf("models: tokenizer_config.json: chat_template is neither a text nor a list of named ones")
	}
	var all Template
	for _, n := range named {
		if n.Name != "default" && n.Name != "tool_use" {
			continue
		}
		t, err := New(n.Template, special)
		if err != nil {
			return nil, err
		}
		if n.Name == "default" {
			all.usual, all.special, all.reads = t.usual, t.special, t.reads
		} else {
			all.tools = t.usual
		}
	}
	if all.usual == nil {
		return nil, fmt.Errorf("models: tokenizer_config.json: none of the chat templates is the default")
	}
	return &all, nil
}

// OfGGUF is the chat template of a GGUF file, or nil.
func OfGGUF(f *formats.GGUF, tok *tokenizers.Tokenizer) (*Template, error) {
	source, ok := f.Metadata["tokenizer.chat_template"].(string)
	if !ok {
		return nil, nil
	}
	special := map[string]string{}
	if tok != nil {
		for name, id := range map[string]int{"bos_token": tok.BOS, "eos_token": tok.EOS} {
			if id >= 0 {
				special[name] = tok.Piece(id)
			}
		}
	}
	t, err := New(source, special)
	if err != nil {
		return nil, err
	}
	if with, ok := f.Metadata["tokenizer.chat_template.tool_use"].(string); ok {
		tools, err := New(with, special)
		if err != nil {
			return nil, err
		}
		t.tools = tools.usual
	}
	return t, nil
}
