package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/gorocm/gorocm/tensor/models"
)

// events writes server-sent events. Its methods may be called by several goroutines.
type events struct {
	mu    sync.Mutex
	w     http.ResponseWriter
	flush func()
	head  head
	usage bool // every event has a field for the usage, which is null but in the last
	over  bool // nothing follows an error
}

func (e *events) send(choices []any, count *usage) {
	event := map[string]any{"id": e.head.ID, "object": e.head.Object, "created": e.head.Created, "model": e.head.Model,
		"choices": choices}
	if e.usage {
		event["usage"] = count
	}
	e.write(event, false)
}

// write writes an event. The last one is an error, or [DONE].
func (e *events) write(event any, last bool) {
	data := []byte("[DONE]")
	if event != nil {
		data, _ = json.Marshal(event)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return
	}
	e.over = last
	fmt.Fprintf(e.w, "data: %s\n\n", data)
	e.flush()
}

// stream answers with events, as the tokens come. An error that comes after the first event is an event, too.
func (a *api) stream(w http.ResponseWriter, q *request, all []*models.Completion, prompts int) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	e := &events{w: w, flush: func() {}, head: a.head(q.chat, true), usage: q.StreamOptions.IncludeUsage}
	if f, ok := w.(http.Flusher); ok {
		e.flush = f.Flush
	}
	var done sync.WaitGroup
	for i, c := range all {
		done.Go(func() { e.follow(q, i, c, a.logProbs(q)) })
	}
	done.Wait()
	if e.usage {
		count := usage{}
		count.add(prompts, 0)
		for _, c := range all {
			count.add(0, c.Made())
		}
		e.send([]any{}, &count)
	}
	e.write(nil, true)
}

// follow sends the parts of one completion.
func (e *events) follow(q *request, i int, c *models.Completion, probs *logProbs) {
	part := func(delta any, text, reason string) {
		one := map[string]any{"index": i, "logprobs": probs.take(), "finish_reason": nil}
		if reason != "" {
			one["finish_reason"] = reason
		}
		if q.chat {
			one["delta"] = delta
		} else {
			one["text"] = text
		}
		e.send([]any{one}, nil)
	}
	if q.chat {
		part(map[string]any{"role": "assistant", "content": ""}, "", "")
	}
	whole := "" // an answer that may be a call is sent when it is known
	for c.Next() {
		probs.add(c)
		switch {
		case len(q.callable) > 0:
			whole += c.Text()
		case c.Text() != "":
			part(map[string]any{"content": c.Text()}, c.Text(), "")
		}
	}
	if err := c.Err(); err != nil {
		e.write(map[string]any{"error": asAPI(err)}, true)
		return
	}
	reason := c.FinishReason()
	rest, calls := q.calls(whole, true)
	if rest != "" {
		part(map[string]any{"content": rest}, "", "")
	}
	if calls != nil {
		part(map[string]any{"tool_calls": calls}, "", "")
		reason = "tool_calls"
	}
	part(map[string]any{}, "", reason)
}
