package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
)

// message is one of a chat. Its content is a text, or a list of parts.
type message struct {
	Role       string          `json:"role"`
	Name       string          `json:"name"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  []toolCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`

	// They come back from clients that send an answer as they got it.
	Refusal     json.RawMessage `json:"refusal"`
	Annotations json.RawMessage `json:"annotations"`
	Audio       json.RawMessage `json:"audio"`
	Called      json.RawMessage `json:"function_call"` // only null: it is older than tool_calls
}

type toolCall struct {
	Index    *int         `json:"index,omitempty"` // in streams
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function functionCall `json:"function"`
}

// functionCall is a call: Arguments is JSON as a text.
type functionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      *bool           `json:"strict"`
	} `json:"function"`
}

// conversation makes the prompt of a chat, by the model's template.
func (a *api) conversation(q *request) ([]int, error) {
	if a.model.Template == nil {
		return nil, badParam("messages", "the model %s has no chat template: use /v1/completions", a.name)
	}
	if len(q.Messages) == 0 {
		return nil, badParam("messages", "want at least one message")
	}
	messages, left := make([]models.Message, len(q.Messages)), imageLimit{maxImages, maxImagePixels}
	for i, m := range q.Messages {
		one, err := m.message(fmt.Sprintf("messages.[%d]", i), a.model.Vision != nil, &left)
		if err != nil {
			return nil, err
		}
		messages[i] = one
	}
	tools, err := q.tools()
	if err != nil {
		return nil, err
	}
	options := map[string]any{}
	for name, v := range q.TemplateOptions {
		options[name] = v
	}
	if left.images < maxImages {
		a.images.Lock() // one after the other: each takes all cores, or the GPU
		defer a.images.Unlock()
	}
	ids, images, err := a.model.EncodeMessages(messages, tools, options)
	if failed := new(tensor.Error); errors.As(err, &failed) {
		return nil, err
	}
	if err != nil { // the template refuses the messages, or cannot make a prompt of them
		return nil, badParam("messages", "%v", err)
	}
	q.images = images
	if q.Effort == nil || *q.Effort == "medium" { // OpenAI's default
		return ids, nil
	}
	options[effort] = *q.Effort
	thinking, _, err := a.model.EncodeMessages(messages, tools, options)
	if err != nil {
		return nil, badParam(effort, "%v", err)
	}
	if slices.Equal(ids, thinking) {
		return nil, badParam(effort, "%s of %q changes nothing for %s: leave it out, or set what its template has in "+
			"chat_template_kwargs, as enable_thinking", effort, *q.Effort, a.name)
	}
	return thinking, nil
}

// effort is the name of a parameter, and of the variable of templates.
const effort = "reasoning_effort"

// message checks a message.
func (m *message) message(param string, images bool, left *imageLimit) (models.Message, error) {
	out := models.Message{Role: m.Role, Name: m.Name, ToolCallID: m.ToolCallID}
	switch m.Role {
	case "system", "user", "assistant", "tool":
	case "developer":
		out.Role = "system"
	default:
		return out, badParam(param+".role", "want the role system, developer, user, assistant or tool, not %q", m.Role)
	}
	if text := string(m.Called); text != "" && text != "null" {
		return out, badParam(param+".function_call", "function_call is not supported: use tool_calls")
	}
	for i, c := range m.ToolCalls {
		if !json.Valid([]byte(c.Function.Arguments)) {
			return out, badParam(fmt.Sprintf("%s.tool_calls.[%d].function.arguments", param, i),
				"the arguments are not JSON")
		}
		out.ToolCalls = append(out.ToolCalls, models.ToolCall{ID: c.ID, Name: c.Function.Name,
			Arguments: json.RawMessage(c.Function.Arguments)})
	}
	if len(m.ToolCalls) > 0 && (m.Content == nil || string(m.Content) == "null") {
		return out, nil
	}
	if err := m.content(&out, images, left); err != nil {
		return out, badParam(param+".content", "%v", err)
	}
	return out, nil
}

// tools are the functions that the model may call; none with tool_choice none.
func (q *request) tools() (all []models.Tool, err error) {
	for i, t := range q.Tools {
		param := fmt.Sprintf("tools.[%d]", i)
		switch {
		case t.Type != "function":
			return nil, badParam(param+".type", "want the type function, not %q", t.Type)
		case t.Function.Name == "":
			return nil, badParam(param+".function.name", "want a name")
		case slices.ContainsFunc(all, func(u models.Tool) bool { return u.Name == t.Function.Name }):
			return nil, badParam(param+".function.name", "there are two functions %q", t.Function.Name)
		}
		f := t.Function
		if string(f.Parameters) == "null" {
			f.Parameters = nil
		}
		all = append(all, models.Tool{Name: f.Name, Description: f.Description, Parameters: f.Parameters})
	}
	if string(q.ToolChoice) == `"none"` {
		all = nil
	}
	q.callable = all
	return all, nil
}

// calls are the calls of functions in the text of an answer, as the API has them, and the rest of the text.
func (q *request) calls(text string, stream bool) (rest string, all []toolCall) {
	if len(q.callable) == 0 {
		return text, nil
	}
	rest, calls := models.ParseToolCalls(text, q.callable)
	if q.Parallel != nil && !*q.Parallel && len(calls) > 1 {
		calls = calls[:1]
	}
	for i, c := range calls {
		one := toolCall{ID: c.ID, Type: "function", Function: functionCall{c.Name, string(c.Arguments)}}
		if stream {
			one.Index = &i
		}
		all = append(all, one)
	}
	return rest, all
}
