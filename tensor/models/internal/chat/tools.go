package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// ParseToolCalls finds the calls of tools in a reply, and returns its text without them. Models write them in one
// of these ways, which their chat templates ask for:
//
//	<tool_call>{"name": …, "arguments": {…}}</tool_call>   Hermes, Qwen, SmolLM
//	[TOOL_CALLS][{"name": …, "arguments": {…}}]            Mistral, whose token is not text
//	{"name": …, "parameters": {…}}                         Llama
//
// A reply that is anything else, or calls something that is no tool, is text.
func ParseToolCalls(text string, tools []Tool) (rest string, calls []ToolCall) {
	const open, end = "<tool_call>", "</tool_call>"
	if before, after, ok := strings.Cut(text, open); ok {
		kept := before
		for ok {
			body, tail, _ := strings.Cut(after, end) // the last may have no end
			c := callsIn(body, tools)
			if len(c) == 0 {
				return text, nil
			}
			calls = append(calls, c...)
			before, after, ok = strings.Cut(tail, open)
			kept += before
		}
		return strings.TrimSpace(kept), numbered(calls)
	}
	body := strings.TrimSpace(text)
	for _, prefix := range []string{"[TOOL_CALLS]", "<|python_tag|>"} {
		body = strings.TrimPrefix(body, prefix)
	}
	if calls = callsIn(body, tools); len(calls) == 0 {
		return text, nil
	}
	return "", numbered(calls)
}

// numbered gives calls without an id one, of nine characters, as Mistral's templates want.
func numbered(calls []ToolCall) []ToolCall {
	for i := range calls {
		if calls[i].ID == "" {
			calls[i].ID = fmt.Sprintf("call%05d", i)
		}
	}
	return calls
}

// callsIn reads a call in JSON, or a list of them; nil when it is neither.
func callsIn(body string, tools []Tool) (calls []ToolCall) {
	type call struct {
		ID                    string
		Name                  string
		Arguments, Parameters json.RawMessage
	}
	var one call
	var all []call
	switch data := []byte(body); {
	case json.Unmarshal(data, &one) == nil:
		all = []call{one}
	case json.Unmarshal(data, &all) != nil:
		return nil
	}
	for _, c := range all {
		arguments := c.Arguments
		if arguments == nil {
			arguments = c.Parameters
		}
		var quoted string // some models write the object as text
		if json.Unmarshal(arguments, &quoted) == nil {
			arguments = json.RawMessage(quoted)
		}
		known := slices.ContainsFunc(tools, func(t Tool) bool { return t.Name == c.Name })
		if !known || !bytes.HasPrefix(bytes.TrimSpace(arguments), []byte("{")) || !json.Valid(arguments) {
			return nil
		}
		calls = append(calls, ToolCall{ID: c.ID, Name: c.Name, Arguments: arguments})
	}
	return calls
}
