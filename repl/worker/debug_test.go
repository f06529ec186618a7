package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/repl"
)

// TestDebug: a cell of a worker is stopped, looked at beside it, and goes on; completion is answered meanwhile.
func TestDebug(t *testing.T) {
	c := startTest(t)
	ask := func(command, arguments string) string {
		t.Helper()
		list := c.Debug(t.Context(), json.RawMessage(fmt.Sprintf(
			`{"seq":1,"type":"request","command":%q,"arguments":%s}`, command, arguments)))
		if len(list) == 0 || !strings.Contains(string(list[0]), `"success":true`) {
			t.Fatalf("%s: %s", command, list)
		}
		return string(list[0])
	}
	code := "n := 1\nn = n + 1\nn * 10"
	ask("attach", "{}")
	var dumped struct {
		Body struct {
			Path string `json:"sourcePath"`
		} `json:"body"`
	}
	if err := json.Unmarshal([]byte(ask("dumpCell", fmt.Sprintf(`{"code":%q}`, code))), &dumped); err != nil {
		t.Fatal(err)
	}
	ask("setBreakpoints", fmt.Sprintf(`{"source":{"path":%q},"breakpoints":[{"line":2}]}`, dumped.Body.Path))
	events := make(chan repl.Event, 100)
	done := make(chan repl.Reply, 1)
	go func() {
		done <- c.Eval(context.Background(), repl.Request{Code: code}, func(e repl.Event) { events <- e })
	}()
	for e := range events {
		if e.Kind == repl.Debug && strings.Contains(string(e.Message), `"stopped"`) {
			break
		}
	}
	if got := ask("evaluate", `{"expression":"n = 20; n"}`); !strings.Contains(got, `"result":"20"`) {
		t.Error(got)
	}
	if got := c.Complete("strings.ToU", 11); len(got.Matches) == 0 {
		t.Error("nothing completes while a cell is stopped")
	}
	ask("continue", `{"threadId":1}`)
	if r := <-done; r.Err != nil {
		t.Error(r.Err)
	}
	for {
		if e := <-events; e.Kind == repl.Result {
			if e.Data.Text() != "210" {
				t.Errorf("the cell gives %s", e.Data.Text())
			}
			break
		}
	}
	c.Detach()
	if r := c.Eval(t.Context(), repl.Request{Code: code}, func(repl.Event) {}); r.Err != nil {
		t.Error(r.Err)
	}
}

// TestDebugPrompt: %break asks through the front end.
func TestDebugPrompt(t *testing.T) {
	c := startTest(t)
	var l log
	run := func(code string, answers ...string) {
		t.Helper()
		r := c.Eval(t.Context(), repl.Request{Code: code, Input: func(_ context.Context, p repl.Prompt) (string, error) {
			a := answers[0]
			answers = answers[1:]
			l.sink(repl.Event{Kind: repl.Stream, Text: p.Text + a + "\n"})
			return a, nil
		}}, l.sink)
		if r.Err != nil {
			t.Fatal(r.Err)
		}
	}
	run("func twice(n int) int {\n\treturn n * 2\n}")
	run("%break twice")
	run("twice(4)", "p n", "n = 5", "c")
	want := "breakpoint\ntwice (cell[1], line 2)\n>   2      return n * 2\n(debug) p n\n4\n(debug) n = 5\n(debug) c\n"
	if text := l.b.String(); !strings.Contains(text, want) {
		t.Errorf("got %q, want %q", text, want)
	}
}
