package openai

import (
	"encoding/json"
	"testing"

	"github.com/gorocm/gorocm/tensor/models"
)

// TestIdleParameters: what clients send by themselves and asks for nothing changes no answer.
func TestIdleParameters(t *testing.T) {
	url, _ := serve(t)
	content := func(more string) string {
		t.Helper()
		v := asked(t, url+"/v1/chat/completions", `{"model": "small", "max_tokens": 9, "temperature": 0`+more+`}`)
		return v.Choices[0].Message.Content
	}
	const plain = `, "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]`
	want := content(plain)
	for _, more := range []string{
		`, "parallel_tool_calls": true`, `, "parallel_tool_calls": false`, `, "reasoning_effort": "medium"`,
		`, "service_tier": "auto"`, `, "service_tier": "default"`, `, "verbosity": "medium"`, `, "modalities": [ "text" ]`,
		`, "prompt_cache_key": "x", "safety_identifier": "me", "prompt_cache_retention": "24h"`,
		`, "functions": [], "function_call": "auto", "service_tier": null, "audio": null, "prediction": null`,
		`, "reasoning_effort": null, "parallel_tool_calls": null, "verbosity": null, "modalities": null`,
	} {
		if got := content(plain + more); got != want {
			t.Errorf("%s: %q, without it %q", more, got, want)
		}
	}
	const sent = `, "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b", "refusal": null,
		"annotations": [], "audio": null, "function_call": null, "tool_calls": null}]`
	if got := content(sent); got != want {
		t.Errorf("with an answer as it was got: %q, want %q", got, want)
	}
}

// TestReasoningEffort: a template that has the variable gets it.
func TestReasoningEffort(t *testing.T) {
	m := chatModel(t)
	template, err := models.NewChatTemplate("{{ messages[0].content }}{{ reasoning_effort or 'medium' }}", nil)
	if err != nil {
		t.Fatal(err)
	}
	m.Template = template
	url, _ := served(t, m)
	count := func(more string) (v struct{ Usage usage }) {
		t.Helper()
		status, text := post(t, url+"/v1/chat/completions", `{"model": "model", "max_tokens": 1, "messages": [{"role": "user", "content": "a"}]`+more+`}`)
		if err := json.Unmarshal([]byte(text), &v); err != nil || status != 200 {
			t.Fatal(status, text)
		}
		return v
	}
	none, medium, low := count(""), count(`, "reasoning_effort": "medium"`), count(`, "reasoning_effort": "low"`)
	if none != medium || low == none {
		t.Errorf("%+v tokens without an effort, %+v with medium, %+v with low", none, medium, low)
	}
}

// TestParallelToolCalls: without parallel calls an answer has one.
func TestParallelToolCalls(t *testing.T) {
	const text = `<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call><tool_call>{"name": "f", "arguments": {"a": 2}}</tool_call>`
	no := false
	for _, c := range []struct {
		parallel *bool
		want     int
	}{{nil, 2}, {&no, 1}} {
		q := &request{callable: []models.Tool{{Name: "f"}}, Parallel: c.parallel}
		if _, calls := q.calls(text, false); len(calls) != c.want || calls[0].Function.Arguments != `{"a": 1}` {
			t.Errorf("%+v, want %d", calls, c.want)
		}
	}
}
