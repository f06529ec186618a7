package debugger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gorocm/gorocm/repl/golang/debug"
)

// request is a request of a client.
type request struct {
	Seq       int             `json:"seq"`
	Command   string          `json:"command"`
	Arguments json.RawMessage `json:"arguments"`
}

// response answers a request.
type response struct {
	Seq        int    `json:"seq"`
	Type       string `json:"type"`
	RequestSeq int    `json:"request_seq"`
	Success    bool   `json:"success"`
	Command    string `json:"command"`
	Message    string `json:"message,omitempty"`
	Body       any    `json:"body"`
}

// event tells clients of something.
type event struct {
	Seq   int    `json:"seq"`
	Type  string `json:"type"`
	Event string `json:"event"`
	Body  any    `json:"body"`
}

// handler answers one command. The body is that of the response.
type handler func(d *Debugger, ctx context.Context, r *request) (body any, err error)

// handlers by command.
var handlers map[string]handler

func init() { // they call each other
	handlers = map[string]handler{
		"initialize":              (*Debugger).initialize,
		"attach":                  (*Debugger).attach,
		"launch":                  (*Debugger).attach,
		"configurationDone":       answers(nil),
		"disconnect":              (*Debugger).disconnect,
		"terminate":               (*Debugger).disconnect,
		"debugInfo":               (*Debugger).debugInfo,
		"dumpCell":                (*Debugger).dumpCell,
		"source":                  (*Debugger).source,
		"modules":                 answers(map[string]any{"modules": []any{}, "totalModules": 0}),
		"setBreakpoints":          (*Debugger).setBreakpoints,
		"setFunctionBreakpoints":  answers(map[string]any{"breakpoints": []any{}}),
		"setExceptionBreakpoints": (*Debugger).setExceptionBreakpoints,
		"threads":                 (*Debugger).threads,
		"stackTrace":              (*Debugger).stackTrace,
		"scopes":                  (*Debugger).scopes,
		"variables":               (*Debugger).variables,
		"setVariable":             (*Debugger).setVariable,
		"evaluate":                (*Debugger).evaluateRequest,
		"inspectVariables":        (*Debugger).inspectVariables,
		"richInspectVariables":    (*Debugger).richInspectVariables,
		"copyToGlobals":           (*Debugger).copyToGlobals,
		"continue":                resumes(debug.Continue),
		"next":                    resumes(debug.StepOver),
		"stepIn":                  resumes(debug.StepIn),
		"stepOut":                 resumes(debug.StepOut),
		"pause":                   (*Debugger).pause,
	}
}

// Handle answers a request of the debug adapter protocol. The first message is the response; events follow.
func (d *Debugger) Handle(ctx context.Context, message json.RawMessage) []json.RawMessage {
	var r request
	if err := json.Unmarshal(message, &r); err != nil {
		return []json.RawMessage{d.encode(response{Type: "response", Message: "bad request: " + err.Error()})}
	}
	res := response{Type: "response", RequestSeq: r.Seq, Command: r.Command}
	h := handlers[r.Command]
	if h == nil {
		res.Message = "the debugger has no command " + r.Command
		return []json.RawMessage{d.encode(res)}
	}
	body, err := d.guarded(ctx, h, &r)
	if res.Success, res.Body = err == nil, body; err != nil {
		res.Message = err.Error()
		res.Body = map[string]any{"error": map[string]any{"id": 1, "format": err.Error()}}
	}
	if res.Body == nil {
		res.Body = struct{}{}
	}
	messages := []json.RawMessage{d.encode(res)}
	if r.Command == "attach" && res.Success {
		messages = append(messages, d.encode(event{Type: "event", Event: "initialized", Body: struct{}{}}))
	}
	return messages
}

// guarded converts a panic to an error: a value that is shown may be in any state.
func (d *Debugger) guarded(ctx context.Context, h handler, r *request) (body any, err error) {
	defer func() {
		if p := recover(); p != nil {
			body, err = nil, fmt.Errorf("%s: internal error: %v", r.Command, p)
		}
	}()
	return h(d, ctx, r)
}

// encode numbers a message.
func (d *Debugger) encode(m any) json.RawMessage {
	d.mu.Lock()
	d.seq++
	n := d.seq
	d.mu.Unlock()
	switch x := m.(type) {
	case response:
		x.Seq, m = n, x
	case event:
		x.Seq, m = n, x
	}
	b, err := json.Marshal(m)
	if err != nil {
		b, _ = json.Marshal(response{Seq: n, Type: "response", Message: err.Error()})
	}
	return b
}

// emit tells clients of an event.
func (d *Debugger) emit(name string, body any) {
	d.host.Emit(d.encode(event{Type: "event", Event: name, Body: body}))
}

// parse reads the arguments of a request. Without any, all are zero.
func parse(r *request, into any) error {
	if len(r.Arguments) == 0 || string(r.Arguments) == "null" {
		return nil
	}
	if err := json.Unmarshal(r.Arguments, into); err != nil {
		return fmt.Errorf("%s: bad arguments: %w", r.Command, err)
	}
	return nil
}

var errRuns = errors.New("nothing is stopped")
