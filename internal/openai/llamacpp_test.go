package openai

import (
	"encoding/json"
	"testing"
)

// TestLlamaCppNames: parameters under llama.cpp's names give the texts of those that they stand for.
func TestLlamaCppNames(t *testing.T) {
	url, _ := serve(t)
	text := func(more string) string {
		t.Helper()
		status, answer := post(t, url+"/v1/completions", `{"model": "small", "prompt": "abc", "seed": 4, `+more+`}`)
		var a struct{ Choices []struct{ Text string } }
		if err := json.Unmarshal([]byte(answer), &a); err != nil || status != 200 || len(a.Choices) != 1 {
			t.Fatalf("%s: %d %s", more, status, answer)
		}
		return a.Choices[0].Text
	}
	const long = `"max_tokens": 40, "temperature": 0`
	plain := text(long)
	for theirs, ours := range map[string]string{
		`"n_predict": 7, "cache_prompt": true`:                                              `"max_tokens": 7`,
		`"n_predict": -1, "temperature": 0`:                                                 `"max_tokens": 62, "temperature": 0`,
		`"repeat_penalty": 1.8, "repeat_last_n": -1, ` + long:                               `"repetition_penalty": 1.8, ` + long,
		`"repeat_penalty": 1.8, "repeat_last_n": 0, ` + long:                                long,
		`"typical_p": 1, "mirostat": 0, ` + long:                                            long,
		`"json_schema": {"type": "boolean"}, "max_tokens": 40`:                              `"max_tokens": 40, "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "boolean"}}}`,
		`"n_predict": 30, "typical_p": 0.5, "min_p": 0.01, "top_k": 20, "temperature": 1.5`: `"max_tokens": 30, "typical_p": 0.5, "min_p": 0.01, "top_k": 20, "temperature": 1.5`,
	} {
		if got, want := text(theirs), text(ours); got != want {
			t.Errorf("%s: %q, and with %s %q", theirs, got, ours, want)
		}
	}
	for _, more := range []string{`"repeat_penalty": 1.8, `, `"repetition_penalty": 1.8, `} {
		if text(more+long) == plain {
			t.Errorf("%s changes nothing of %q", more, plain)
		}
	}
	for _, more := range []string{`"typical_p": 0.1, `, `"mirostat": 2, "mirostat_tau": 0.1, `} {
		const hot = `"max_tokens": 40, "temperature": 2`
		if text(more+hot) == text(hot) {
			t.Errorf("%s changes nothing of a hot text", more)
		}
	}
}
