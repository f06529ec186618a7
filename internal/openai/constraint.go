package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor/models"
)

// responseFormat says what an answer is: text, any JSON object, or JSON of a schema.
type responseFormat struct {
	Type       string `json:"type"`
	JSONSchema struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"schema"`
		Strict      *bool           `json:"strict"` // all answers are
	} `json:"json_schema"`
}

// constraint is what answers are: by response_format, by tool_choice, or by a grammar; nil is any text.
func (q *request) constraint(stops []string) (*models.Grammar, error) {
	called, err := q.called()
	if err != nil {
		return nil, err
	}
	text, param := "", "response_format"
	switch f := q.ResponseFormat; {
	case f == nil || f.Type == "text":
	case f.Type == "json_object":
		text = `{"type": "object"}`
	case f.Type != "json_schema":
		return nil, badParam(param+".type", "want the type text, json_object or json_schema, not %q", f.Type)
	case f.JSONSchema.Schema == nil:
		return nil, badParam(param+".json_schema.schema", "want a schema")
	default:
		text, param = string(f.JSONSchema.Schema), param+".json_schema.schema"
	}
	if schema := string(q.JSONSchema); schema != "" && schema != "null" && schema != "{}" {
		if text != "" {
			return nil, badParam("json_schema", "want one of json_schema and response_format")
		}
		text, param = schema, "json_schema"
	}
	switch {
	case text != "" && q.Grammar != "":
		return nil, badParam("grammar", "want one of grammar and response_format")
	case q.Grammar != "":
		text, param = q.Grammar, "grammar"
	}
	switch {
	case text == "" && called == nil:
		return nil, nil
	case text != "" && len(q.callable) > 0:
		name, _, _ := strings.Cut(param, ".")
		return nil, badParam(name, "%s with tools is not supported, but for tool_choice none", name)
	case len(stops) > 0:
		return nil, badParam("stop", "stop with response_format, a grammar or a required tool is not supported: "+
			"it would cut off the text")
	}
	var g *models.Grammar
	switch {
	case called != nil:
		param = "tools"
		g, err = models.NewCallSchema(called)
	case q.Grammar != "":
		g, err = models.NewGrammar(text)
	default:
		g, err = models.NewSchema(text)
	}
	if err != nil {
		return nil, badParam(param, "%v", err)
	}
	return g, nil
}

// called are the functions of which the model has to call one, nil where it need not.
func (q *request) called() ([]models.Tool, error) {
	var choice string
	var one struct {
		Type     string
		Function struct{ Name string }
	}
	switch raw := string(q.ToolChoice); {
	case raw == "" || raw == "null":
		return nil, nil
	case json.Unmarshal(q.ToolChoice, &choice) == nil:
		switch choice {
		case "auto", "none":
			return nil, nil
		case "required":
			if len(q.callable) == 0 {
				return nil, badParam("tool_choice", "tool_choice is required, and there are no tools")
			}
			return q.callable, nil
		}
	case json.Unmarshal(q.ToolChoice, &one) == nil && one.Type == "function":
		i := slices.IndexFunc(q.callable, func(t models.Tool) bool { return t.Name == one.Function.Name })
		if i < 0 {
			return nil, badParam("tool_choice", "there is no function %q among the tools", one.Function.Name)
		}
		return q.callable[i : i+1], nil
	}
	return nil, badParam("tool_choice", "want auto, none, required, or a function, not %s", q.ToolChoice)
}
